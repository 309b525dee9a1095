#include "client/cpp/clip_calls.h"

#include <google/protobuf/arena.h>
#include <grpcpp/support/client_callback.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/report.pb.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"
#include "client/cpp/call.h"

namespace bvhmill::client {
namespace {

// The id of an output, by the rules of the server.
std::string IdOf(const v1::OutputRequest& request) {
  if (!request.id().empty()) return request.id();
  const auto* format = request.GetReflection()->GetOneofFieldDescriptor(
      request, request.GetDescriptor()->FindOneofByName("format"));
  return format == nullptr ? "" : format->name();
}

// True if the sizes of `tensor` make `bytes` bytes.
bool IsOfBytes(const TensorInfo& tensor, int64_t bytes) {
  int64_t left = bytes / static_cast<int64_t>(sizeof(float));
  if (bytes % static_cast<int64_t>(sizeof(float)) != 0) return false;
  const bool is_empty = std::find(tensor.shape.begin(), tensor.shape.end(),
                                  0) != tensor.shape.end();
  for (const int64_t size : tensor.shape) {
    if (size < 0) return false;
    if (is_empty) continue;
    if (left % size != 0) return false;
    left /= size;
  }
  return is_empty ? bytes == 0 : left == 1;
}

// The text as one line that is safe to show on a terminal.
std::string SafeText(const std::string& text) {
  return Excerpt(text, text.size());
}

void MakePrintable(std::string* text) { *text = SafeText(*text); }

absl::Status WithPrintableTexts(const absl::Status& status) {
  if (status.ok()) return status;
  CallError error = CallErrorOf(status);
  MakePrintable(&error.field);
  MakePrintable(&error.message);
  for (auto& [name, value] : error.args) {
    MakePrintable(&name);
    MakePrintable(&value);
  }
  return MakeCallError(std::move(error));
}

void MakePrintable(Issue* issue) {
  MakePrintable(&issue->code);
  MakePrintable(&issue->message);
}

void MakePrintable(ClipInfo* info) {
  const auto is_odd = [](const JointInfo& joint) {
    return SafeText(joint.channels) != joint.channels;
  };
  if (std::none_of(info->joints.begin(), info->joints.end(), is_odd)) return;
  std::vector<JointInfo> joints(info->joints.begin(), info->joints.end());
  for (JointInfo& joint : joints) MakePrintable(&joint.channels);
  info->joints = JointList(std::move(joints));
}

}  // namespace

Answer::Answer(
    const google::protobuf::RepeatedPtrField<v1::OutputRequest>& outputs,
    int64_t max_output_bytes, OutputReceiver* receiver)
    : max_output_bytes_(max_output_bytes), receiver_(receiver) {
  for (const v1::OutputRequest& output : outputs) ids_.push_back(IdOf(output));
}

absl::Status Answer::CheckOutputs(std::span<const OutputInfo> outputs) const {
  if (outputs.size() != ids_.size()) {
    return BrokenAnswer(std::to_string(outputs.size()) +
                        " outputs, asked for " + std::to_string(ids_.size()));
  }
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (outputs[i].id != ids_[i]) {
      return BrokenAnswer("output " + std::to_string(i) + " is " +
                          Quote(outputs[i].id) + ", not " + Quote(ids_[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status Answer::Begin(
    const v1::ClipInfo& info,
    const google::protobuf::RepeatedPtrField<v1::Output>& outputs) {
  if (begun_) return BrokenAnswer("the clip begins twice");
  std::vector<OutputInfo> infos;
  infos.reserve(static_cast<size_t>(outputs.size()));
  for (const v1::Output& output : outputs) {
    infos.push_back(wire::FromProto(output));
  }
  BVHMILL_RETURN_IF_ERROR(CheckOutputs(infos));
  begun_ = true;
  received_.assign(ids_.size(), 0);
  if (ids_.empty()) return absl::OkStatus();
  return receiver_->Begin(wire::FromProto(info), infos);
}

absl::Status Answer::Data(int output, int64_t offset, std::string_view bytes) {
  if (!begun_) return BrokenAnswer("bytes before the begin of the clip");
  if (output < 0 || static_cast<size_t>(output) >= ids_.size()) {
    return BrokenAnswer("bytes of output " + std::to_string(output));
  }
  const auto index = static_cast<size_t>(output);
  if (offset != received_[index]) {
    return BrokenAnswer("a gap between its bytes");
  }
  received_[index] += static_cast<int64_t>(bytes.size());
  received_in_all_ += static_cast<int64_t>(bytes.size());
  if (Exceeds(received_in_all_, max_output_bytes_)) {
    return BrokenAnswer("more bytes than its max_output_bytes");
  }
  return receiver_->Data(index, bytes);
}

absl::Status Answer::End(const v1::ClipResult& result) {
  result_ = ResultFromServer(result);
  if (result_.status.ok()) {
    if (!result.has_report()) return BrokenAnswer("a result without a report");
    BVHMILL_RETURN_IF_ERROR(CheckSizes());
  }
  ended_ = true;
  return absl::OkStatus();
}

absl::Status Answer::CheckSizes() const {
  if (!begun_ && !ids_.empty()) return BrokenAnswer("a result without outputs");
  BVHMILL_RETURN_IF_ERROR(CheckOutputs(result_.outputs));
  for (size_t i = 0; i < received_.size(); ++i) {
    const OutputInfo& output = result_.outputs[i];
    if (output.size_bytes != received_[i]) {
      return BrokenAnswer("an output has " + std::to_string(received_[i]) +
                          " bytes, not " + std::to_string(output.size_bytes));
    }
    if (output.tensor && !IsOfBytes(*output.tensor, received_[i])) {
      return BrokenAnswer("the shape of an array is not that of its bytes");
    }
  }
  return absl::OkStatus();
}

ConvertResult ResultFromServer(const v1::ClipResult& message) {
  ConvertResult result = wire::FromProto(message);
  result.status = WithPrintableTexts(result.status);
  for (OutputInfo& output : result.outputs) {
    output.status = WithPrintableTexts(output.status);
  }
  for (Issue& issue : result.report.issues) MakePrintable(&issue);
  MakePrintable(&result.info);
  return result;
}

ConvertResult FailedResult(const absl::Status& status) {
  ConvertResult result;
  result.status = status;
  return result;
}

ConvertResult CancelledResult() {
  return FailedResult(
      MakeStatus(absl::StatusCode::kCancelled, "the call was cancelled"));
}

ConvertResult ResultOf(const grpc::Status& status) {
  ConvertResult result;
  result.status = WithPrintableTexts(
      wire::FromDetails(static_cast<absl::StatusCode>(status.error_code()),
                        status.error_message(), status.error_details()));
  return result;
}

std::chrono::milliseconds RetryDelayOf(const ConvertResult& result) {
  if (!absl::IsResourceExhausted(result.status)) return {};
  const CallError error = CallErrorOf(result.status);
  const std::string_view value = FindArg(error, "retry_after_ms");
  int64_t delay = 0;
  std::from_chars(value.data(), value.data() + value.size(), delay);
  return std::chrono::milliseconds(std::clamp<int64_t>(delay, 0, 60'000));
}

absl::Status BrokenAnswer(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInternal,
                    "the server's answer is broken: " + std::string(what));
}

absl::Status SilentServer(std::chrono::milliseconds time) {
  return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                    "the server has been silent for more than " +
                        std::to_string(time.count()) + " ms");
}

namespace {

// One clip over the stream ConvertClips.

// As ResultFromServer, for issues that come before the result.
std::vector<Issue> IssuesFromServer(
    const google::protobuf::RepeatedPtrField<v1::Issue>& messages) {
  std::vector<Issue> issues;
  for (const v1::Issue& message : messages) {
    issues.push_back(wire::FromProto(message));
    MakePrintable(&issues.back());
  }
  return issues;
}

// A clip to send. Objects are borrowed.
struct StreamedClip {
  std::string_view name;
  ClipData data;
  const v1::ConvertOptions* options = nullptr;
  // Largest number of bytes of data in a message; at least 1.
  size_t chunk_bytes = 0;
  // Largest size of a message in bytes; 0: no limit.
  int64_t max_message_bytes = 0;
  // Largest size of all outputs in bytes; 0: no limit.
  int64_t max_output_bytes = 0;
  // Largest number of issues that come early; 0: no limit.
  int64_t max_issues = 0;
  // The call fails if the server sends and receives nothing for this time; 0:
  // no limit.
  std::chrono::milliseconds answer_timeout{};
  // May be null if no outputs are requested.
  OutputReceiver* receiver = nullptr;
};

using Request = v1::ConvertClipsRequest;
using Response = v1::ConvertClipsResponse;
using Clock = std::chrono::steady_clock;

// The only clip of its stream.
constexpr char kKey[] = "1";
// The timeout for the end of a stream after its last message, unless
// answer_timeout is shorter.
constexpr std::chrono::milliseconds kEndTime{5000};
// The most messages of kinds that only newer servers know.
constexpr int kMaxUnknownMessages = 1000;

// Writes the frames of one clip from the reactions of gRPC, while the thread
// that owns the object processes the responses. Of the two response messages,
// gRPC reads into one while the thread processes the other.
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

  // Waits for the end of the call. Cancels it if the server sends more messages
  // or does not end it in time.
  void Finish(const CancelToken* cancel) {
    const auto timeout = clip_.answer_timeout.count() > 0
                             ? std::min(clip_.answer_timeout, kEndTime)
                             : kEndTime;
    const Clock::time_point latest = Clock::now() + timeout;
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

  // True once the last frame is passed to gRPC.
  bool sent_all() const { return written_last_; }

  // A failed write means that the call is over; its status says why.
  void OnWriteDone(bool ok) override {
    {
      const std::lock_guard lock(mutex_);
      last_sign_ = Clock::now();
    }
    if (!ok || written_last_) return;
    // gRPC would ignore an exception.
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
  // A server could send empty chunks without end.
  if (chunk.data().empty()) return BrokenAnswer("a chunk without bytes");
  return answer->Data(chunk.output_index(), chunk.offset(), chunk.data());
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

// Sends the clip and receives the answers at the same time, so that neither
// side waits for the other to read. Returns the result of the server, or the
// error of the call, the error of the receiver, CANCELLED, DEADLINE_EXCEEDED if
// the server is silent, or INTERNAL if the answers break the protocol. Borrowed
// objects must live until it returns. The receiver is called from this thread.
ConvertResult ConvertByStream(v1::ClipService::Stub* stub,
                              grpc::ClientContext* context,
                              const StreamedClip& clip,
                              const CancelToken* cancel) {
  Answer answer(clip.options->outputs(), clip.max_output_bytes, clip.receiver);
  ClipStream stream(clip, context);
  stream.Start(stub);
  // gRPC must release `stream` before it dies, also after an exception.
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
  // If the server refuses a clip early, the rest of it is not sent.
  if (!fault.ok() || !stream.sent_all()) context->TryCancel();
  std::move(finish).Cancel();
  stream.Finish(cancel);
  if (!fault.ok()) return FailedResult(fault);
  if (answer.ended()) return answer.TakeResult();
  return WithoutResult(stream, clip, cancel);
}

// The choice between a unary call and a stream.

// The largest text for a unary call.
constexpr size_t kMaxUnaryText = size_t{1} << 20;
// The usual ratio of compression.
constexpr size_t kUsualPacking = 4;
// For a server that recommends no chunk size.
constexpr int64_t kDefaultChunkBytes = 256 << 10;
// The largest chunk. Larger ones, which a server may recommend, are not faster.
constexpr int64_t kMaxChunkBytes = int64_t{16} << 20;
// More bytes than the fields around a chunk have.
constexpr int64_t kChunkFrameBytes = 64;

// A request of either unary call.
template <typename Request>
Request MakeRequest(std::string_view name, const ClipData& clip,
                    const v1::ConvertOptions& options) {
  Request request;
  request.mutable_source()->set_display_name(ToUtf8(name));
  request.mutable_source()->set_data(clip.bytes.data(), clip.bytes.size());
  request.mutable_source()->set_encoding(clip.encoding);
  request.mutable_source()->set_format(wire::ToProto(clip.format));
  *request.mutable_options() = options;
  return request;
}

// Checks the result of a unary call and passes its outputs to the receiver.
ConvertResult TakeWhole(const v1::ClipResult& result,
                        const v1::ConvertOptions& options,
                        int64_t max_output_bytes, OutputReceiver* receiver) {
  // A refused clip has a report and no outputs.
  if (result.status().code() != 0) return ResultFromServer(result);
  Answer answer(options.outputs(), max_output_bytes, receiver);
  absl::Status fault = answer.Begin(result.info(), result.outputs());
  for (int i = 0; fault.ok() && i < result.outputs_size(); ++i) {
    fault = answer.Data(i, 0, result.outputs(i).data());
  }
  if (fault.ok()) fault = answer.End(result);
  return fault.ok() ? answer.TakeResult() : FailedResult(fault);
}

// Issues that a report may list; 0: no limit.
int64_t MaxIssues(const v1::ConvertOptions& options, const v1::Limits& limits) {
  const int64_t asked = options.validation().max_issues();
  const int64_t most = limits.max_issues_per_report();
  return asked <= 0 || Exceeds(asked, most) ? most : asked;
}

}  // namespace

void Prepare(const Line& line, grpc::ClientContext* context) {
  if (line.authorization.empty()) return;
  context->AddMetadata("authorization", line.authorization);
}

// Assumes that an output is about as large as its text. If the outputs do not
// fit the answer, a stream is used at once.
bool ClipCalls::FitsUnary(const ClipData& clip, int outputs) const {
  if (clip.on_issues) return false;
  const bool is_packed = clip.encoding != v1::CONTENT_ENCODING_IDENTITY;
  const size_t text = clip.bytes.size() * (is_packed ? kUsualPacking : 1);
  return text <= kMaxUnaryText && !Exceeds(static_cast<int64_t>(text) * outputs,
                                           limits_.max_unary_response_bytes());
}

bool ClipCalls::FitsMessage(size_t bytes) const {
  return !Exceeds(static_cast<int64_t>(bytes),
                  limits_.max_request_message_bytes());
}

// The size that the server recommends, bounded so that a chunk and its frame
// fit a message.
size_t ClipCalls::ChunkBytes() const {
  int64_t chunk = limits_.recommended_chunk_bytes();
  if (chunk <= 0) chunk = kDefaultChunkBytes;
  chunk = std::min(chunk, kMaxChunkBytes);
  const int64_t most = limits_.max_request_message_bytes();
  if (most > 0) chunk = std::min(chunk, most - kChunkFrameBytes);
  return static_cast<size_t>(std::max<int64_t>(chunk, 1));
}

void ClipCalls::PrepareUnary(grpc::ClientContext* context) const {
  Prepare(line_, context);
  if (answer_timeout_.count() <= 0) return;
  context->set_deadline(std::chrono::system_clock::now() + answer_timeout_);
}

ConvertResult ClipCalls::FailureOf(const grpc::Status& status,
                                   const grpc::ClientContext& context) const {
  // A server may also return this code before the deadline.
  const bool is_silent =
      status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED &&
      context.deadline() <= std::chrono::system_clock::now();
  return is_silent ? FailedResult(SilentServer(answer_timeout_))
                   : ResultOf(status);
}

ConvertResult ClipCalls::Validate(std::string_view name, const ClipData& clip,
                                  const v1::ConvertOptions& options,
                                  const CancelToken* cancel) const {
  // A stream makes the outputs, and fails if they cannot be made.
  const auto by_stream = [&] {
    DiscardingReceiver dropped;
    ConvertResult result = Stream(name, clip, options, &dropped, cancel);
    result.outputs.clear();
    // A check makes no outputs: values that an output cannot hold are no fault.
    if (absl::IsFailedPrecondition(result.status) &&
        result.report.counts.errors > 0) {
      result.status = absl::OkStatus();
    }
    return result;
  };
  if (!FitsUnary(clip, 0)) return by_stream();
  const auto request =
      MakeRequest<v1::ValidateClipRequest>(name, clip, options);
  if (!FitsMessage(request.ByteSizeLong())) return by_stream();
  grpc::ClientContext context;
  PrepareUnary(&context);
  google::protobuf::Arena arena;
  auto* const response =
      google::protobuf::Arena::CreateMessage<v1::ValidateClipResponse>(&arena);
  const grpc::Status status =
      AwaitUnary(line_.channel, "/bvhmill.v1.ClipService/ValidateClip",
                 &context, cancel, request, response);
  if (IsCancelled(cancel)) return CancelledResult();
  // The only cause of it: the answer does not fit one message.
  if (status.error_code() == grpc::StatusCode::OUT_OF_RANGE) return by_stream();
  if (!status.ok()) return FailureOf(status, context);
  if (response->result().status().code() == 0 &&
      !response->result().has_report()) {
    return FailedResult(BrokenAnswer("a result without a report"));
  }
  ConvertResult result = ResultFromServer(response->result());
  // Without outputs, by the protocol.
  result.outputs.clear();
  return result;
}

ConvertResult ClipCalls::Convert(std::string_view name, const ClipData& clip,
                                 const v1::ConvertOptions& options,
                                 OutputReceiver* receiver,
                                 const CancelToken* cancel) const {
  const int outputs = options.outputs_size();
  if (!FitsUnary(clip, outputs)) {
    return Stream(name, clip, options, receiver, cancel);
  }
  const auto request = MakeRequest<v1::ConvertClipRequest>(name, clip, options);
  if (!FitsMessage(request.ByteSizeLong())) {
    return Stream(name, clip, options, receiver, cancel);
  }
  grpc::ClientContext context;
  PrepareUnary(&context);
  google::protobuf::Arena arena;
  auto* const response =
      google::protobuf::Arena::CreateMessage<v1::ConvertClipResponse>(&arena);
  const grpc::Status status =
      AwaitUnary(line_.channel, "/bvhmill.v1.ClipService/ConvertClip", &context,
                 cancel, request, response);
  if (IsCancelled(cancel)) return CancelledResult();
  if (status.ok()) {
    return TakeWhole(response->result(), options, limits_.max_output_bytes(),
                     receiver);
  }
  // The only cause of it: the outputs do not fit one message.
  if (status.error_code() == grpc::StatusCode::OUT_OF_RANGE) {
    return Stream(name, clip, options, receiver, cancel);
  }
  return FailureOf(status, context);
}

ConvertResult ClipCalls::Stream(std::string_view name, const ClipData& clip,
                                const v1::ConvertOptions& options,
                                OutputReceiver* receiver,
                                const CancelToken* cancel) const {
  grpc::ClientContext context;
  Prepare(line_, &context);
  StreamedClip streamed;
  streamed.name = name;
  streamed.data = clip;
  streamed.options = &options;
  streamed.chunk_bytes = ChunkBytes();
  streamed.max_message_bytes = limits_.max_request_message_bytes();
  streamed.max_output_bytes = limits_.max_output_bytes();
  streamed.max_issues = MaxIssues(options, limits_);
  streamed.answer_timeout = answer_timeout_;
  streamed.receiver = receiver;
  return ConvertByStream(clips_.get(), &context, streamed, cancel);
}

}  // namespace bvhmill::client
