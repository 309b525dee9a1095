#include "server/rpc/statuses.h"

#include "bvhmill/wire/status.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {
namespace {

grpc::Status WithDetails(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()),
          wire::ToProto(status).message(), wire::SerializeDetails(status)};
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) noexcept {
  if (status.ok()) return grpc::Status::OK;
  try {
    // Made once: protobuf's maps break when an allocation in them fails.
    static const auto* const kOutOfMemory =
        new grpc::Status(WithDetails(OutOfMemory()));
    return status == OutOfMemory() ? *kOutOfMemory : WithDetails(status);
  } catch (...) {
    return {static_cast<grpc::StatusCode>(status.code()), {}};
  }
}

}  // namespace bvhmill::server
