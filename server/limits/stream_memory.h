#pragma once

// The bytes that all streams hold together: input that is not converted yet and
// output that is not written yet.

#include <atomic>
#include <cstdint>

#include "bvhmill/base/limits.h"

namespace bvhmill::server {

// Thread-safe. Takes no lock.
class StreamMemory {
 public:
  // 0 = no limit.
  explicit StreamMemory(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Counts `bytes` more, or fewer if the number is negative.
  void Add(int64_t bytes) { bytes_ += bytes; }
  int64_t bytes() const { return bytes_; }
  // True if the streams hold more than `max_bytes`. Each stream then makes
  // outputs only as fast as its peer takes them.
  bool IsCrowded() const { return Exceeds(bytes_, max_bytes_); }

 private:
  const int64_t max_bytes_;
  std::atomic<int64_t> bytes_{0};
};

}  // namespace bvhmill::server
