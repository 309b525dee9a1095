#include "server/convert/source.h"

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
grpc::Status ReadEncoding(v1::ContentEncoding encoding, Encoding* out) {
  switch (encoding) {
    case v1::CONTENT_ENCODING_UNSPECIFIED:
    case v1::CONTENT_ENCODING_IDENTITY:
      *out = Encoding::kIdentity;
      return grpc::Status::OK;
    case v1::CONTENT_ENCODING_GZIP:
      *out = Encoding::kGzip;
      return grpc::Status::OK;
    case v1::CONTENT_ENCODING_ZSTD:
      *out = Encoding::kZstd;
      return grpc::Status::OK;
    default:
      return UnknownEncoding(encoding);
  }
}

grpc::Status CheckSource(const ServerConfig& config, const v1::Source& source) {
  Encoding encoding = Encoding::kIdentity;
  if (auto status = ReadEncoding(source.encoding(), &encoding); !status.ok()) {
    return status;
  }
  const auto size = static_cast<int64_t>(source.data().size());
  if (encoding == Encoding::kIdentity &&
      Exceeds(size, config.limits.max_clip_bytes)) {
    return LimitExceeded("max_clip_bytes", config.limits.max_clip_bytes, size);
  }
  return grpc::Status::OK;
}

grpc::Status DecodeFault(const ServerConfig& config,
                         const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    const int64_t limit = config.limits.max_clip_bytes;
    return LimitExceeded("max_clip_bytes", limit, limit + 1);
  }
  return ToGrpc(InvalidField("source.data", MessageOf(status)),
                Fault{"ENCODING_BROKEN", {{"field", "source.data"}}});
}

}  // namespace bvhmill::server
