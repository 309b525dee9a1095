#pragma once

// The cost that the conversion of a clip may have: memory and units of work.
//
// A stage states its cost and draws it before it takes memory or begins to
// work, so that little input cannot cost more than the limits allow:
//
//   BVHMILL_RETURN_IF_ERROR(budget->Hold(rows * row_bytes));
//   buffer.resize(rows * row_bytes);
//
// A unit of work is about a nanosecond of one core. Work is drawn in parts of
// at most a few ten million units, since that is also where a cancelled
// conversion stops.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/limits.h"

namespace bvhmill {

// Thread-safe.
class Budget {
 public:
  // Grants memory to a conversion on behalf of its caller, for example from
  // the share of a server that a client has. A negative number gives memory
  // back and is always granted. It is called by one thread at a time, and not
  // for the first kFreeBytes; what it is asked for is rounded up.
  using Holder = std::function<absl::Status(int64_t bytes)>;
  static constexpr int64_t kFreeBytes = int64_t{128} << 10;

  // The limit that a budget has refused something for.
  struct Refusal {
    std::string_view limit_name;
    int64_t limit = 0;
  };

  // No limits, and nothing to cancel.
  Budget() = default;
  // Takes the limits on memory and work from `limits`. `cancel` may be null and
  // must outlive the budget. No holder: the limits alone decide.
  Budget(const Limits& limits, const CancelToken* cancel, Holder holder = {})
      : max_memory_(limits.max_memory_bytes),
        max_work_(limits.max_work),
        max_work_per_byte_(limits.max_work_per_byte),
        cancel_(cancel),
        holder_(std::move(holder)) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Draws `bytes` of memory that is about to be taken. RESOURCE_EXHAUSTED if
  // that would be more than max_memory_bytes; else what the holder says. Draws
  // nothing if it fails.
  absl::Status Hold(int64_t bytes);
  // Gives back what was drawn and has been freed.
  void Return(int64_t bytes);

  // Draws work. CANCELLED if the conversion is; RESOURCE_EXHAUSTED if it is
  // more than max_work and max_work_per_byte for each byte of input together.
  absl::Status Work(int64_t units);
  // The status that Work would return for `units`, of which it draws none.
  absl::Status CheckWork(int64_t units);
  // Input has come, as many bytes as it had on its way here: it may cost more
  // work.
  void AddInput(int64_t bytes);

  // Memory that is drawn now, and work that was drawn in all.
  int64_t held() const;
  int64_t work() const { return work_.load(std::memory_order_relaxed); }
  // The first refusal for a limit of the budget itself; none if there was none.
  std::optional<Refusal> refusal() const;
  // The first refusal, of the budget or of its holder; OK if there was none.
  // For code that stops without a status of its own.
  absl::Status failure() const;

 private:
  absl::Status Grant(int64_t held);
  bool ExceedsWork(int64_t drawn, int64_t units) const;
  absl::Status TooMuchWork();
  absl::Status Refuse(const Refusal& refusal, const std::string& why);
  absl::Status Note(const absl::Status& status);

  int64_t max_memory_ = 0;
  int64_t max_work_ = 0;
  int64_t max_work_per_byte_ = 0;
  const CancelToken* cancel_ = nullptr;
  Holder holder_;
  mutable std::mutex mutex_;
  int64_t held_ = 0;
  // Bytes that the holder has granted.
  int64_t granted_ = 0;
  std::optional<Refusal> refusal_;
  absl::Status failure_;
  std::atomic<int64_t> work_{0};
  std::atomic<int64_t> input_{0};
};

// The same where there may be no budget, which is one without limits.
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
