#include "server/store/blob_budget.h"

#include <sys/statvfs.h>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

// Bytes between two looks at the free space of the disk.
constexpr int64_t kLookBytes = int64_t{8} << 20;

}  // namespace

absl::Status BlobBudget::CheckFree(Use use) const {
  const int64_t least = quota_.min_free_bytes;
  const int64_t spare = use == Use::kUpload ? least : least / 2;
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
       .limit = least,
       .args = {{"retry_after_ms", "30000"}, {"value", std::to_string(free)}},
       .message =
           "the disk of the server has " + std::to_string(free) +
           " bytes left; min_free_disk_bytes = " + std::to_string(least)});
}

absl::Status BlobBudget::CheckTotal(int64_t total, Use use) const {
  const int64_t most = quota_.max_bytes;
  const int64_t part = use == Use::kUpload ? most - most / 8 : most;
  if (!Exceeds(total, part)) return absl::OkStatus();
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "DISK_FULL",
       .limit_name = "max_data_bytes",
       .limit = most,
       .args = {{"retry_after_ms", "30000"}, {"value", std::to_string(total)}},
       .message =
           "the blobs of the server would have " + std::to_string(total) +
           " bytes; max_data_bytes = " + std::to_string(most) +
           (use == Use::kUpload ? ", of which uploads may have 7/8" : "")});
}

absl::Status BlobBudget::Reserve(int64_t bytes, Use use) {
  const int64_t total = bytes_ += bytes;
  absl::Status status = CheckTotal(total, use);
  if (status.ok() && (unchecked_ -= bytes) <= 0) {
    status = CheckFree(use);
    if (status.ok()) unchecked_ = kLookBytes;
  }
  if (!status.ok()) bytes_ -= bytes;
  return status;
}

absl::Status BlobBudget::CheckRoom() const {
  BVHMILL_RETURN_IF_ERROR(CheckTotal(bytes_, Use::kUpload));
  return CheckFree(Use::kUpload);
}

}  // namespace bvhmill::server
