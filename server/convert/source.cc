#include "server/convert/source.h"

#include <optional>
#include <string>
#include <utility>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/wire/options.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {
namespace {

// The converters of all calls and streams. Thread-safe. Never destroyed:
// threads may end after static objects do.
ConverterPool* Converters() {
  static ConverterPool& pool = *new ConverterPool(Parallelism::CallersPool());
  return &pool;
}

// The error of the call for `status`, the error of a Decoder.
absl::Status DecodeError(int64_t max_clip_bytes, const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    return LimitExceeded("max_clip_bytes", max_clip_bytes, max_clip_bytes + 1);
  }
  return MakeCallError({.code = absl::StatusCode::kInvalidArgument,
                        .reason = "ENCODING_BROKEN",
                        .field = "source.data",
                        .message = std::string(MessageOf(status))});
}

}  // namespace

absl::Status ReadClipOptions(const Limits& limits,
                             const v1::ConvertOptions& message,
                             ConvertOptions* options) {
  options->limits = limits;
  const absl::Status status = wire::FromProto(message, options);
  if (absl::IsResourceExhausted(status)) {
    return LimitExceeded("max_outputs_per_clip", limits.max_outputs_per_clip,
                         message.outputs_size());
  }
  return status;
}

absl::Status ReadEncoding(v1::ContentEncoding encoding, Encoding* out) {
  switch (encoding) {
    case v1::CONTENT_ENCODING_UNSPECIFIED:
    case v1::CONTENT_ENCODING_IDENTITY:
      *out = Encoding::kIdentity;
      return absl::OkStatus();
    case v1::CONTENT_ENCODING_GZIP:
      *out = Encoding::kGzip;
      return absl::OkStatus();
    case v1::CONTENT_ENCODING_ZSTD:
      *out = Encoding::kZstd;
      return absl::OkStatus();
    default:
      return UnknownEncoding(encoding);
  }
}

absl::Status ReadFormat(v1::SourceFormat format, SourceFormat* out) {
  const std::optional<SourceFormat> known = wire::FromProto(format);
  if (!known) return UnknownSourceFormat(format);
  *out = *known;
  return absl::OkStatus();
}

absl::Status CheckSource(int64_t max_clip_bytes, v1::ContentEncoding encoding,
                         int64_t bytes) {
  Encoding known = Encoding::kIdentity;
  BVHMILL_RETURN_IF_ERROR(ReadEncoding(encoding, &known));
  return known == Encoding::kIdentity && Exceeds(bytes, max_clip_bytes)
             ? LimitExceeded("max_clip_bytes", max_clip_bytes, bytes)
             : absl::OkStatus();
}

SourceConversion::SourceConversion(const ConvertOptions& options,
                                   Encoding encoding, int64_t max_clip_bytes,
                                   MeteredReceiver* receiver,
                                   const CancelToken* cancel)
    : max_clip_bytes_(max_clip_bytes),
      receiver_(*receiver),
      lease_(Converters()),
      conversion_(&*lease_, options, receiver, cancel, &result_) {
  if (encoding == Encoding::kIdentity) return;
  decoder_ = MakeDecoder(encoding, max_clip_bytes);
}

void SourceConversion::Add(std::string_view bytes) {
  if (!is_wanted_) return;
  if (decoder_ == nullptr) {
    is_wanted_ = conversion_.Add(bytes);
  } else {
    came_ += static_cast<int64_t>(bytes.size());
    CheckDecoded(decoder_->Push(bytes, this));
  }
}

absl::Status SourceConversion::Append(std::string_view text) {
  is_wanted_ = conversion_.Add(text, std::exchange(came_, 0));
  return is_wanted_ ? absl::OkStatus() : absl::CancelledError("");
}

void SourceConversion::CheckDecoded(const absl::Status& status) {
  if (status.ok() || !is_wanted_) return;
  decode_error_ = DecodeError(max_clip_bytes_, status);
  is_wanted_ = false;
}

ConvertResult& SourceConversion::Finish() {
  if (decoder_ != nullptr && is_wanted_) CheckDecoded(decoder_->End());
  if (decode_error_.ok()) {
    conversion_.Finish();
  } else {
    result_ = {};
    result_.status = decode_error_;
  }
  if (!receiver_.refused().ok()) result_.status = receiver_.refused();
  return result_;
}

}  // namespace bvhmill::server
