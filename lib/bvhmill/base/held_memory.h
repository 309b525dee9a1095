#pragma once

// Memory that stays drawn from a budget for the lifetime of an object.

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"

namespace bvhmill {

// The memory that an allocator may take for a block of `bytes`. It rounds up to
// one of its own sizes, which is at most a third larger.
constexpr int64_t HeapBytes(int64_t bytes) { return bytes + bytes / 3; }

// Used by one thread at a time.
class HeldMemory {
 public:
  // `budget` may be null, which means no limit; it must outlive the object.
  explicit HeldMemory(Budget* budget) : budget_(budget) {}
  ~HeldMemory() { GiveBack(bytes_); }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  // Draws `bytes` more; call this before the memory is taken. Fails as
  // Budget::Hold does.
  absl::Status Draw(int64_t bytes) {
    absl::Status status = HoldFrom(budget_, bytes);
    if (status.ok()) bytes_ += bytes;
    return status;
  }
  // Gives back `bytes` after they are freed. At most bytes().
  void GiveBack(int64_t bytes) {
    bytes_ -= bytes;
    ReturnTo(budget_, bytes);
  }
  // Takes over `bytes` that other code drew from the same budget.
  void Adopt(int64_t bytes) { bytes_ += bytes; }
  // Releases everything without giving it back. Returns the number of bytes,
  // which the caller then has to give back.
  int64_t Leave() { return std::exchange(bytes_, 0); }

  int64_t bytes() const { return bytes_; }

 private:
  Budget* budget_;
  int64_t bytes_ = 0;
};

}  // namespace bvhmill
