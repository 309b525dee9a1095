// Rotation values that lack digits, and rotation values in radians.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// No angle between -1 turn and 1 turn is larger in radians. Exporters round.
constexpr float kTurnInRadians = 2 * std::numbers::pi_v<float> + 1e-3F;

// The values of a rotation channel so far.
struct Values {
  float smallest = INFINITY;
  float largest = -INFINITY;
  // All are multiples of 0.1, or of 1.
  bool are_tenths = true;
  bool are_whole = true;

  double range() const { return double{largest} - double{smallest}; }
  bool IsMultipleOf(bool whole) const { return whole ? are_whole : are_tenths; }
};

// A float of a file with one decimal is this close to it.
bool IsWhole(double value) {
  constexpr double kRounding = 1e-3;
  return std::abs(value - std::rint(value)) < kRounding;
}

// Most clips are judged by a few channels of their first block: each question
// ends at the first channel that answers it.
class ValueRules final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  void AddValues(const float* values, size_t count, Values* sums);
  double CountMultiples(bool whole) const;
  void LogQuantized(IssueLog* log) const;
  void LogRadians(IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  // One for each channel of rotation tracks.
  std::vector<Values> columns_;
  // Channels that move, and are no multiples.
  double others_ = 0;
  bool may_be_quantized_ = false;
  bool may_be_radians_ = false;
};

void ValueRules::Begin(const MotionClip& clip) {
  clip_ = &clip;
  size_t columns = 0;
  for (size_t i = 0; i < clip.rotations; ++i) {
    columns += clip.ColumnsOf(clip.tracks[i]).size();
  }
  columns_.assign(columns, {});
  others_ = 0;
  may_be_quantized_ = may_be_radians_ = columns > 0;
}

void ValueRules::AddValues(const float* values, size_t count, Values* sums) {
  const double moves = (*clip_)[Threshold::DATA_QUANTIZED_degrees];
  const bool was_other = !sums->are_tenths && sums->range() > moves;
  for (size_t i = 0; i < count; ++i) {
    const float value = values[i];
    sums->smallest = std::min(sums->smallest, value);
    sums->largest = std::max(sums->largest, value);
    sums->are_whole = sums->are_whole && IsWhole(value);
    sums->are_tenths = sums->are_tenths && IsWhole(10.0 * value);
  }
  if (std::max(sums->largest, -sums->smallest) > kTurnInRadians) {
    may_be_radians_ = false;
  }
  const bool is_other = !sums->are_tenths && sums->range() > moves;
  if (is_other && !was_other) ++others_;
  // No more channels move than there are.
  const double most = 1 - (*clip_)[Threshold::DATA_QUANTIZED_share];
  if (others_ > most * static_cast<double>(columns_.size())) {
    may_be_quantized_ = false;
  }
}

void ValueRules::Add(const MotionBlock& block) {
  size_t column = 0;
  for (size_t i = 0; i < clip_->rotations; ++i) {
    // Values that do not change are judged once.
    const bool is_known = block.first > 0 && block.changes[i] == 0;
    const auto count = static_cast<size_t>(is_known ? 0 : block.frames);
    for (const TrackColumn& at : clip_->ColumnsOf(clip_->tracks[i])) {
      if (!may_be_quantized_ && !may_be_radians_) return;
      AddValues(block.ValuesOf(at.column) + kStepLead, count,
                &columns_[column++]);
    }
  }
}

// Channels that move and have multiples of 1, or of 0.1.
double ValueRules::CountMultiples(bool whole) const {
  const double moves = (*clip_)[Threshold::DATA_QUANTIZED_degrees];
  return static_cast<double>(
      std::count_if(columns_.begin(), columns_.end(), [&](const Values& v) {
        return v.range() > moves && v.IsMultipleOf(whole);
      }));
}

void ValueRules::LogQuantized(IssueLog* log) const {
  const MotionClip& clip = *clip_;
  const double tenths = CountMultiples(/*whole=*/false);
  const double whole = CountMultiples(/*whole=*/true);
  const double moving = tenths + others_;
  const double fewest = clip[Threshold::DATA_QUANTIZED_share] * moving;
  if (!may_be_quantized_ || moving == 0 ||
      moving < clip[Threshold::DATA_QUANTIZED_channels] ||
      clip.facts->frames < clip[Threshold::DATA_QUANTIZED_frames] ||
      tenths < fewest) {
    return;
  }
  const bool are_whole = whole >= fewest;
  log->Add(IssueCode::DATA_QUANTIZED, {},
           {{"step", are_whole ? "1" : "0.1"},
            {"channels", Short(are_whole ? whole : tenths)},
            {"moving", Short(moving)}});
}

void ValueRules::LogRadians(IssueLog* log) const {
  const MotionClip& clip = *clip_;
  float largest = 0;
  double moving = 0;
  for (const Values& v : columns_) {
    largest = std::max({largest, v.largest, -v.smallest});
    if (v.range() >= clip[Threshold::DATA_RADIANS_range]) ++moving;
  }
  if (!may_be_radians_ || largest < clip[Threshold::DATA_RADIANS_largest] ||
      moving == 0 || moving < clip[Threshold::DATA_RADIANS_channels]) {
    return;
  }
  log->Add(IssueCode::DATA_RADIANS, {},
           {{"largest", Short(largest)}, {"channels", Short(moving)}});
}

void ValueRules::Finish(IssueLog* log) {
  if (clip_->facts->frames < kFewestMotionFrames) return;
  LogQuantized(log);
  LogRadians(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeValueRules() {
  return std::make_unique<ValueRules>();
}

}  // namespace bvhmill
