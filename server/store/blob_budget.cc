#include "server/store/blob_budget.h"

#include <sys/statvfs.h>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/limits.h"

namespace bvhmill::server {
namespace {

// Bytes between two looks at the free space of the disk.
constexpr int64_t kLookBytes = int64_t{8} << 20;

}  // namespace

absl::Status BlobBudget::CheckFree(int64_t spare) const {
  struct statvfs disk = {};
  if (spare == 0 || statvfs(folder_.c_str(), &disk) != 0) {
    return absl::OkStatus();
  }
  const auto free =
      static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  if (free >= spare) return absl::OkStatus();
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "DISK_FULL",
       .limit_name = "min_free_disk_bytes",
       .limit = quota_.min_free_bytes,
       .args = {{"retry_after_ms", "30000"}, {"value", std::to_string(free)}},
       .message = "the disk of the server has " + std::to_string(free) +
                  " bytes left; min_free_disk_bytes = " +
                  std::to_string(quota_.min_free_bytes)});
}

absl::Status BlobBudget::Reserve(int64_t bytes, int64_t spare) {
  const int64_t total = bytes_ += bytes;
  if (Exceeds(total, quota_.max_bytes)) {
    bytes_ -= bytes;
    return MakeCallError(
        {.code = absl::StatusCode::kResourceExhausted,
         .reason = "DISK_FULL",
         .limit_name = "max_data_bytes",
         .limit = quota_.max_bytes,
         .args = {{"retry_after_ms", "30000"},
                  {"value", std::to_string(total)}},
         .message =
             "the blobs of the server would have " + std::to_string(total) +
             " bytes; max_data_bytes = " + std::to_string(quota_.max_bytes)});
  }
  if ((unchecked_ -= bytes) > 0) return absl::OkStatus();
  const absl::Status status = CheckFree(spare);
  if (status.ok()) unchecked_ = kLookBytes;
  if (!status.ok()) bytes_ -= bytes;
  return status;
}

}  // namespace bvhmill::server
