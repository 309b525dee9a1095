#pragma once

// The memory and the work that the conversion of one clip may use.
//
// Each stage draws its cost before it takes memory or begins to work. So a
// small input cannot cause a cost above the limits:
//
//   BVHMILL_RETURN_IF_ERROR(budget->Hold(rows * row_bytes));
//   buffer.resize(rows * row_bytes);
//
// A unit of work is about one nanosecond of one core. Draw work in parts of at
// most a few ten million units: a cancelled conversion stops only when it
// draws.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"

namespace bvhmill {

// Thread-safe.
class Budget {
 public:
  // Grants memory to the conversion, for example from a client's share of the
  // memory of a server. A negative number gives memory back and is always
  // granted. The budget calls its holder from one thread at a time. It does not
  // ask for the first kFreeBytes, and it rounds each request up.
  using Holder = std::function<absl::Status(int64_t bytes)>;
  static constexpr int64_t kFreeBytes = int64_t{128} << 10;

  // A budget without limits that cannot be cancelled.
  Budget() = default;
  // Takes the limits on memory and work from `limits`. `cancel` may be null and
  // must outlive the budget. Without a holder, only the limits decide.
  Budget(const Limits& limits, const CancelToken* cancel, Holder holder = {})
      : max_memory_(limits.max_clip_memory_bytes),
        max_work_(limits.max_clip_work),
        max_work_per_byte_(limits.max_clip_work_per_byte),
        cancel_(cancel),
        holder_(std::move(holder)) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Draws `bytes` of memory; call this before the memory is taken.
  // LimitError if the total would exceed max_clip_memory_bytes; otherwise
  // the status of the holder. Draws nothing if it fails.
  absl::Status Hold(int64_t bytes);
  // Gives back `bytes` that were drawn, after the memory is freed.
  void Return(int64_t bytes);

  // Draws `units` of work. CANCELLED if the conversion is cancelled.
  // LimitError if the total exceeds max_clip_work +
  // max_clip_work_per_byte * (bytes of input).
  absl::Status Work(int64_t units);
  // Returns the status that Work(units) would return, but draws nothing.
  absl::Status CheckWork(int64_t units);
  // Counts input that has arrived, which raises the limit on work. `bytes` is
  // its size as it was received, compressed or not.
  void AddInput(int64_t bytes);

  // The memory that is drawn now, and the work drawn in total.
  int64_t held() const;
  int64_t work() const { return work_.load(std::memory_order_relaxed); }
  // The first failure to grant memory or work, by a limit or by the holder; OK
  // if there was none. For code that stops without a status of its own.
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
  mutable std::mutex mutex_;
  int64_t held_ = 0;
  // Bytes granted by the holder.
  int64_t granted_ = 0;
  absl::Status failure_;
  std::atomic<int64_t> work_{0};
  std::atomic<int64_t> input_{0};
};

// The same calls for a budget that may be null. Null means: no limits.
inline absl::Status HoldFrom(Budget* budget, int64_t bytes) {
  return budget == nullptr ? absl::OkStatus() : budget->Hold(bytes);
}
inline void ReturnTo(Budget* budget, int64_t bytes) {
  if (budget != nullptr) budget->Return(bytes);
}
inline absl::Status WorkFrom(Budget* budget, int64_t units) {
  return budget == nullptr ? absl::OkStatus() : budget->Work(units);
}

}  // namespace bvhmill
