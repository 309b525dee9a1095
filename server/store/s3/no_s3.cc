// A program that was built without an S3-compatible store.

#include "bvhmill/base/status.h"
#include "server/store/s3/open_s3.h"

namespace bvhmill::server {

namespace {

absl::Status NoS3() {
  return MakeCallError({.code = absl::StatusCode::kUnimplemented,
                        .reason = "NO_S3",
                        .message = "this bvhmilld was built without --blobs"});
}

}  // namespace

absl::Status OpenS3BlobStore(const S3Options& /*options*/,
                             const std::string& /*spool*/,
                             const std::string& /*identity*/, bool /*has_jobs*/,
                             const BlobQuota& /*quota*/,
                             std::unique_ptr<BlobStore>* /*store*/) {
  return NoS3();
}

absl::Status OpenS3BlobsForCheck(const S3Options& /*options*/,
                                 const std::string& /*identity*/,
                                 std::unique_ptr<BlobStore>* /*store*/) {
  return NoS3();
}

}  // namespace bvhmill::server
