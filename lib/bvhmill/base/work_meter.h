#pragma once

// Small costs, drawn from a budget in parts: loops count each block of their
// work, and the budget is asked once for many of them.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"

namespace bvhmill {

// Used by one thread at a time.
class WorkMeter {
 public:
  // The units that are drawn at once: the time, about 10 ms, after which a
  // cancelled conversion stops.
  static constexpr int64_t kPart = 10'000'000;

  // Without a budget there is no limit.
  WorkMeter() = default;
  // `budget` may be null; it must outlive the meter.
  explicit WorkMeter(Budget* budget) : budget_(budget) {}

  // Counts `units` of work that is about to be done. False if the budget has
  // refused: the caller stops. Once it has, it stays so.
  bool Spend(int64_t units) {
    unpaid_ += units;
    if (unpaid_ >= kPart) Pay();
    return status_.ok();
  }
  bool ok() const { return status_.ok(); }

  // Draws all that was counted. OK, or what the budget has refused with.
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
