#pragma once

// The budget of memory and work for the conversion of one clip.
//
// Each stage draws its cost from the budget before it allocates memory or
// begins to work. So a small input cannot cause a cost above the limits:
//
//   HeldMemory held(budget);
//   BVHMILL_RETURN_IF_ERROR(held.Draw(rows * row_bytes));
//   buffer.resize(rows * row_bytes);
//   WorkMeter meter(budget);
//   for (Row& row : rows) {
//     if (!meter.Spend(row_work)) break;
//     ...
//   }
//   BVHMILL_RETURN_IF_ERROR(meter.Pay());
//
// A unit of work is about one nanosecond of one core. Draw work in parts of at
// most a few tens of millions of units: a cancelled conversion stops only when
// it draws.

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/mutex.h"

namespace bvhmill {

// Thread-safe.
class Budget {
 public:
  // Grants memory to the conversion, for example from a client's quota of the
  // memory of a server. A negative number returns memory and is always granted.
  // The budget calls its holder from one thread at a time, and is locked
  // meanwhile: the holder must not call the budget. The budget requests nothing
  // for the first kFreeBytes, and rounds each request up. Its destructor
  // returns nothing to the holder.
  using Holder = std::function<absl::Status(int64_t bytes)>;
  static constexpr int64_t kFreeBytes = int64_t{128} << 10;

  // A budget without limits that cannot be cancelled.
  Budget() = default;
  // A budget with the limits max_clip_memory_bytes, max_clip_work and
  // max_clip_work_per_byte. If max_clip_work is 0, work has no limit. `cancel`
  // may be null and must outlive the budget. Without a holder, only the limits
  // decide.
  Budget(const Limits& limits, const CancelToken* cancel, Holder holder = {})
      : max_memory_(limits.max_clip_memory_bytes),
        max_work_(limits.max_clip_work),
        max_work_per_byte_(limits.max_clip_work_per_byte),
        cancel_(cancel),
        holder_(std::move(holder)) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Draws `bytes` of memory; call this before the memory is allocated.
  // LimitError if the total would exceed max_clip_memory_bytes; otherwise the
  // status of the holder. Draws nothing if it fails.
  absl::Status Hold(int64_t bytes);
  // Returns `bytes` that were drawn; call this after the memory is freed.
  void Return(int64_t bytes);

  // Draws `units` of work, also if a limit refuses them. CANCELLED, without
  // drawing, if the conversion is cancelled. LimitError if the total exceeds
  // max_clip_work + max_clip_work_per_byte * (bytes of input).
  absl::Status Work(int64_t units);
  // Checks whether Work(units) would exceed the limit, but draws nothing. Fails
  // as Work does; a refusal counts for failure().
  absl::Status CheckWork(int64_t units);
  // Counts received input, which raises the limit on work. `bytes` is its size
  // as it was received, compressed or not.
  void AddInput(int64_t bytes);

  // The memory that is drawn now, and the work drawn in total.
  int64_t held() const;
  int64_t work() const { return work_.load(std::memory_order_relaxed); }
  // The first refusal of memory or work, by a limit or by the holder; OK if
  // there was none. For code that stops at a refusal but returns no status.
  absl::Status failure() const;

 private:
  absl::Status Grant(int64_t held);
  bool ExceedsWork(int64_t drawn, int64_t units) const;
  absl::Status TooMuchWork();
  absl::Status Note(const absl::Status& status);

  int64_t max_memory_ = 0;
  int64_t max_work_ = 0;
  int64_t max_work_per_byte_ = 0;
  const CancelToken* cancel_ = nullptr;
  Holder holder_;
  mutable Mutex mutex_;
  int64_t held_ = 0;
  // Bytes granted by the holder.
  int64_t granted_ = 0;
  absl::Status failure_;
  std::atomic<int64_t> work_{0};
  std::atomic<int64_t> input_{0};
};

// Hold, Return and Work for a budget that may be null. Null means: no limits.
inline absl::Status HoldFrom(Budget* budget, int64_t bytes) {
  return budget == nullptr ? absl::OkStatus() : budget->Hold(bytes);
}
inline void ReturnTo(Budget* budget, int64_t bytes) {
  if (budget != nullptr) budget->Return(bytes);
}
inline absl::Status WorkFrom(Budget* budget, int64_t units) {
  return budget == nullptr ? absl::OkStatus() : budget->Work(units);
}

// Upper bound of the memory that an allocator uses for a block of `bytes`. It
// rounds up to one of its own sizes, which is at most a third larger.
constexpr int64_t HeapBytes(int64_t bytes) { return bytes + bytes / 3; }

// Memory that is drawn from a budget until the object is destroyed. Used by one
// thread at a time.
class HeldMemory {
 public:
  // `budget` may be null, which means no limit; it must outlive the object.
  explicit HeldMemory(Budget* budget) : budget_(budget) {}
  ~HeldMemory() { GiveBack(bytes_); }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  // Draws `bytes` more; call this before the memory is allocated. Fails as
  // Budget::Hold does.
  absl::Status Draw(int64_t bytes) {
    absl::Status status = HoldFrom(budget_, bytes);
    if (status.ok()) bytes_ += bytes;
    return status;
  }
  // Returns `bytes` to the budget, at most bytes(); call this after they are
  // freed.
  void GiveBack(int64_t bytes) {
    bytes_ -= bytes;
    ReturnTo(budget_, bytes);
  }
  // Becomes the owner of `bytes` that other code drew from the same budget.
  void Adopt(int64_t bytes) { bytes_ += bytes; }
  // Gives up ownership of everything without returning it to the budget.
  // Returns the number of bytes, which the caller must return.
  int64_t Leave() { return std::exchange(bytes_, 0); }

  int64_t bytes() const { return bytes_; }

 private:
  Budget* budget_;
  int64_t bytes_ = 0;
};

// Collects small costs of work and draws them from a budget in large parts, so
// that a loop can count each block of its work cheaply. Used by one thread at a
// time. The destructor draws nothing: call Pay() when the work is done.
class WorkMeter {
 public:
  // Units that are drawn at once, about 10 ms of work. A cancelled conversion
  // stops within this time.
  static constexpr int64_t kPart = 10'000'000;

  // A meter without a budget, and so without a limit.
  WorkMeter() = default;
  // `budget` may be null; it must outlive the meter.
  explicit WorkMeter(Budget* budget) : budget_(budget) {}

  // Counts `units` of work before it is done. False if the budget refused; the
  // caller then stops. After a refusal it always returns false.
  bool Spend(int64_t units) {
    unpaid_ += units;
    if (unpaid_ >= kPart) Pay();
    return status_.ok();
  }
  bool ok() const { return status_.ok(); }

  // Draws all units that were counted and not yet drawn. Returns OK, or the
  // status of the first refusal.
  const absl::Status& Pay() {
    if (status_.ok()) status_ = WorkFrom(budget_, unpaid_);
    unpaid_ = 0;
    return status_;
  }

 private:
  Budget* budget_ = nullptr;
  int64_t unpaid_ = 0;
  absl::Status status_;
};

}  // namespace bvhmill
