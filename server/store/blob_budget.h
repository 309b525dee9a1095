#pragma once

// The bytes that a store of blobs may take: of all blobs, and of the disk.

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace bvhmill::server {

struct BlobQuota {
  // Bytes of all blobs; 0 = no limit.
  int64_t max_bytes = 0;
  // Uploads are refused if the disk has less free space. Outputs of jobs may
  // use half of it, so that accepted items can be finished.
  int64_t min_free_bytes = 0;
};

// Thread-safe.
class BlobBudget {
 public:
  // `folder` is one of the disk.
  BlobBudget(std::string folder, const BlobQuota& quota)
      : folder_(std::move(folder)), quota_(quota) {}

  // Counts `bytes` more, for an upload or for an output. RESOURCE_EXHAUSTED,
  // DISK_FULL if they exceed the quota.
  absl::Status ReserveForUpload(int64_t bytes) {
    return Reserve(bytes, quota_.min_free_bytes);
  }
  absl::Status ReserveForOutput(int64_t bytes) {
    return Reserve(bytes, quota_.min_free_bytes / 2);
  }
  void Add(int64_t bytes) { bytes_ += bytes; }
  void Return(int64_t bytes) { bytes_ -= bytes; }
  void Set(int64_t bytes) { bytes_ = bytes; }
  // Bytes of blobs, and of those that are being made.
  int64_t bytes() const { return bytes_; }

 private:
  // `spare` is the part of min_free_bytes that must stay free.
  absl::Status Reserve(int64_t bytes, int64_t spare);
  absl::Status CheckFree(int64_t spare) const;

  const std::string folder_;
  const BlobQuota quota_;
  std::atomic<int64_t> bytes_{0};
  // Bytes that may be written before the free space is looked at again.
  std::atomic<int64_t> unchecked_{0};
};

}  // namespace bvhmill::server
