#include "client/cpp/clip_calls.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/pipeline/discarding_receiver.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/source.h"
#include "client/cpp/call.h"
#include "client/cpp/clip_stream.h"
#include "client/cpp/response.h"

namespace bvhmill::client {
namespace {

// Text up to this size is worth a message of its own.
constexpr size_t kMaxUnaryText = size_t{1} << 20;
// Bytes of text that a byte of a packed clip usually stands for.
constexpr size_t kUsualPacking = 4;
// For a server that recommends no chunk size.
constexpr int64_t kDefaultChunkBytes = 256 << 10;
// The largest chunk that is sent: a server may recommend larger ones, which
// gain nothing.
constexpr int64_t kMaxChunkBytes = int64_t{16} << 20;
// More than the fields around a chunk take.
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

// The whole result of a unary call, outputs to the receiver.
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

// An output is about as large as the text it is made from, so more than fit an
// answer are not even tried.
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

// As recommended, but so that a chunk and its frame fit a message.
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
  // A server may say so, too, before the deadline.
  const bool is_silent =
      status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED &&
      context.deadline() <= std::chrono::system_clock::now();
  return is_silent ? FailedResult(SilentServer(answer_timeout_))
                   : ResultOf(status);
}

ConvertResult ClipCalls::Validate(std::string_view name, const ClipData& clip,
                                  const v1::ConvertOptions& options,
                                  const CancelToken* cancel) const {
  // A stream hands the outputs over, and fails where they cannot be made.
  const auto by_stream = [&] {
    DiscardingReceiver nobody;
    ConvertResult result = Stream(name, clip, options, &nobody, cancel);
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
