#pragma once

// The quotas of a blob store. It counts the bytes of all blobs and of each
// space, and compares them and the free space of the disk with the quotas.
//
//   BVHMILL_RETURN_IF_ERROR(budget.ReserveForOutput(space, bytes));
//   ... write the bytes; after an error or a removal:
//   budget.Return(space, bytes);

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "server/store/blob_store.h"

namespace bvhmill::server {

// Limits on the bytes of all blobs and on the use of the disk.
struct BlobQuota {
  // Bytes of all blobs; 0 = no limit. Uploads may use 7/8 of it, so that there
  // is room for the outputs of accepted items.
  int64_t max_bytes = 0;
  // Uploads are refused if the disk has less free space. Outputs of jobs may
  // use half of it, so that accepted items can be finished.
  int64_t min_free_bytes = 0;
  // The same for the number of free files (inodes), if the file system limits
  // it. No effect if min_free_bytes is 0.
  int64_t min_free_files = 1024;
};

// Thread-safe.
class BlobBudget {
 public:
  // `folder` is any folder on the disk.
  BlobBudget(std::string folder, const BlobQuota& quota)
      : folder_(std::move(folder)), quota_(quota) {}

  // Adds `bytes` to `space`, for an upload or for an output; nothing on an
  // error. RESOURCE_EXHAUSTED: DISK_FULL if all blobs would exceed the quota,
  // or if the disk has too little free space or files, which is checked once
  // per 8 MiB or 256 blobs; for an upload also LIMIT_EXCEEDED if the space
  // would have more than `max_space_bytes`, 0 = any number.
  absl::Status ReserveForUpload(const std::string& space, int64_t bytes,
                                int64_t max_space_bytes) {
    return Reserve(space, bytes, Use::kUpload, max_space_bytes);
  }
  absl::Status ReserveForOutput(const std::string& space, int64_t bytes) {
    return Reserve(space, bytes, Use::kOutput, /*max_space_bytes=*/0);
  }
  // Returns the error with which any upload into the space would be refused
  // now; OK if it would be accepted.
  absl::Status CheckRoom(const std::string& space,
                         int64_t max_space_bytes) const;
  // CALLER_BUSY if outputs of the space should wait: it has more than
  // `max_space_bytes`, 0 = any number, and all blobs together use more than 3/4
  // of the quota. The rest is for spaces below their limit.
  absl::Status CheckOutputs(const std::string& space,
                            int64_t max_space_bytes) const;
  // DISK_FULL if the disk has too little free space for an output.
  absl::Status CheckDisk() const { return CheckFree(Use::kOutput); }
  // Adds `bytes` without a check.
  void Add(const std::string& space, int64_t bytes);
  // Subtracts `bytes`, but no more than the space has: Set may have replaced
  // its count.
  void Return(const std::string& space, int64_t bytes);
  // Replaces all counts.
  void Set(const SpaceBytes& bytes);
  int64_t BytesIn(const std::string& space) const;
  // The bytes of all blobs, the unfinished ones included.
  int64_t bytes() const;

 private:
  enum class Use : uint8_t { kUpload, kOutput };
  absl::Status Reserve(const std::string& space, int64_t bytes, Use use,
                       int64_t max_space_bytes);
  absl::Status CheckTotal(int64_t total, Use use) const;
  absl::Status CheckFree(Use use) const;

  const std::string folder_;
  const BlobQuota quota_;
  mutable std::mutex mutex_;
  // Both require the mutex.
  int64_t total_ = 0;
  SpaceBytes by_space_;
  // Bytes that each use may write before the next check of the disk; a blob
  // counts as at least 32 KiB. One count per use, since their limits differ.
  std::array<std::atomic<int64_t>, 2> unchecked_{};
};

}  // namespace bvhmill::server
