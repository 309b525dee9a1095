// A program that was built without an S3-compatible store.

#include "bvhmill/base/call_error.h"
#include "server/store/s3/open_s3.h"

namespace bvhmill::server {

absl::Status OpenS3BlobStore(const S3Options& /*options*/,
                             const std::string& /*spool*/,
                             const std::string& /*identity*/,
                             const BlobQuota& /*quota*/,
                             std::unique_ptr<BlobStore>* /*store*/) {
  return MakeCallError({.code = absl::StatusCode::kUnimplemented,
                        .reason = "NO_S3",
                        .message = "this bvhmilld was built without --blobs"});
}

}  // namespace bvhmill::server
