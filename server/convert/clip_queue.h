#pragma once

// The unfinished clips of a stream, and the bytes that they hold.

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/app/config.h"
#include "server/auth/caller.h"
#include "server/convert/stream_clip.h"
#include "server/limits/admission.h"
#include "server/limits/stream_memory.h"
#include "server/observe/clip_observer.h"
#include "server/observe/log.h"

namespace bvhmill::server {

// Parts of the server that a stream uses. All parts outlive the stream.
struct SessionParts {
  const ServerConfig& config;
  Admission& admission;
  StreamMemory& memory;
  ClipObserver& observer;
  const Log& log;
  StreamClip::Clock::time_point (*now)() = &StreamClip::Clock::now;
};

// Not thread-safe: the mutex of the stream guards it.
class ClipQueue {
 public:
  explicit ClipQueue(const SessionParts& parts) : parts_(parts) {}
  ~ClipQueue() { Clear(); }
  ClipQueue(const ClipQueue&) = delete;
  ClipQueue& operator=(const ClipQueue&) = delete;

  // Counts the stream, of `caller` over the connection of `peer`, as open until
  // Clear. Fails as Admission::TryOpen does.
  absl::Status Enter(std::shared_ptr<const Caller> caller, std::string peer);

  // Takes the content of the next message of the peer. `beside` is the number
  // of its serialized bytes outside of text fields (see ReadMessage); parsed,
  // they can take many times that memory. A status that is not OK must end the
  // stream. REQUIRES: !has_chunk().
  absl::Status Take(v1::ConvertClipsRequest* message, int64_t beside);
  // A clip has begun and not ended.
  bool is_within_clip() const { return incoming_ != nullptr; }
  // Its last chunk is not read yet.
  bool has_chunk() const {
    return incoming_ != nullptr && incoming_->chunk_bytes > 0;
  }
  // Counts the memory of a message that waits for its Take, as long as `ticket`
  // lives and until DropWaiting.
  void HoldWaiting(int64_t bytes, Ticket* ticket);
  void DropWaiting(int64_t bytes) { AddIncoming(-bytes); }
  bool empty() const { return clips_.empty(); }
  size_t size() const { return clips_.size(); }

  // True if the next message may be read: a worker reads the chunk that came
  // last, or has read it, not too many clips are unfinished, and not too many
  // bytes wait in this stream or in all streams together. A stream that holds
  // no bytes does not wait for other streams.
  bool WindowIsOpen() const;
  // True if `clip` must wait, since too many bytes of outputs wait to be
  // written: those of the stream, or for its first clip only its own. If all
  // streams together hold too much, one byte is too many.
  bool MustPause(const StreamClip& clip) const;
  // Adds the clips that workers must run now, and marks them as running.
  // REQUIRES: `runnable` has capacity for size() clips.
  void TakeRunnable(std::vector<ClipPtr>* runnable);

  // The chunk of `clip` was read or dropped: its bytes count no more.
  void UsedChunk(StreamClip* clip);
  // Adds a frame of `clip` to those that wait to be written.
  void AddFrame(StreamClip* clip, ResponseFrame frame);
  // Refuses `clip`, which no worker runs: its conversion, bytes and frames are
  // dropped, and its result is `status`, once all of it has come.
  void Refuse(StreamClip* clip, const absl::Status& status);
  // The conversion of the clip that was refused last; null if it is taken.
  std::shared_ptr<ClipWork> TakeDropped() { return std::move(dropped_); }

  // Moves the next frame to write into `frame` and returns its clip; null if no
  // frame may be written. Sets `more_follows` if another frame of the clip
  // waits. The caller must report Written.
  ClipPtr PickWrite(ResponseFrame* frame, bool* more_follows);
  // `frame` of `clip` was written. Removes a clip whose result was written.
  void Written(const ClipPtr& clip, const ResponseFrame& frame);

  // Abandons all clips: no worker or write begins on them any more. Work and
  // writes that have begun may still end, and count until then.
  void AbandonAll();
  // Drops everything. Workers may still hold clips.
  void Clear();

 private:
  absl::Status HoldMessage(const v1::ConvertClipsRequest& message,
                           int64_t beside, Ticket* ticket);
  absl::Status Open(const v1::StreamOpen& open);
  absl::Status Begin(v1::ClipBegin* begin, const absl::Status& held);
  absl::Status End(const v1::ClipEnd& end);
  absl::Status Admit(const v1::ClipBegin& begin);
  absl::Status ReadOptions(const v1::ConvertOptions& message,
                           SourceFormat format, OptionsPtr* options);
  absl::Status ReadDefaultOptions(SourceFormat format, OptionsPtr* options);
  void Append(std::string bytes);
  void Complete(StreamClip* clip);
  bool CanRun(const StreamClip& clip) const;
  void Remove(const ClipPtr& clip);
  void Release(StreamClip* clip);
  void FreeKey(StreamClip* clip);
  void DropOutgoing(StreamClip* clip);
  void AddIncoming(int64_t bytes);
  void AddOutgoing(StreamClip* clip, int64_t bytes);

  const ServerConfig& config() const { return parts_.config; }

  const SessionParts parts_;
  std::shared_ptr<const Caller> caller_ = Nobody();
  std::string peer_;
  bool saw_message_ = false;
  // Shared by the clips that bring no options of their own: first those for
  // BVH, then a copy for each other format that came. After the first message
  // none is null.
  std::vector<OptionsPtr> default_options_ = {nullptr};
  // Counts the stream and its default options.
  Ticket ticket_;
  bool ordered_ = false;
  bool reports_early_ = false;
  // The clip whose chunks are arriving.
  ClipPtr incoming_;
  // Unfinished clips in the order of their begin.
  std::list<ClipPtr> clips_;
  std::unordered_set<std::string> keys_;
  std::shared_ptr<ClipWork> dropped_;
  // Bytes that came and are not used up, and bytes that wait to be written.
  int64_t incoming_bytes_ = 0;
  int64_t outgoing_bytes_ = 0;
};

}  // namespace bvhmill::server
