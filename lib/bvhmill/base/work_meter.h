#pragma once

// Collects small costs of work and draws them from a budget in large parts. A
// loop counts each block of its work, and the budget is asked once for many
// blocks.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"

namespace bvhmill {

// Used by one thread at a time. The destructor draws nothing: call Pay() when
// the work is done.
class WorkMeter {
 public:
  // Units that are drawn at once, about 10 ms of work. A cancelled conversion
  // stops after this time at the latest.
  static constexpr int64_t kPart = 10'000'000;

  // A meter without a budget; there is no limit.
  WorkMeter() = default;
  // `budget` may be null; it must outlive the meter.
  explicit WorkMeter(Budget* budget) : budget_(budget) {}

  // Counts `units` of work that is about to be done. False if the budget has
  // refused; the caller then stops. After a refusal it always returns false.
  bool Spend(int64_t units) {
    unpaid_ += units;
    if (unpaid_ >= kPart) Pay();
    return status_.ok();
  }
  bool ok() const { return status_.ok(); }

  // Draws everything that was counted and not yet drawn. Returns OK, or the
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
