#include "client/cpp/clip_stream.h"

#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/wire/source.h"
#include "client/cpp/call.h"
#include "client/cpp/response.h"

namespace bvhmill::client {
namespace {

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;
using Clock = std::chrono::steady_clock;

// The only clip of its stream.
constexpr char kKey[] = "1";
// How long a server may take to end a stream on which nothing is left to say,
// if it may be silent for so long.
constexpr std::chrono::milliseconds kEndTime{5000};
// Messages of kinds that only newer servers know.
constexpr int kMaxUnknownMessages = 1000;

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
    clip_.data.on_issues ? WriteOpen() : WriteBegin();
    StartCall();
  }

  // The next response, valid until the next call; null after the last one, or
  // if the server is silent.
  const Response* Next(const CancelToken* cancel) {
    return NextUnless(cancel, [this] {
      is_silent_ = clip_.answer_timeout.count() > 0 &&
                   Clock::now() - last_sign_ > clip_.answer_timeout;
      return is_silent_;
    });
  }

  // Waits for the end of the call. A server that has more to say, or does not
  // end it, is not heard any more.
  void Finish(const CancelToken* cancel) {
    const auto patience = clip_.answer_timeout.count() > 0
                              ? std::min(clip_.answer_timeout, kEndTime)
                              : kEndTime;
    const Clock::time_point latest = Clock::now() + patience;
    const auto gives_up = [latest] { return Clock::now() > latest; };
    while (NextUnless(cancel, gives_up) != nullptr) context_.TryCancel();
    RemoveHold();
    std::unique_lock lock(mutex_);
    was_cut_off_ = WaitOrCancel(
        &lock, &changed_, cancel, &context_,
        [this] { return status_.has_value(); }, gives_up);
  }

  // The status of the call, once it is finished.
  const grpc::Status& status() const { return *status_; }
  // The server was silent for too long.
  bool is_silent() const { return is_silent_; }
  // No more could be read, though the server had not ended the call.
  bool was_cut_off() const { return was_cut_off_; }

  void OnReadDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    read_done_ = true;
    read_ok_ = ok;
    last_sign_ = Clock::now();
    changed_.notify_all();
  }

  // True once the last frame is on its way.
  bool sent_all() const { return written_last_; }

  // A failed write means that the call is over; its status says why.
  void OnWriteDone(bool ok) override {
    {
      const std::lock_guard lock(mutex_);
      last_sign_ = Clock::now();
    }
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
  template <typename GivesUp>
  const Response* NextUnless(const CancelToken* cancel, GivesUp gives_up) {
    std::unique_lock lock(mutex_);
    WaitOrCancel(
        &lock, &changed_, cancel, &context_, [this] { return read_done_; },
        gives_up);
    if (!read_ok_) return nullptr;
    read_done_ = false;
    const Response* response = &responses_[reading_];
    reading_ = 1 - reading_;
    lock.unlock();
    StartRead(&responses_[reading_]);
    return response;
  }

  void WriteOpen() {
    request_.mutable_open()->set_report_issues_early(true);
    WriteMore();
  }

  void WriteBegin() {
    has_begun_ = true;
    v1::ClipBegin* begin = request_.mutable_begin();
    begin->set_key(kKey);
    begin->mutable_source()->set_display_name(ToUtf8(clip_.name));
    begin->mutable_source()->set_encoding(clip_.data.encoding);
    begin->mutable_source()->set_format(wire::ToProto(clip_.data.format));
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
    if (!has_begun_) return WriteBegin();
    if (sent_ == clip_.data.bytes.size()) {
      request_.mutable_end();
      return WriteLast();
    }
    const size_t size =
        std::min(clip_.chunk_bytes, clip_.data.bytes.size() - sent_);
    request_.set_chunk(clip_.data.bytes.data() + sent_, size);
    sent_ += size;
    if (clip_.data.on_read) clip_.data.on_read(static_cast<int64_t>(sent_));
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
  // Used by the writing reactions, which never run at the same time.
  Request request_;
  bool has_begun_ = false;
  size_t sent_ = 0;
  std::atomic<bool> written_last_ = false;
  // Shared by the reading thread and its reaction.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Response, 2> responses_;
  size_t reading_ = 0;
  bool read_done_ = false;
  bool read_ok_ = false;
  // When the last message was read or written.
  Clock::time_point last_sign_ = Clock::now();
  std::optional<grpc::Status> status_;
  // Used by the reading thread only.
  bool is_silent_ = false;
  bool was_cut_off_ = false;
};

absl::Status CheckKey(const std::string& key) {
  if (key == kKey) return absl::OkStatus();
  return BrokenAnswer("a message about the clip " + Quote(key) +
                      ", which was not sent");
}

absl::Status TakeChunk(const v1::OutputChunk& chunk, Answer* answer) {
  BVHMILL_RETURN_IF_ERROR(CheckKey(chunk.key()));
  // One after the other, they would go on for ever.
  if (chunk.data().empty()) return BrokenAnswer("a chunk without bytes");
  return answer->Data(chunk.output(), chunk.offset(), chunk.data());
}

// Issues that the server has sent early, in total.
struct EarlyIssues {
  const StreamedClip& clip;
  int64_t count = 0;
};

absl::Status TakeIssues(const v1::IssuesFound& found, EarlyIssues* early) {
  BVHMILL_RETURN_IF_ERROR(CheckKey(found.key()));
  if (!early->clip.data.on_issues) {
    return BrokenAnswer("early issues, which were not asked for");
  }
  if (found.issues().empty()) return BrokenAnswer("no early issues");
  early->count += found.issues_size();
  if (Exceeds(early->count, early->clip.max_issues)) {
    return BrokenAnswer("more early issues than its max_issues_per_report");
  }
  early->clip.data.on_issues(IssuesFromServer(found.issues()));
  return absl::OkStatus();
}

absl::Status TakeResponse(const Response& response, Answer* answer,
                          EarlyIssues* early, int* unknown_messages) {
  switch (response.frame_case()) {
    case Response::kBegin:
      BVHMILL_RETURN_IF_ERROR(CheckKey(response.begin().key()));
      return answer->Begin(response.begin().info(), response.begin().outputs());
    case Response::kOutputChunk:
      return TakeChunk(response.output_chunk(), answer);
    case Response::kResult:
      BVHMILL_RETURN_IF_ERROR(CheckKey(response.result().key()));
      return answer->End(response.result());
    case Response::kIssuesFound:
      return TakeIssues(response.issues_found(), early);
    case Response::FRAME_NOT_SET:
      break;
  }
  if (++*unknown_messages > kMaxUnknownMessages) {
    return BrokenAnswer("too many messages of no known kind");
  }
  return absl::OkStatus();
}

// Why a stream that is finished has brought no result.
ConvertResult WithoutResult(const ClipStream& stream, const StreamedClip& clip,
                            const CancelToken* cancel) {
  if (IsCancelled(cancel)) return CancelledResult();
  if (stream.is_silent()) {
    return FailedResult(SilentServer(clip.answer_timeout));
  }
  if (stream.was_cut_off()) {
    return FailedResult(BrokenAnswer("a message that cannot be read"));
  }
  if (stream.status().ok()) {
    return FailedResult(BrokenAnswer("it ends without a result"));
  }
  return ResultOf(stream.status());
}

}  // namespace

ConvertResult ConvertByStream(v1::ClipService::Stub* stub,
                              grpc::ClientContext* context,
                              const StreamedClip& clip,
                              const CancelToken* cancel) {
  Answer answer(clip.options->outputs(), clip.max_output_bytes, clip.receiver);
  ClipStream stream(clip, context);
  stream.Start(stub);
  // gRPC must be done with it, also when an exception ends this.
  absl::Cleanup finish = [&] {
    context->TryCancel();
    stream.Finish(nullptr);
  };
  absl::Status fault;
  EarlyIssues early = {clip};
  int unknown_messages = 0;
  while (fault.ok() && !answer.ended()) {
    const Response* response = stream.Next(cancel);
    if (response == nullptr) break;
    fault = TakeResponse(*response, &answer, &early, &unknown_messages);
  }
  // A server may refuse a clip half-way; the rest of it is not sent then.
  if (!fault.ok() || !stream.sent_all()) context->TryCancel();
  std::move(finish).Cancel();
  stream.Finish(cancel);
  if (!fault.ok()) return FailedResult(fault);
  if (answer.ended()) return answer.TakeResult();
  return WithoutResult(stream, clip, cancel);
}

}  // namespace bvhmill::client
