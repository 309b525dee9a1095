#pragma once

// The unfinished clips of a stream, and the bytes that it holds.

#include <grpcpp/support/status.h>

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "bvhmill/v1/clip_service.pb.h"
#include "server/convert/stream_clip.h"
#include "server/rpc/call_record.h"
#include "server/rpc/service_context.h"

namespace bvhmill::server {

using ClipPtr = std::shared_ptr<StreamClip>;

// Not thread-safe: the mutex of the stream guards it.
class ClipQueue {
 public:
  // Both outlive it.
  ClipQueue(ServiceContext* context, CallRecord* record)
      : context_(*context), record_(*record) {}
  ~ClipQueue() { Clear(); }
  ClipQueue(const ClipQueue&) = delete;
  ClipQueue& operator=(const ClipQueue&) = delete;

  // Counts the stream among those that are open. RESOURCE_EXHAUSTED if the
  // caller, or the server, has too many.
  grpc::Status Enter();

  // The next frame from the peer, whose content it takes. `beside` are its
  // bytes that are not text: its lists take memory of many times that. A status
  // that is not OK is how the stream must end.
  grpc::Status Take(v1::ConvertClipsRequest* frame, int64_t beside);
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
  void Refuse(StreamClip* clip, const grpc::Status& status);

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
  grpc::Status HoldMessage(const v1::ConvertClipsRequest& frame, int64_t beside,
                           Ticket* message);
  grpc::Status Open(const v1::StreamOpen& open);
  grpc::Status Begin(v1::ClipBegin* begin, const grpc::Status& held);
  grpc::Status End(const v1::ClipEnd& end);
  grpc::Status Admit(const v1::ClipBegin& begin);
  grpc::Status ReadOptions(const v1::ConvertOptions& message,
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

  const ServerConfig& config() const { return context_.config(); }

  ServiceContext& context_;
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
