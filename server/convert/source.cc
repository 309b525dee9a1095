#include "server/convert/source.h"

#include <optional>
#include <string>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/wire/source.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {

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

absl::Status CheckSource(int64_t max_clip_bytes, const v1::Source& source) {
  Encoding encoding = Encoding::kIdentity;
  if (auto status = ReadEncoding(source.encoding(), &encoding); !status.ok()) {
    return status;
  }
  const auto size = static_cast<int64_t>(source.data().size());
  if (encoding == Encoding::kIdentity && Exceeds(size, max_clip_bytes)) {
    return LimitExceeded("max_clip_bytes", max_clip_bytes, size);
  }
  return absl::OkStatus();
}

absl::Status DecodeError(int64_t max_clip_bytes, const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    return LimitExceeded("max_clip_bytes", max_clip_bytes, max_clip_bytes + 1);
  }
  return MakeCallError({.code = absl::StatusCode::kInvalidArgument,
                        .reason = "ENCODING_BROKEN",
                        .field = "source.data",
                        .message = std::string(MessageOf(status))});
}

}  // namespace bvhmill::server
