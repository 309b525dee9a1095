#pragma once

// The unfinished clips of a stream, and the bytes that it holds.

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/convert/stream_clip.h"
#include "server/limits/stream_memory.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_record.h"

namespace bvhmill::server {

using ClipPtr = std::shared_ptr<StreamClip>;

// Not thread-safe: the mutex of the stream guards it.
class ClipQueue {
 public:
  // Both outlive it.
  ClipQueue(const CallParts& parts, StreamMemory* memory, CallRecord* record)
      : parts_(parts), memory_(*memory), record_(*record) {}
  ~ClipQueue() { Clear(); }
  ClipQueue(const ClipQueue&) = delete;
  ClipQueue& operator=(const ClipQueue&) = delete;

  // Counts the stream among those that are open. RESOURCE_EXHAUSTED if the
  // caller, or the server, has too many.
  absl::Status Enter();

  // The next frame from the peer, whose content it takes. `beside` are its
  // bytes that are not text: its lists take memory of many times that. A status
  // that is not OK is how the stream must end.
  absl::Status Take(v1::ConvertClipsRequest* frame, int64_t beside);
  // Between a begin and its end.
  bool is_within_clip() const { return incoming_ != nullptr; }
  bool empty() const { return clips_.empty(); }
  size_t size() const { return clips_.size(); }

  // Reading stops while too much waits, here or in all streams together; a
  // stream that holds nothing may always go on.
  bool WindowIsOpen() const;
  // Too much of what was made waits to be written; in a crowd, anything.
  bool MustPause(const StreamClip& clip) const;
  // The rest of a clip that was worked on may be long in coming: what waits for
  // it must be sent.
  bool MustFlush(const StreamClip& clip) const;
  // Adds clips that a worker must now run; they count as running.
  void TakeRunnable(std::vector<ClipPtr>* runnable);

  // For the worker that runs `clip`: bytes that came, which count until they
  // are used up; a frame that was made.
  std::string TakeBytes(StreamClip* clip);
  void UsedBytes(StreamClip* clip);
  void AddFrame(StreamClip* clip, ResponseFrame frame);
  // The clip will get `status`, once all of it has come; its bytes and its
  // frames are dropped, and it is no longer in flight. A worker must run it to
  // drop its conversion.
  void Refuse(StreamClip* clip, const absl::Status& status);

  // The next frame to write, moved to `frame`, of the clip that is returned;
  // null if there is none.
  ClipPtr PickWrite(ResponseFrame* frame, bool* more_follows);
  // `frame` of `clip` was written. A clip whose result has gone is not kept.
  void Written(const ClipPtr& clip, const ResponseFrame& frame);

  // Gives up all clips: nothing of them is worked on or written any more, and
  // they hold nothing, but for what a worker or a write has in hand.
  void AbandonAll();
  // Drops everything. Workers may still hold clips.
  void Clear();

 private:
  absl::Status HoldMessage(const v1::ConvertClipsRequest& frame, int64_t beside,
                           Ticket* message);
  absl::Status Open(const v1::StreamOpen& open);
  absl::Status Begin(v1::ClipBegin* begin, const absl::Status& held);
  absl::Status End(const v1::ClipEnd& end);
  absl::Status Admit(const v1::ClipBegin& begin);
  absl::Status ReadOptions(const v1::ConvertOptions& message,
                           std::shared_ptr<const ConvertOptions>* options);
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

  const CallParts parts_;
  StreamMemory& memory_;
  CallRecord& record_;
  bool saw_frame_ = false;
  // Shared by the clips that bring no options of their own.
  std::shared_ptr<const ConvertOptions> default_options_;
  // Of the stream, and of the default options.
  Ticket ticket_;
  bool ordered_ = false;
  // The clip whose chunks are arriving.
  ClipPtr incoming_;
  // Begun and not finished, in that order.
  std::list<ClipPtr> clips_;
  std::unordered_set<std::string> keys_;
  // Bytes that came and are not used up; that wait to be written.
  int64_t incoming_bytes_ = 0;
  int64_t outgoing_bytes_ = 0;
};

}  // namespace bvhmill::server
