// Rotation values that lack digits, and rotation values in radians.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// No angle between -1 turn and 1 turn is larger in radians. Exporters round.
constexpr float kTurnInRadians = 2 * std::numbers::pi_v<float> + 1e-3F;

// A float of a file with one decimal is this close to it.
bool IsWhole(double value) {
  constexpr double kRounding = 1e-3;
  // Numbers of this size are whole. To add it rounds smaller ones.
  constexpr double kMagic = 0x1.8p52;
  if (std::abs(value) >= 0x1p51) return true;
  return std::abs(value - ((value + kMagic) - kMagic)) < kRounding;
}

// The values of a channel, as far as they must be known: a channel that moves
// and has a value which is no multiple of 0.1 is not looked at further.
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

// The values of a channel are at least `least` apart.
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
  // Those of rotations come first.
  const auto columns = std::span(clip_.columns).first(count);
  LogQuantized(columns, log);
  LogRadians(columns, log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeValueRules(const MotionClip& clip) {
  return std::make_unique<ValueRules>(clip);
}

}  // namespace bvhmill
