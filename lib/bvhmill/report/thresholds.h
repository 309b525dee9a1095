#pragma once

// The thresholds of the motion rules: their names, defaults and reasons, and
// the values that a caller chooses instead. threshold_table.inc is the only
// place that defines them.
//
//   Thresholds thresholds(options.thresholds);
//   if (degrees >= thresholds[Threshold::DATA_SPIKE_degrees]) ...

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/report/report.h"

namespace bvhmill {

// CODE_name of each row of the table.
enum class Threshold {
#define BVHMILL_THRESHOLD(code, name, value, unit, reason) code##_##name,
#include "bvhmill/report/threshold_table.inc"
#undef BVHMILL_THRESHOLD
};

inline constexpr size_t kThresholds = 0
// Adds 1 per row: NOLINTNEXTLINE(bugprone-macro-parentheses)
#define BVHMILL_THRESHOLD(code, name, value, unit, reason) +1
#include "bvhmill/report/threshold_table.inc"
#undef BVHMILL_THRESHOLD
    ;

struct ThresholdEntry {
  IssueCode code;
  std::string_view name;
  // The default, in `unit`.
  double value;
  // "degrees", "s", "Hz" and others: see threshold_table.inc.
  std::string_view unit;
  // One sentence: the reason for the default.
  std::string_view reason;
};

// All rows, in the order of the table.
std::span<const ThresholdEntry> ThresholdTable();

// The threshold `name` of the rule `code`; nullopt if there is none. O(rows).
std::optional<Threshold> FindThreshold(std::string_view code,
                                       std::string_view name);

// "" if `choice` is valid; otherwise a sentence with the reason, and the
// nearest name if there is one. A value must be finite and not negative.
std::string WhyNot(const ThresholdChoice& choice);

// The value of each threshold. Cheap to copy.
class Thresholds {
 public:
  // The defaults.
  Thresholds();
  // The defaults, replaced by the values of `choices`. If several are for one
  // threshold, the last one counts. Invalid choices have no effect: check them
  // with WhyNot.
  explicit Thresholds(std::span<const ThresholdChoice> choices);

  double operator[](Threshold threshold) const {
    return values_[static_cast<size_t>(threshold)];
  }

 private:
  std::array<double, kThresholds> values_;
};

// The values of Thresholds(choices) that differ from the defaults, in the order
// of the table.
std::vector<ThresholdChoice> Changes(std::span<const ThresholdChoice> choices);

// A clip with fewer frames is a set of poses. Rules that compare the change
// between two frames with other changes log nothing about it.
inline constexpr int64_t kFewestMotionFrames = 8;

}  // namespace bvhmill
