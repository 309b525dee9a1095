#pragma once

// Memory that is drawn from a budget while an object lives.

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"

namespace bvhmill {

// Memory that an allocator takes for a block of `bytes`: it rounds up to a size
// of its own, which is a third larger at most.
constexpr int64_t HeapBytes(int64_t bytes) { return bytes + bytes / 3; }

// Used by one thread at a time.
class HeldMemory {
 public:
  // `budget` may be null, which means no limit; it must outlive the object.
  explicit HeldMemory(Budget* budget) : budget_(budget) {}
  ~HeldMemory() { GiveBack(bytes_); }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  // Draws `bytes` more, before they are taken. Fails as Budget::Hold does.
  absl::Status Draw(int64_t bytes) {
    absl::Status status = HoldFrom(budget_, bytes);
    if (status.ok()) bytes_ += bytes;
    return status;
  }
  // Gives `bytes` back, which have been freed. At most bytes().
  void GiveBack(int64_t bytes) {
    bytes_ -= bytes;
    ReturnTo(budget_, bytes);
  }
  // Counts `bytes` that were drawn elsewhere as its own.
  void Adopt(int64_t bytes) { bytes_ += bytes; }
  // Leaves everything drawn. Returns how much it is; the caller gives it back.
  int64_t Leave() { return std::exchange(bytes_, 0); }

  int64_t bytes() const { return bytes_; }

 private:
  Budget* budget_;
  int64_t bytes_ = 0;
};

}  // namespace bvhmill
