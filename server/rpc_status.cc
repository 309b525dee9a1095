#include "server/rpc_status.h"

#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/status.h"

namespace bvhmill::server {

grpc::Status ToGrpc(const absl::Status& status, const Fault& fault) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code()),
          wire::ToProto(status, {}).message(),
          wire::SerializeDetails(status, fault)};
}

grpc::Status LimitExceeded(std::string_view limit_name, int64_t limit,
                           int64_t value) {
  const std::string name(limit_name);
  const std::string text = std::to_string(value) + " is more than " + name +
                           " = " + std::to_string(limit);
  return ToGrpc(MakeStatus(absl::StatusCode::kResourceExhausted, text),
                Fault{"LIMIT_EXCEEDED",
                      {{"limit_name", name},
                       {"limit", std::to_string(limit)},
                       {"value", std::to_string(value)}}});
}

grpc::Status Stopping() {
  return ToGrpc(MakeStatus(absl::StatusCode::kUnavailable,
                           "the server is stopping; try another one"),
                Fault{"SERVER_STOPPING", {}});
}

grpc::Status UnknownEncoding(int encoding) {
  return ToGrpc(
      MakeStatus(absl::StatusCode::kUnimplemented,
                 "source.encoding: " + std::to_string(encoding) +
                     " is not served; see GetServerInfo.encodings"),
      Fault{"ENCODING_UNKNOWN", {{"encoding", std::to_string(encoding)}}});
}

}  // namespace bvhmill::server
