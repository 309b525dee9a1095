#pragma once

// Counts the bytes of the blobs of a store, and bounds them: those of all
// blobs, those of one space, and the free space of the disk.

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "server/store/blob_store.h"

namespace bvhmill::server {

// How much of the disk and of the limit on blobs each use may have.
struct BlobQuota {
  // Bytes of all blobs; 0 = no limit. Uploads may have 7/8 of it, so that there
  // is room for the outputs of accepted items.
  int64_t max_bytes = 0;
  // Uploads are refused if the disk has less free space. Outputs of jobs may
  // use half of it, so that accepted items can be finished.
  int64_t min_free_bytes = 0;
  // The same for the files that the disk can still hold, where the file system
  // has a limit on them. Has no effect if min_free_bytes is 0.
  int64_t min_free_files = 1024;
};

// Thread-safe.
class BlobBudget {
 public:
  // `folder` is any folder on the disk.
  BlobBudget(std::string folder, const BlobQuota& quota)
      : folder_(std::move(folder)), quota_(quota) {}

  // Counts `bytes` more in `space`, for an upload or for an output; on an error
  // counts nothing. RESOURCE_EXHAUSTED: DISK_FULL if all blobs would exceed the
  // quota, or if the disk has too little free space or files, which is looked
  // at once for 8 MiB or 256 blobs; for an upload also LIMIT_EXCEEDED if the
  // space would have more than `max_space_bytes`, 0 = any number.
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
  // `max_space_bytes`, 0 = any number, and all blobs together have more than
  // 3/4 of the quota. The rest is for spaces that are within their share.
  absl::Status CheckOutputs(const std::string& space,
                            int64_t max_space_bytes) const;
  // DISK_FULL if the disk has too little free space for an output.
  absl::Status CheckDisk() const { return CheckFree(Use::kOutput); }
  // Counts `bytes` more without a check.
  void Add(const std::string& space, int64_t bytes);
  // Counts `bytes` less, but no less than 0 in the space: it may have been
  // counted anew by Set.
  void Return(const std::string& space, int64_t bytes);
  // Replaces all that is counted.
  void Set(const SpaceBytes& bytes);
  int64_t BytesIn(const std::string& space) const;
  // The bytes of all blobs, those that are being made included.
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
  // Both with the mutex.
  int64_t total_ = 0;
  SpaceBytes by_space_;
  // Bytes that each use may write before it looks at the disk again; a blob
  // counts as 32 KiB at least. An output may use space that an upload may not.
  std::array<std::atomic<int64_t>, 2> unchecked_{};
};

}  // namespace bvhmill::server
