#pragma once

// The bytes that a store of blobs may take: of all blobs, and of the disk.

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"

namespace bvhmill::server {

struct BlobQuota {
  // Bytes of all blobs; 0 = no limit. Uploads may have 7/8 of it, so that there
  // is room for the outputs of accepted items.
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
    return Reserve(bytes, Use::kUpload);
  }
  absl::Status ReserveForOutput(int64_t bytes) {
    return Reserve(bytes, Use::kOutput);
  }
  // The error with which any upload would be refused now.
  absl::Status CheckRoom() const;
  void Add(int64_t bytes) { bytes_ += bytes; }
  void Return(int64_t bytes) { bytes_ -= bytes; }
  void Set(int64_t bytes) { bytes_ = bytes; }
  // Bytes of blobs, and of those that are being made.
  int64_t bytes() const { return bytes_; }

 private:
  enum class Use : uint8_t { kUpload, kOutput };
  absl::Status Reserve(int64_t bytes, Use use);
  absl::Status CheckTotal(int64_t total, Use use) const;
  absl::Status CheckFree(Use use) const;

  const std::string folder_;
  const BlobQuota quota_;
  std::atomic<int64_t> bytes_{0};
  // Bytes that may be written before the free space is looked at again.
  std::atomic<int64_t> unchecked_{0};
};

}  // namespace bvhmill::server
