#pragma once

// The unfinished clips of one stream ConvertClips, each from its begin until
// its result is written, and the bytes that they hold.
//
// Step 3 of the path of a chunk (see stream_reactor.h). Take stores the chunk
// in its clip, if the limits admit it. TakeRunnable picks the clip for a
// worker. UsedChunk frees the chunk after the worker has read it. The frames of
// the answer wait from AddFrame until PickWrite, and count until Written:
//
//   status = queue.Take(&message, beside);     // begin, chunk or end of a clip
//   queue.TakeRunnable(&clips);                // clips that workers must run
//   queue.UsedChunk(clip);                     // a worker has read the chunk
//   queue.AddFrame(clip, frame);               // a worker has made a frame
//   clip = queue.PickWrite(&frame, &more);     // the next frame to write
//   queue.Written(clip, frame);                // the peer has it

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/unpack/decoder.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/app/config.h"
#include "server/auth/caller.h"
#include "server/limits/admission.h"
#include "server/limits/memory.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"

namespace bvhmill::server {

using OptionsPtr = std::shared_ptr<const ConvertOptions>;

// Both are defined in clip_work.h: a serialized ConvertClipsResponse, and the
// conversion of a clip.
struct FrameBody;
struct ClipWork;

// A message that waits to be written: a part of the answer to a clip.
struct ResponseFrame {
  std::shared_ptr<const FrameBody> body;
  // Bytes of the message, and of the output in it.
  int64_t bytes = 0;
  int64_t data_bytes = 0;
  // Bytes that are drawn from the ticket of the clip until the frame is
  // written.
  int64_t drawn_bytes = 0;
};

// One clip. The mutex of its stream guards it. While a worker runs the clip,
// `chunk`, `work` and `queued` belong to the worker, and key, options,
// encoding, reports_early, queued_at, has_ended and refused do not change.
struct StreamClip {
  using Clock = std::chrono::steady_clock;

  // The key that the peer sent, or an excerpt of it if it is too long.
  std::string key;
  // The options of the clip, or those of the stream. Never null.
  OptionsPtr options;
  Encoding encoding = Encoding::kIdentity;
  // Issues are sent as they are found.
  bool reports_early = false;
  Ticket ticket;
  // Set if the clip was refused: its result. Later bytes of the clip are
  // dropped.
  std::optional<ConvertResult> refused;
  // Bytes of the source that came before the clip was refused.
  int64_t bytes = 0;
  // The bytes that no worker has read yet. `chunk_bytes` are counted until
  // UsedChunk. No other bytes of the clip are taken meanwhile.
  std::string chunk;
  int64_t chunk_bytes = 0;
  // The times when the clip began, when its first bytes came and when its
  // result was made; and the time for which it waited for a worker.
  Clock::time_point begun_at;
  std::optional<Clock::time_point> queued_at;
  Clock::time_point made_at;
  std::chrono::nanoseconds queued{};
  std::shared_ptr<ClipWork> work;
  // Frames that wait to be written. `outgoing_bytes` are their bytes and those
  // of the frame that is being written.
  std::deque<ResponseFrame> outgoing;
  int64_t outgoing_bytes = 0;
  // The key is in use by this clip: no other unfinished clip may have it.
  bool owns_key = false;
  // All of the source has come.
  bool has_ended = false;
  // A worker runs the clip, or is going to.
  bool is_running = false;
  bool has_result = false;
  bool is_abandoned = false;
};

using ClipPtr = std::shared_ptr<StreamClip>;

// The parts of the server that a stream uses. All parts must outlive the
// stream.
struct SessionParts {
  const ServerConfig& config;
  Admission& admission;
  StreamMemory& memory;
  ClipObserver& observer;
  const Log& log;
  StreamClip::Clock::time_point (*now)() = &StreamClip::Clock::now;
};

// See the top of the file. Not thread-safe: the mutex of the stream guards it.
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
  // of its serialized bytes outside of text fields (see ReadMessage); once
  // parsed, they can use many times that memory. After an error the stream must
  // end. Requires that has_chunk() is false.
  absl::Status Take(v1::ConvertClipsRequest* message, int64_t beside);
  // True between the begin and the end of a clip.
  bool is_within_clip() const { return incoming_ != nullptr; }
  // True if no worker has read the last chunk of that clip yet.
  bool has_chunk() const {
    return incoming_ != nullptr && incoming_->chunk_bytes > 0;
  }
  // Counts `bytes` of a message that waits for its Take: in `ticket` while that
  // lives, and as bytes of the stream until DropWaiting.
  void HoldWaiting(int64_t bytes, Ticket* ticket);
  void DropWaiting(int64_t bytes) { AddIncoming(-bytes); }
  bool empty() const { return clips_.empty(); }
  size_t size() const { return clips_.size(); }

  // True if the stream may read its next message: a worker is reading, or has
  // read, the last chunk; unfinished clips are below their limit; and so are
  // the bytes that wait in this stream and in all streams together. A stream
  // that holds no bytes does not wait for other streams.
  bool WindowIsOpen() const;
  // True if `clip` must wait because too many bytes of outputs wait to be
  // written: those of the stream or, for the first clip, only its own. If all
  // streams together hold too much, one byte is too many.
  bool MustPause(const StreamClip& clip) const;
  // Appends the clips that workers must run now, and marks them as running.
  // Requires that `runnable` has capacity for size() clips.
  void TakeRunnable(std::vector<ClipPtr>* runnable);

  // The chunk of `clip` was read or dropped: stops counting its bytes.
  void UsedChunk(StreamClip* clip);
  // Adds a frame of `clip` to those that wait to be written.
  void AddFrame(StreamClip* clip, ResponseFrame frame);
  // Refuses `clip`, which no worker runs: drops its conversion, bytes and
  // frames. Its result is `status`, sent when the whole clip has come.
  void Refuse(StreamClip* clip, const absl::Status& status);
  // The conversion of the clip that was refused last, for the caller to free;
  // null if there is none.
  std::shared_ptr<ClipWork> TakeDropped() { return std::move(dropped_); }

  // Moves the next frame to write into `frame` and returns its clip; null if no
  // frame may be written. Sets `more_follows` if another frame of the clip
  // waits. The caller must report Written.
  ClipPtr PickWrite(ResponseFrame* frame, bool* more_follows);
  // `frame` of `clip` was written. Removes a clip whose result was written.
  void Written(const ClipPtr& clip, const ResponseFrame& frame);

  // Abandons all clips: no new work or write begins on them. Work and writes
  // that have begun may still end, and count until then.
  void AbandonAll();
  // Drops everything. Workers may still own clips.
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
  std::shared_ptr<const Caller> caller_ = AnonymousCaller();
  std::string peer_;
  bool saw_message_ = false;
  // The options of clips without options of their own: first those for BVH,
  // then a copy for each other format that came. Not null after the first
  // message.
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
  // Bytes that came and that no worker has read, and bytes that wait to be
  // written.
  int64_t incoming_bytes_ = 0;
  int64_t outgoing_bytes_ = 0;
};

}  // namespace bvhmill::server
