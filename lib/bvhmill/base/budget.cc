#include "bvhmill/base/budget.h"

#include <algorithm>
#include <limits>
#include <string>

#include "bvhmill/base/status.h"

namespace bvhmill {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// a * b + c, capped at kMax. All three are at least 0.
int64_t MultiplyAndAdd(int64_t a, int64_t b, int64_t c) {
  int64_t product = 0;
  int64_t sum = 0;
  if (__builtin_mul_overflow(a, b, &product)) return kMax;
  return __builtin_add_overflow(product, c, &sum) ? kMax : sum;
}

// Memory is requested from the holder in multiples of this size. A surplus is
// returned to it only from four times this size on.
constexpr int64_t kGrantBytes = int64_t{64} << 10;

}  // namespace

absl::Status Budget::Note(const absl::Status& status) {
  if (failure_.ok()) failure_ = status;
  return status;
}

// Requests the memory from the holder that is missing for a total of `held`
// bytes.
absl::Status Budget::Grant(int64_t held) {
  const int64_t missing = held - kFreeBytes - granted_;
  if (!holder_ || missing <= 0) return absl::OkStatus();
  const int64_t asked = (missing + kGrantBytes - 1) / kGrantBytes * kGrantBytes;
  BVHMILL_RETURN_IF_ERROR(Note(holder_(asked)));
  granted_ += asked;
  return absl::OkStatus();
}

absl::Status Budget::Hold(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const int64_t held = MultiplyAndAdd(1, held_, bytes);
  if (Exceeds(held, max_memory_) || held == kMax) {
    return Note(
        LimitError("max_clip_memory_bytes", max_memory_,
                   "the clip needs more memory than max_clip_memory_bytes = " +
                       std::to_string(max_memory_)));
  }
  BVHMILL_RETURN_IF_ERROR(Grant(held));
  held_ = held;
  return absl::OkStatus();
}

void Budget::Return(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  held_ -= bytes;
  const int64_t needed = std::max<int64_t>(held_ - kFreeBytes, 0);
  const int64_t surplus = (granted_ - needed) / kGrantBytes * kGrantBytes;
  if (!holder_ || surplus < 4 * kGrantBytes) return;
  granted_ -= surplus;
  static_cast<void>(holder_(-surplus));
}

absl::Status Budget::TooMuchWork() {
  const std::lock_guard lock(mutex_);
  return Note(LimitError("max_clip_work", max_work_,
                         "the clip takes more work than max_clip_work = " +
                             std::to_string(max_work_) + ", and " +
                             std::to_string(max_work_per_byte_) +
                             " for each of its " + std::to_string(input_) +
                             " bytes"));
}

absl::Status Budget::Work(int64_t units) {
  if (IsCancelled(cancel_)) {
    return MakeStatus(absl::StatusCode::kCancelled, "cancelled");
  }
  const int64_t before = work_.fetch_add(units, std::memory_order_relaxed);
  return ExceedsWork(before, units) ? TooMuchWork() : absl::OkStatus();
}

absl::Status Budget::CheckWork(int64_t units) {
  return ExceedsWork(work(), units) ? TooMuchWork() : Work(0);
}

bool Budget::ExceedsWork(int64_t drawn, int64_t units) const {
  if (max_work_ == 0) return false;
  const int64_t most = MultiplyAndAdd(
      max_work_per_byte_, input_.load(std::memory_order_relaxed), max_work_);
  return MultiplyAndAdd(1, drawn, units) > most;
}

void Budget::AddInput(int64_t bytes) {
  input_.fetch_add(bytes, std::memory_order_relaxed);
}

int64_t Budget::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

absl::Status Budget::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace bvhmill
