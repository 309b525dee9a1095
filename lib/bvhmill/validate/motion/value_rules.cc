// DATA_QUANTIZED: at least DATA_QUANTIZED.share of the rotation channels that
// move have only multiples of 0.1 degrees, or of 1 degree.
//
// DATA_RADIANS: no rotation value of the clip is above 2 pi, although several
// channels move and the largest value is DATA_RADIANS.largest or more.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// A full turn in radians, with room for the rounding of exporters.
constexpr float kTurnInRadians = 2 * std::numbers::pi_v<float> + 1e-3F;

// A float of a file with one decimal is this close to it.
bool IsWhole(double value) {
  constexpr double kRounding = 1e-3;
  // Floats of this size are whole, so adding it rounds smaller ones.
  constexpr double kMagic = 0x1.8p52;
  if (std::abs(value) >= 0x1p51) return true;
  return std::abs(value - ((value + kMagic) - kMagic)) < kRounding;
}

// What is known of the values of a channel. ValuesOf stops at the first value
// that is no multiple of 0.1 if the channel moves.
struct Values {
  bool moves = false;
  // All are multiples of 0.1, or of 1.
  bool are_tenths = true;
  bool are_whole = true;
};

class ValueRules final : public MotionRule {
 public:
  explicit ValueRules(const MotionClip& clip) : MotionRule(clip) {}
  void Decide(IssueLog* log) override;

 private:
  Values ValuesOf(int32_t column) const;
  bool HasRange(int32_t column, double least) const;
  void LogQuantized(std::span<const TrackColumn> columns, IssueLog* log) const;
  void LogRadians(std::span<const TrackColumn> columns, IssueLog* log) const;
};

Values ValueRules::ValuesOf(int32_t column) const {
  const double least = clip_[Threshold::DATA_QUANTIZED_degrees];
  const auto at = static_cast<size_t>(column);
  float smallest = INFINITY;
  float largest = -INFINITY;
  Values out;
  for (int64_t t = 0; t < clip_.frames && (out.are_tenths || !out.moves); ++t) {
    const float value = clip_.Row(t)[at];
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    out.moves = double{largest} - double{smallest} > least;
    out.are_whole = out.are_whole && IsWhole(value);
    out.are_tenths = out.are_tenths && IsWhole(10.0 * value);
  }
  return out;
}

void ValueRules::LogQuantized(std::span<const TrackColumn> columns,
                              IssueLog* log) const {
  const double share = clip_[Threshold::DATA_QUANTIZED_share];
  const double most_others = (1 - share) * static_cast<double>(columns.size());
  double tenths = 0;
  double whole = 0;
  double others = 0;
  for (const TrackColumn& column : columns) {
    if (clip_.ranges[static_cast<size_t>(column.column)].change == 0) continue;
    const Values values = ValuesOf(column.column);
    if (!values.moves) continue;
    tenths += values.are_tenths ? 1 : 0;
    whole += values.are_whole ? 1 : 0;
    others += values.are_tenths ? 0 : 1;
    if (others > most_others) return;
  }
  const double moving = tenths + others;
  const double fewest = share * moving;
  if (moving == 0 || moving < clip_[Threshold::DATA_QUANTIZED_channels] ||
      clip_.facts->frames < clip_[Threshold::DATA_QUANTIZED_frames] ||
      tenths < fewest) {
    return;
  }
  const bool are_whole = whole >= fewest;
  log->Add(IssueCode::DATA_QUANTIZED, {},
           {{"step", are_whole ? "1" : "0.1"},
            {"channels", Short(are_whole ? whole : tenths)},
            {"moving", Short(moving)}});
}

// True if two values of the channel are at least `least` apart.
bool ValueRules::HasRange(int32_t column, double least) const {
  const auto at = static_cast<size_t>(column);
  float smallest = INFINITY;
  float largest = -INFINITY;
  for (int64_t t = 0; t < clip_.frames; ++t) {
    smallest = std::min(smallest, clip_.Row(t)[at]);
    largest = std::max(largest, clip_.Row(t)[at]);
    if (double{largest} - double{smallest} >= least) return true;
  }
  return false;
}

void ValueRules::LogRadians(std::span<const TrackColumn> columns,
                            IssueLog* log) const {
  float largest = 0;
  for (const TrackColumn& column : columns) {
    const auto at = static_cast<size_t>(column.column);
    largest = std::max(largest, clip_.ranges[at].largest);
  }
  if (largest > kTurnInRadians ||
      largest < clip_[Threshold::DATA_RADIANS_largest]) {
    return;
  }
  const double least = clip_[Threshold::DATA_RADIANS_range];
  const auto moving = static_cast<double>(std::count_if(
      columns.begin(), columns.end(),
      [&](const auto& column) { return HasRange(column.column, least); }));
  if (moving == 0 || moving < clip_[Threshold::DATA_RADIANS_channels]) return;
  log->Add(IssueCode::DATA_RADIANS, {},
           {{"largest", Short(largest)}, {"channels", Short(moving)}});
}

void ValueRules::Decide(IssueLog* log) {
  size_t count = 0;
  for (size_t i = 0; i < clip_.rotations; ++i) {
    count += clip_.ColumnsOf(clip_.tracks[i]).size();
  }
  // The columns of rotations come first.
  const auto columns = std::span(clip_.columns).first(count);
  LogQuantized(columns, log);
  LogRadians(columns, log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeValueRules(const MotionClip& clip) {
  return std::make_unique<ValueRules>(clip);
}

}  // namespace bvhmill
