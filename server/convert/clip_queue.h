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

  // Counts the stream of `caller`, over the connection of `peer`, among those
  // that are open. RESOURCE_EXHAUSTED if there are too many.
  absl::Status Enter(std::shared_ptr<const Caller> caller, std::string peer);

  // Takes the content of the next message of the peer. `beside` are its bytes
  // that are not text: their lists take many times as much memory. A status
  // that is not OK ends the stream.
  absl::Status Take(v1::ConvertClipsRequest* message, int64_t beside);
  // A clip has begun and not ended.
  bool is_within_clip() const { return incoming_ != nullptr; }
  bool empty() const { return clips_.empty(); }
  size_t size() const { return clips_.size(); }

  // False while too much waits, in this stream or in all streams together. A
  // stream that holds nothing may always read.
  bool WindowIsOpen() const;
  // Too many bytes of outputs wait to be written; any bytes, if all streams
  // together hold too much.
  bool MustPause(const StreamClip& clip) const;
  // Rows of `clip` wait for input, which may be long in coming, and nothing of
  // the clip waits to be written: the worker must flush the conversion.
  bool MustFlush(const StreamClip& clip) const;
  // Adds the clips that a worker must run now; they then count as running.
  // REQUIRES: `runnable` has capacity for size() clips.
  void TakeRunnable(std::vector<ClipPtr>* runnable);

  // For the worker that runs `clip`. TakeBytes: the next bytes that came, which
  // count until UsedBytes. REQUIRES: `clip` has incoming bytes.
  std::string TakeBytes(StreamClip* clip);
  void UsedBytes(StreamClip* clip);
  // A frame that was made for `clip`.
  void AddFrame(StreamClip* clip, ResponseFrame frame);
  // Refuses `clip`: its bytes and frames are dropped, it is no longer in
  // flight, and its result is `status`, once all of it has come.
  void Refuse(StreamClip* clip, const absl::Status& status);

  // Moves the next frame to write into `frame` and returns its clip; null if no
  // frame may be written. `more_follows`: another frame of the clip waits.
  ClipPtr PickWrite(ResponseFrame* frame, bool* more_follows);
  // `frame` of `clip` was written. Removes a clip whose result was written.
  void Written(const ClipPtr& clip, const ResponseFrame& frame);

  // Abandons all clips: they hold nothing, and nothing of them is worked on or
  // written any more, except what a worker or a write has in hand.
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
  void DropIncoming(StreamClip* clip);
  void DropOutgoing(StreamClip* clip);
  void DropBytes(StreamClip* clip, int64_t bytes);
  void AddIncoming(int64_t bytes);
  void AddOutgoing(StreamClip* clip, int64_t bytes);

  const ServerConfig& config() const { return parts_.config; }

  const SessionParts parts_;
  std::shared_ptr<const Caller> caller_ = Nobody();
  std::string peer_;
  bool saw_message_ = false;
  // Shared by the clips that bring no options of their own: those for BVH, and
  // copies for other formats of sources. Never empty once a message was taken.
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
  // Bytes that came and are not used up, and bytes that wait to be written.
  int64_t incoming_bytes_ = 0;
  int64_t outgoing_bytes_ = 0;
};

}  // namespace bvhmill::server
