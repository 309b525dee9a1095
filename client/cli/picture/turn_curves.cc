#include "client/cli/picture/turn_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bvhmill::client {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNoTurn = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TurnCurves::TurnCurves(size_t series) : series_(series) {
  ranges_.reserve(series * kMaxValues);
}

void TurnCurves::Add(std::span<const float> values) {
  if (frames_ == frames_per_value_ * static_cast<int64_t>(kMaxValues)) Merge();
  const auto range = static_cast<size_t>(frames_ / frames_per_value_);
  ranges_.resize((range + 1) * series_, {kInfinity, -kInfinity});
  Range* const last = ranges_.data() + range * series_;
  for (size_t i = 0; i < series_; ++i) {
    if (!std::isfinite(values[i])) continue;
    last[i].low = std::min(last[i].low, values[i]);
    last[i].high = std::max(last[i].high, values[i]);
  }
  ++frames_;
}

void TurnCurves::Merge() {
  for (size_t range = 0; range < kMaxValues / 2; ++range) {
    const Range* const first = ranges_.data() + 2 * range * series_;
    const Range* const second = first + series_;
    Range* const both = ranges_.data() + range * series_;
    for (size_t i = 0; i < series_; ++i) {
      both[i] = {std::min(first[i].low, second[i].low),
                 std::max(first[i].high, second[i].high)};
    }
  }
  ranges_.resize(kMaxValues / 2 * series_);
  frames_per_value_ *= 2;
}

TurnCurve TurnCurves::CurveOf(size_t series) const {
  TurnCurve curve;
  for (size_t at = series; at < ranges_.size(); at += series_) {
    const bool is_known = ranges_[at].low <= ranges_[at].high;
    curve.low.push_back(is_known ? ranges_[at].low : kNoTurn);
    curve.high.push_back(is_known ? ranges_[at].high : kNoTurn);
  }
  return curve;
}

}  // namespace bvhmill::client
