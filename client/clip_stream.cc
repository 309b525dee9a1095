#include "client/clip_stream.h"

#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/utf8.h"
#include "client/answer.h"
#include "client/call.h"

namespace bvhmill::client {
namespace {

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;

// Writes the frames of one clip from the reactions of gRPC, while the thread
// that owns it takes the responses. Of the two response messages, one is being
// read while the other is looked at.
class ClipStream final : public grpc::ClientBidiReactor<Request, Response> {
 public:
  ClipStream(const StreamedClip& clip, grpc::ClientContext* context)
      : clip_(clip), context_(*context) {}

  void Start(v1::ClipService::Stub* stub) {
    stub->async()->ConvertClips(&context_, this);
    // Reads are started from outside of reactions.
    AddHold();
    StartRead(&responses_[0]);
    WriteBegin();
    StartCall();
  }

  // The next response, valid until the next call; null behind the last one.
  const Response* Next(const CancelToken* cancel) {
    std::unique_lock lock(mutex_);
    WaitOrCancel(&lock, &changed_, cancel, &context_,
                 [this] { return read_done_; });
    if (!read_ok_) return nullptr;
    read_done_ = false;
    const Response* response = &responses_[reading_];
    reading_ = 1 - reading_;
    lock.unlock();
    StartRead(&responses_[reading_]);
    return response;
  }

  // Reads what is left, if anything, and waits for the end of the call.
  void Finish(const CancelToken* cancel) {
    while (Next(cancel) != nullptr) {
    }
    RemoveHold();
    std::unique_lock lock(mutex_);
    WaitOrCancel(&lock, &changed_, cancel, &context_,
                 [this] { return status_.has_value(); });
  }

  // Of the call, once it is finished.
  const grpc::Status& status() const { return *status_; }

  void OnReadDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    read_done_ = true;
    read_ok_ = ok;
    changed_.notify_all();
  }

  // True once the last frame is on its way.
  bool sent_all() const { return written_last_; }

  // A failed write means that the call is over; its status says why.
  void OnWriteDone(bool ok) override {
    if (!ok || written_last_) return;
    // gRPC would ignore it.
    try {
      WriteNext();
    } catch (const std::bad_alloc&) {
      context_.TryCancel();
    }
  }

  void OnDone(const grpc::Status& status) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    changed_.notify_all();
  }

 private:
  void WriteBegin() {
    v1::ClipBegin* begin = request_.mutable_begin();
    begin->set_key("1");
    begin->mutable_source()->set_display_name(ToUtf8(clip_.name));
    begin->mutable_source()->set_encoding(clip_.data.encoding);
    *begin->mutable_options() = *clip_.options;
    if (clip_.data.bytes.size() <= clip_.chunk_bytes) {
      begin->mutable_source()->set_data(clip_.data.bytes.data(),
                                        clip_.data.bytes.size());
      begin->set_complete(true);
      const auto bytes = static_cast<int64_t>(request_.ByteSizeLong());
      if (!Exceeds(bytes, clip_.max_message_bytes)) return WriteLast();
      begin->mutable_source()->clear_data();
      begin->set_complete(false);
    }
    WriteMore();
  }

  void WriteNext() {
    if (sent_ == clip_.data.bytes.size()) {
      request_.mutable_end();
      return WriteLast();
    }
    const size_t size =
        std::min(clip_.chunk_bytes, clip_.data.bytes.size() - sent_);
    request_.set_chunk(clip_.data.bytes.data() + sent_, size);
    sent_ += size;
    WriteMore();
  }

  // The hint lets the transport put messages together, since more will come.
  void WriteMore() {
    StartWrite(&request_, grpc::WriteOptions().set_buffer_hint());
  }

  void WriteLast() {
    written_last_ = true;
    StartWriteLast(&request_, grpc::WriteOptions());
  }

  const StreamedClip& clip_;
  grpc::ClientContext& context_;
  // Of the writing reactions, which never run at the same time.
  Request request_;
  size_t sent_ = 0;
  std::atomic<bool> written_last_ = false;
  // Of the reading thread and its reaction.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Response, 2> responses_;
  size_t reading_ = 0;
  bool read_done_ = false;
  bool read_ok_ = false;
  std::optional<grpc::Status> status_;
};

absl::Status TakeResponse(const Response& response, Answer* answer) {
  switch (response.frame_case()) {
    case Response::kBegin:
      return answer->Begin(response.begin().info(), response.begin().outputs());
    case Response::kOutputChunk: {
      const v1::OutputChunk& chunk = response.output_chunk();
      return answer->Data(chunk.output(), chunk.offset(), chunk.data());
    }
    case Response::kResult:
      return answer->End(response.result());
    case Response::FRAME_NOT_SET:
      break;
  }
  // A frame of a newer server.
  return absl::OkStatus();
}

}  // namespace

ConvertResult ConvertByStream(v1::ClipService::Stub* stub,
                              grpc::ClientContext* context,
                              const StreamedClip& clip,
                              const CancelToken* cancel) {
  Answer answer(clip.options->outputs_size(), clip.receiver);
  ClipStream stream(clip, context);
  stream.Start(stub);
  // gRPC must be done with it, also when an exception ends this.
  absl::Cleanup finish = [&] {
    context->TryCancel();
    stream.Finish(nullptr);
  };
  absl::Status fault;
  while (fault.ok() && !answer.ended()) {
    const Response* response = stream.Next(cancel);
    if (response == nullptr) break;
    fault = TakeResponse(*response, &answer);
  }
  // A server may refuse a clip half-way; the rest of it is not sent then.
  if (!fault.ok() || !stream.sent_all()) context->TryCancel();
  std::move(finish).Cancel();
  stream.Finish(cancel);
  if (!fault.ok()) return FailedResult(fault);
  if (answer.ended()) return answer.TakeResult();
  if (IsCancelled(cancel)) return CancelledResult();
  return ResultOf(stream.status().ok() ? EndedEarly() : stream.status());
}

}  // namespace bvhmill::client
