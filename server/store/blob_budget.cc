#include "server/store/blob_budget.h"

#include <sys/statvfs.h>

#include <algorithm>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

// Bytes between two checks of the free space of the disk.
constexpr int64_t kLookBytes = int64_t{8} << 20;
// The least that each blob counts there: small blobs use up files of the disk.
constexpr int64_t kLeastLookBytes = int64_t{32} << 10;

int64_t InSpace(const SpaceBytes& bytes, const std::string& space) {
  const auto found = bytes.find(space);
  return found == bytes.end() ? 0 : found->second;
}

absl::Status CheckSpace(int64_t bytes, int64_t most) {
  if (!Exceeds(bytes, most)) return absl::OkStatus();
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "LIMIT_EXCEEDED",
       .limit_name = "max_data_bytes_per_caller",
       .limit = most,
       .args = {{"value", std::to_string(bytes)}},
       .message = "your blobs would have " + std::to_string(bytes) +
                  " bytes; max_data_bytes_per_caller = " +
                  std::to_string(most) + "; delete jobs that you do not need"});
}

absl::Status TooFewFiles(int64_t left) {
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "DISK_FULL",
       .args = {{"retry_after_ms", "30000"}, {"value", std::to_string(left)}},
       .message = "the disk of the server has space, but can hold only " +
                  std::to_string(left) + " more files"});
}

}  // namespace

absl::Status BlobBudget::CheckFree(Use use) const {
  const int64_t least = quota_.min_free_bytes;
  const int64_t part = use == Use::kUpload ? 1 : 2;
  struct statvfs disk = {};
  if (least == 0 || statvfs(folder_.c_str(), &disk) != 0) {
    return absl::OkStatus();
  }
  const auto free =
      static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  const auto free_files = static_cast<int64_t>(disk.f_favail);
  // Some file systems allocate inodes on demand, and report none.
  const bool has_files =
      disk.f_files == 0 || free_files >= quota_.min_free_files / part;
  if (!has_files) return TooFewFiles(free_files);
  if (free >= least / part) return absl::OkStatus();
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

absl::Status BlobBudget::Reserve(const std::string& space, int64_t bytes,
                                 Use use, int64_t max_space_bytes) {
  {
    const std::lock_guard lock(mutex_);
    BVHMILL_RETURN_IF_ERROR(
        CheckSpace(InSpace(by_space_, space) + bytes, max_space_bytes));
    BVHMILL_RETURN_IF_ERROR(CheckTotal(total_ + bytes, use));
    total_ += bytes;
    by_space_[space] += bytes;
  }
  std::atomic<int64_t>& unchecked = unchecked_[static_cast<size_t>(use)];
  if ((unchecked -= std::max(bytes, kLeastLookBytes)) > 0) {
    return absl::OkStatus();
  }
  const absl::Status status = CheckFree(use);
  if (status.ok()) {
    unchecked = kLookBytes;
  } else {
    Return(space, bytes);
  }
  return status;
}

absl::Status BlobBudget::CheckRoom(const std::string& space,
                                   int64_t max_space_bytes) const {
  {
    const std::lock_guard lock(mutex_);
    BVHMILL_RETURN_IF_ERROR(
        CheckSpace(InSpace(by_space_, space), max_space_bytes));
    BVHMILL_RETURN_IF_ERROR(CheckTotal(total_, Use::kUpload));
  }
  return CheckFree(Use::kUpload);
}

absl::Status BlobBudget::CheckOutputs(const std::string& space,
                                      int64_t max_space_bytes) const {
  const std::lock_guard lock(mutex_);
  const int64_t bytes = InSpace(by_space_, space);
  const int64_t most = quota_.max_bytes;
  if (!Exceeds(bytes, max_space_bytes) || !Exceeds(total_, most - most / 4)) {
    return absl::OkStatus();
  }
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "CALLER_BUSY",
       .limit_name = "max_data_bytes_per_caller",
       .limit = max_space_bytes,
       .args = {{"value", std::to_string(bytes)}},
       .message = "space is scarce, and the blobs of the caller "
                  "have " +
                  std::to_string(bytes) +
                  " bytes; max_data_bytes_per_caller = " +
                  std::to_string(max_space_bytes) +
                  "; items wait until the caller has deleted jobs"});
}

void BlobBudget::Add(const std::string& space, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  total_ += bytes;
  by_space_[space] += bytes;
}

void BlobBudget::Return(const std::string& space, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = by_space_.find(space);
  if (found == by_space_.end()) return;
  bytes = std::min(bytes, found->second);
  total_ -= bytes;
  found->second -= bytes;
  if (found->second == 0) by_space_.erase(found);
}

void BlobBudget::Set(const SpaceBytes& bytes) {
  const std::lock_guard lock(mutex_);
  by_space_ = bytes;
  total_ = 0;
  for (const auto& [space, counted] : by_space_) total_ += counted;
}

int64_t BlobBudget::BytesIn(const std::string& space) const {
  const std::lock_guard lock(mutex_);
  return InSpace(by_space_, space);
}

int64_t BlobBudget::bytes() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

}  // namespace bvhmill::server
