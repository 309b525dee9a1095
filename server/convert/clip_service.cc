#include "server/convert/clip_service.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/unknown_fields.h"
#include "server/codec/read_message.h"
#include "server/codec/response_bytes.h"
#include "server/convert/receivers.h"
#include "server/convert/source.h"
#include "server/convert/stream_reactor.h"
#include "server/rpc/errors.h"
#include "server/rpc/unary_call.h"

namespace bvhmill::server {
namespace {

// Short work has at most this many bytes of a request, and this many outputs.
constexpr int64_t kShortRequestBytes = int64_t{256} << 10;
constexpr int kShortOutputs = 4;
// Work that exceeds these is given up: a small text may claim many frames. A
// unit of work is about a nanosecond. No short text has more rows.
constexpr int64_t kShortWork = 10'000'000;
constexpr int64_t kShortFrames = kShortRequestBytes / 2;
// The issue of a clip with too many frames.
constexpr std::string_view kFramesLimit = "LIMIT_FRAMES";

// True if the work on a clip of this format grows with its bytes.
bool IsStreamed(v1::SourceFormat format) {
  const std::optional<SourceFormat> known = wire::FromProto(format);
  return known && InfoOf(*known).streams;
}

// True if the report would list too many frames. That issue tells that the work
// was given up.
bool ListsLimits(const v1::ValidationOptions& options) {
  const auto names = [](const std::string& word) {
    return NamesCode(word, kFramesLimit);
  };
  const auto& only = options.only();
  const auto& ignored = options.ignore();
  return std::none_of(ignored.begin(), ignored.end(), names) &&
         (only.empty() || std::any_of(only.begin(), only.end(), names));
}

// True if all outputs are of the least cost.
bool AreArrays(const v1::ConvertOptions& options) {
  return std::all_of(options.outputs().begin(), options.outputs().end(),
                     [](const v1::OutputRequest& output) {
                       const Format* const format = wire::FormatOf(output);
                       return format != nullptr &&
                              format->cost == FormatCost::kArrays;
                     });
}

// True if `result` failed because it exceeds the limit `name`.
bool ExceedsLimit(const ConvertResult& result, std::string_view name) {
  return absl::IsResourceExhausted(result.status) &&
         CallErrorOf(result.status).limit_name == name;
}

}  // namespace

bool IsShort(const v1::Source& source, const v1::ConvertOptions& options,
             int64_t request_bytes) {
  const bool is_plain = source.encoding() == v1::CONTENT_ENCODING_UNSPECIFIED ||
                        source.encoding() == v1::CONTENT_ENCODING_IDENTITY;
  return is_plain && source.blob().empty() &&
         ListsLimits(options.validation()) && IsStreamed(source.format()) &&
         !options.has_edits() && options.outputs_size() <= kShortOutputs &&
         request_bytes <= kShortRequestBytes && AreArrays(options);
}

void BoundWork(Limits* limits) {
  const auto bound = [](int64_t most, int64_t* limit) {
    *limit = *limit > 0 ? std::min(*limit, most) : most;
  };
  bound(kShortWork, &limits->max_clip_work);
  limits->max_clip_work_per_byte = 0;
  bound(kShortFrames, &limits->max_frames);
}

bool IsGivenUp(const ConvertResult& result) {
  const std::vector<Issue>& issues = result.report.issues;
  return ExceedsLimit(result, "max_clip_work") || result.report.truncated ||
         std::any_of(issues.begin(), issues.end(), [](const Issue& issue) {
           return issue.code == kFramesLimit;
         });
}

// The unary calls.

namespace {

absl::Status TooLargeForUnary(const ServerConfig& config) {
  const std::string limit =
      std::to_string(config.service.max_unary_response_bytes);
  return MakeCallError({.code = absl::StatusCode::kOutOfRange,
                        .reason = "RESPONSE_TOO_LARGE",
                        .limit_name = "max_unary_response_bytes",
                        .limit = config.service.max_unary_response_bytes,
                        .args = {{"use", "ConvertClips"}},
                        .message = "the response exceeds "
                                   "max_unary_response_bytes = " +
                                   limit + "; use ConvertClips"});
}

// True if the response exceeds the limit of a unary call or of any message.
bool IsTooLarge(const ServerConfig& config, const grpc::ByteBuffer& response) {
  constexpr int64_t kMaxOfProtobuf = std::numeric_limits<int32_t>::max();
  const auto bytes = static_cast<int64_t>(response.Length());
  return Exceeds(bytes, config.service.max_unary_response_bytes) ||
         bytes > kMaxOfProtobuf;
}

// Collects the outputs for the response. Draws their memory, and that of the
// conversion, from the ticket.
class UnaryReceiver final : public MeteredReceiver {
 public:
  explicit UnaryReceiver(Ticket* ticket)
      : MeteredReceiver(
            [ticket](int64_t bytes) { return ticket->Grow(bytes); }) {}

  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> outputs) override {
    for (const OutputInfo& output : outputs) {
      const int64_t bytes = output.tensor ? TensorBytes(*output.tensor) : 0;
      data_.emplace_back(static_cast<size_t>(std::max<int64_t>(bytes, 0)));
    }
    return absl::OkStatus();
  }

  absl::Status Data(size_t output, std::string_view bytes) override {
    const auto size = static_cast<int64_t>(bytes.size());
    total_ += size;
    BVHMILL_RETURN_IF_ERROR(Hold(size));
    data_[output].Append(bytes);
    return absl::OkStatus();
  }

  // Moves the bytes of each output out. total(): the number of all bytes.
  std::vector<OutputBytes> TakeData() { return std::move(data_); }
  int64_t total() const { return total_; }

 private:
  std::vector<OutputBytes> data_;
  int64_t total_ = 0;
};

// The clip of a request and its options.
struct RequestedClip {
  Encoding encoding = Encoding::kIdentity;
  // Points into the request, or to `stored`.
  std::string_view source;
  // The bytes of a source that was stored.
  std::string stored;
  ConvertOptions options;
};

// What the calls of the service use.
struct ClipParts {
  const ServerConfig& config;
  const ClipService::ReadBlob& read_blob;
};

// Sets the bytes of the source.
absl::Status ReadSource(const ClipParts& parts, const v1::Source& source,
                        const UnaryWork& call, RequestedClip* clip) {
  clip->source = source.data();
  if (!source.blob().empty()) {
    if (!source.data().empty()) {
      return InvalidField("source.blob", "is set beside source.data");
    }
    BVHMILL_RETURN_IF_ERROR(
        parts.read_blob(call, source.blob(), &clip->stored));
    clip->source = clip->stored;
  } else if (!call.is_again) {
    call.record.AddBytes(static_cast<int64_t>(source.data().size()), 0);
  }
  return CheckSource(parts.config.limits.max_clip_bytes, source.encoding(),
                     static_cast<int64_t>(clip->source.size()));
}

template <typename Request>
absl::Status ReadRequest(const ClipParts& parts, const Request& request,
                         const UnaryWork& call, RequestedClip* clip) {
  const ServerConfig& config = parts.config;
  const v1::Source& source = request.source();
  BVHMILL_RETURN_IF_ERROR(ReadSource(parts, source, call, clip));
  BVHMILL_RETURN_IF_ERROR(ReadEncoding(source.encoding(), &clip->encoding));
  BVHMILL_RETURN_IF_ERROR(
      ReadFormat(source.format(), &clip->options.source_format));
  absl::Status status =
      ReadClipOptions(config.limits, request.options(), &clip->options);
  if (call.gives_up != nullptr) BoundWork(&clip->options.limits);
  std::vector<std::string>* const unknown = &clip->options.unknown_fields;
  wire::AddOwnUnknownFields(request, "", unknown);
  wire::AddUnknownFields(source, "source", unknown);
  return status;
}

// Converts the clip, and adds it to the record of the call. An error ends the
// call without a result.
absl::Status ConvertFor(const ServerConfig& config, const UnaryWork& call,
                        const RequestedClip& clip, UnaryReceiver* receiver,
                        ConvertResult* result) {
  // The memory of the decoder.
  BVHMILL_RETURN_IF_ERROR(call.ticket.Grow(DecoderBytes(clip.encoding)));
  SourceConversion conversion(clip.options, clip.encoding,
                              config.limits.max_clip_bytes, receiver,
                              &call.cancel);
  conversion.Add(clip.source);
  *result = std::move(conversion.Finish());
  BVHMILL_RETURN_IF_ERROR(conversion.decode_error());
  if (call.gives_up != nullptr && IsGivenUp(*result)) {
    *call.gives_up = true;
    return result->status;
  }
  result->times.queued = call.queued;
  call.record.AddClip(*result);
  return receiver->refused();
}

// True if the call fails because the conversion did not end: the caller
// cancelled it, or the clip exceeds its budget. The result of a call that is OK
// contains all other faults of a clip.
bool FailsCall(const ConvertResult& result) {
  return absl::IsCancelled(result.status) ||
         ExceedsLimit(result, "max_clip_memory_bytes") ||
         ExceedsLimit(result, "max_clip_work");
}

// Writes the log lines of a result that the call returns.
void LogResult(const UnaryWork& call, const v1::Source& source,
               const ConvertResult& result) {
  // A worker does the work again.
  if (call.gives_up != nullptr && *call.gives_up) return;
  call.record.LogClip(source.display_name(), result);
}

absl::Status Validate(const ClipParts& parts,
                      const v1::ValidateClipRequest& request,
                      const UnaryWork& call, grpc::ByteBuffer* response) {
  RequestedClip clip;
  BVHMILL_RETURN_IF_ERROR(ReadRequest(parts, request, call, &clip));
  clip.options.checks_only = true;
  UnaryReceiver receiver(&call.ticket);
  ConvertResult result;
  BVHMILL_RETURN_IF_ERROR(
      ConvertFor(parts.config, call, clip, &receiver, &result));
  if (FailsCall(result)) return result.status;
  LogResult(call, request.source(), result);
  ToBytes(result, {}, response);
  return absl::OkStatus();
}

// Limits the outputs to what fits into the response. True if that is less than
// the limit on the outputs of any clip.
bool BoundOutputs(const ServerConfig& config, Limits* limits) {
  const int64_t limit = config.service.max_unary_response_bytes;
  const int64_t usual = limits->max_output_bytes;
  if (limit <= 0 || (usual > 0 && usual <= limit)) return false;
  limits->max_output_bytes = limit;
  return true;
}

absl::Status ConvertOne(const ClipParts& parts,
                        const v1::ConvertClipRequest& request,
                        const UnaryWork& call, grpc::ByteBuffer* response) {
  const ServerConfig& config = parts.config;
  RequestedClip clip;
  BVHMILL_RETURN_IF_ERROR(ReadRequest(parts, request, call, &clip));
  if (clip.options.outputs.empty()) {
    return InvalidField("options.outputs", "is empty");
  }
  const bool is_bounded = BoundOutputs(config, &clip.options.limits);
  UnaryReceiver receiver(&call.ticket);
  ConvertResult result;
  BVHMILL_RETURN_IF_ERROR(ConvertFor(config, call, clip, &receiver, &result));
  if (is_bounded && ExceedsLimit(result, "max_output_bytes")) {
    return TooLargeForUnary(config);
  }
  if (FailsCall(result)) return result.status;
  LogResult(call, request.source(), result);
  ToBytes(result, receiver.TakeData(), response);
  if (result.status.ok()) call.record.AddBytes(0, receiver.total());
  return absl::OkStatus();
}

// The work of a method.
template <typename Request>
using MethodWork = absl::Status (*)(const ClipParts& parts,
                                    const Request& request,
                                    const UnaryWork& call,
                                    grpc::ByteBuffer* response);

// Parsed fields that are no text use up to this many times their bytes.
constexpr int64_t kUnfolds = 32;
// The memory that every call counts for includes options of this size.
constexpr int64_t kUsualOptionBytes = 4096;

// Parses `request`. The ticket already counts the bytes as they came; this
// counts the memory beyond them. Sets `unpacked` to the bytes of the request
// after decompression.
absl::Status ReadRequestMessage(const ServerConfig& config,
                                grpc::ByteBuffer* bytes, Ticket* ticket,
                                google::protobuf::Message* request,
                                int64_t* unpacked) {
  const auto counted = static_cast<int64_t>(bytes->Length());
  int64_t beside = 0;
  const absl::Status status =
      ReadMessage(config, kUnaryTexts, bytes, request, &beside);
  if (!status.ok()) return status;
  *unpacked = static_cast<int64_t>(request->ByteSizeLong());
  int64_t more = std::max<int64_t>(*unpacked - counted, 0);
  if (beside > kUsualOptionBytes) more += kUnfolds * beside;
  return more > 0 ? ticket->Grow(more) : absl::OkStatus();
}

// The work of one call.
template <typename Request>
class ClipTask final : public UnaryTask {
 public:
  ClipTask(const ClipParts& parts, MethodWork<Request> work)
      : parts_(parts), work_(work) {}

  bool IsExpensive(grpc::ByteBuffer* request) override {
    return server::IsExpensive(kUnaryTexts, request);
  }

  absl::Status Read(grpc::ByteBuffer* request, Ticket* ticket,
                    bool* is_short) override {
    int64_t unpacked = 0;
    const absl::Status status = ReadRequestMessage(
        parts_.config, request, ticket, &message_, &unpacked);
    *is_short = IsShort(message_.source(), message_.options(), unpacked);
    return status;
  }

  absl::Status Work(const UnaryWork& call,
                    grpc::ByteBuffer* response) override {
    const absl::Status status = work_(parts_, message_, call, response);
    if (!status.ok() || !IsTooLarge(parts_.config, *response)) return status;
    response->Clear();
    return TooLargeForUnary(parts_.config);
  }

 private:
  const ClipParts parts_;
  const MethodWork<Request> work_;
  Request message_;
};

template <typename Request>
UnaryMethod ClipMethod(const ClipParts& parts, Method method, Scope scope,
                       MethodWork<Request> work) {
  return {method, scope, std::make_unique<ClipTask<Request>>(parts, work)};
}

}  // namespace

ClipService::ClipService(const CallParts& parts, StreamMemory* stream_memory,
                         ReadBlob read_blob)
    : parts_(parts), read_blob_(std::move(read_blob)) {
  Add("/bvhmill.v1.ClipService/ValidateClip", [this](auto* call) {
    return StartUnaryCall(
        parts_, call,
        ClipMethod({parts_.config, read_blob_}, Method::kValidateClip,
                   Scope::kRead, &Validate));
  });
  Add("/bvhmill.v1.ClipService/ConvertClip", [this](auto* call) {
    return StartUnaryCall(
        parts_, call,
        ClipMethod({parts_.config, read_blob_}, Method::kConvertClip,
                   Scope::kConvert, &ConvertOne));
  });
  Add("/bvhmill.v1.ClipService/ConvertClips",
      [this, stream_memory](auto* call) {
        return StartConvertStream(parts_, stream_memory, call);
      });
}

}  // namespace bvhmill::server
