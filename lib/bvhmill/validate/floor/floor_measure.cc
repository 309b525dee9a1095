#include "bvhmill/validate/floor/floor_measure.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace bvhmill {
namespace {

constexpr int64_t kParts = 5;
// Reaches a second.
constexpr double kStillRoot = 0.01;

// The value that the share `share` of `values` is below; reorders them.
double QuantileOf(double share, std::vector<double>* values) {
  const auto index =
      static_cast<ptrdiff_t>(share * static_cast<double>(values->size()));
  const auto at = values->begin() + index;
  std::nth_element(values->begin(), at, values->end());
  return *at;
}

}  // namespace

int64_t FloorMeasure::BytesFor(const Landmarks& landmarks) {
  size_t points = 1;
  for (const auto& foot : landmarks.feet) points += foot.size();
  return PairSamples::kMost *
         static_cast<int64_t>(2 * 3 * points * sizeof(float) +
                              landmarks.feet.size() * sizeof(double));
}

void FloorMeasure::Begin(const Landmarks& landmarks, double reach) {
  landmarks_ = &landmarks;
  scale_ = 1 / reach;
  is_finite_ = true;
  root_moves_ = false;
  for (HeightHistogram& heights : heights_) heights.Clear();
  lowest_.fill({std::numeric_limits<double>::infinity(), -1, -1});
  up_sum_ = {};
  up_frames_ = 0;
  points_.assign(1, 0);
  for (const auto& foot : landmarks.feet) {
    points_.insert(points_.end(), foot.begin(), foot.end());
  }
  frame_values_ = 3 * landmarks.nodes.size();
  first_frame_.assign(frame_values_, 0.0F);
  newest_.assign(frame_values_, 0.0F);
  point_positions_.assign(3 * points_.size(), 0.0F);
  pairs_.Begin(point_positions_.size());
}

void FloorMeasure::Add(int64_t frames, std::span<const float> positions) {
  if (frames == 0) return;
  const float* before = newest_.data();
  const float* frame = positions.data();
  for (int64_t i = 0; i < frames; ++i) {
    const int64_t number = this->frames();
    if (number == 0) first_frame_.assign(frame, frame + frame_values_);
    // The frame before is neither the first nor the last one.
    if (number > 1) Count(before, number - 1);
    AddPair(frame);
    before = frame;
    frame += frame_values_;
  }
  newest_.assign(before, before + frame_values_);
}

void FloorMeasure::AddPair(const float* frame) {
  if (!pairs_.NeedsNext()) return pairs_.Skip();
  for (size_t i = 0; i < points_.size(); ++i) {
    std::copy_n(frame + 3 * points_[i], 3, point_positions_.data() + 3 * i);
  }
  pairs_.Add(point_positions_);
}

void FloorMeasure::End(int64_t first, int64_t last) {
  first_ = first;
  last_ = last;
  const int64_t newest = frames() - 1;
  if (first == 0 && newest >= 0) Count(first_frame_.data(), 0);
  if (newest > 0 && newest <= last) Count(newest_.data(), newest);
}

bool FloorMeasure::IsFinite(const float* frame) const {
  // Without branches, so that the loop is one over vectors.
  constexpr uint32_t kExponent = 0x7F800000;
  uint32_t found = 0;
  for (size_t i = 0; i < frame_values_; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(frame[i]) & kExponent;
    found |= bits == kExponent ? 1U : 0U;
  }
  return found == 0;
}

void FloorMeasure::Count(const float* frame, int64_t number) {
  is_finite_ = is_finite_ && IsFinite(frame);
  if (!is_finite_) return;
  const float* root = frame + 3 * points_[0];
  root_moves_ =
      root_moves_ ||
      !std::equal(root, root + 3, first_frame_.data() + 3 * points_[0]);
  CountFeet(frame, number);
  CountUp(frame);
}

void FloorMeasure::CountFeet(const float* frame, int64_t number) {
  for (size_t axis = 0; axis < 3; ++axis) {
    float least = frame[3 * static_cast<size_t>(points_[1]) + axis];
    float most = least;
    for (size_t i = 2; i < points_.size(); ++i) {
      const float x = frame[3 * static_cast<size_t>(points_[i]) + axis];
      least = std::min(least, x);
      most = std::max(most, x);
    }
    CountLowest(axis, least, frame, number);
    CountLowest(axis + 3, most, frame, number);
  }
}

// The lowest foot is at `place` on the axis of the direction.
void FloorMeasure::CountLowest(size_t direction, float place,
                               const float* frame, int64_t number) {
  const auto which = static_cast<int>(direction);
  const double height = SignOfDirection(which) * scale_ * double{place};
  heights_[direction].Add(height);
  LowestFoot& lowest = lowest_[direction];
  if (!(height < lowest.height)) return;
  const size_t axis = AxisOfDirection(which);
  const auto node =
      std::find_if(points_.begin() + 1, points_.end(), [&](int32_t point) {
        return frame[3 * static_cast<size_t>(point) + axis] == place;
      });
  lowest = {height, number, *node};
}

void FloorMeasure::CountUp(const float* frame) {
  if (landmarks_->head < 0) return;
  const float* head = frame + 3 * landmarks_->head;
  std::array<double, 3> up = {head[0], head[1], head[2]};
  const double share = 1 / static_cast<double>(landmarks_->feet.size());
  for (const auto& foot : landmarks_->feet) {
    const float* at = frame + 3 * foot[0];
    for (size_t axis = 0; axis < 3; ++axis) up[axis] -= share * at[axis];
  }
  const double square = up[0] * up[0] + up[1] * up[1] + up[2] * up[2];
  if (!(square > 0)) return;
  const double scale = 1 / std::sqrt(square);
  for (size_t axis = 0; axis < 3; ++axis) up_sum_[axis] += scale * up[axis];
  ++up_frames_;
}

std::array<double, 3> FloorMeasure::Up() const {
  std::array<double, 3> up = up_sum_;
  for (double& x : up) x /= std::max(static_cast<double>(up_frames_), 1.0);
  return up;
}

double FloorMeasure::HeightAt(std::span<const float> points, size_t point,
                              int direction) const {
  return scale_ * SignOfDirection(direction) *
         double{points[3 * point + AxisOfDirection(direction)]};
}

// The lowest node of all feet in the later frame of a pair.
double FloorMeasure::LowestAt(int64_t pair, int direction) const {
  double low = std::numeric_limits<double>::infinity();
  for (size_t point = 1; point < points_.size(); ++point) {
    low = std::min(low, HeightAt(pairs_.after(pair), point, direction));
  }
  return low;
}

double FloorMeasure::HeightOf(int direction, double share) {
  const double height = heights(direction).Quantile(share);
  if (!HeightHistogram::IsAtEnd(height)) return height;
  scratch_.clear();
  for (int64_t pair = 0; pair < pairs_.count(); ++pair) {
    if (Counts(pair)) scratch_.push_back(LowestAt(pair, direction));
  }
  return scratch_.empty() ? height : QuantileOf(share, &scratch_);
}

std::optional<std::array<double, 5>> FloorMeasure::PartHeights(int direction) {
  std::array<double, 5> heights = {};
  int64_t pair = 0;
  for (size_t part = 0; part < heights.size(); ++part) {
    // Compared in whole numbers: a frame belongs to exactly one part.
    const int64_t end = static_cast<int64_t>(part + 1) * frames();
    scratch_.clear();
    for (; pair < pairs_.count() && kParts * pairs_.frame(pair) < end; ++pair) {
      if (Counts(pair)) scratch_.push_back(LowestAt(pair, direction));
    }
    if (scratch_.empty()) return std::nullopt;
    heights[part] = QuantileOf(0.25, &scratch_);
  }
  return heights;
}

// Sums of Slide, over pairs of frames and feet.
struct FloorMeasure::SlideSums {
  int direction = kPlusY;
  double height = 0;
  // The largest step along the direction.
  double vertical = 0;
  int64_t pairs = 0;
  // Lengths of the steps of feet with contact, across the direction.
  std::vector<double>* steps = nullptr;
  // Sums of foot . root and root . root over those steps.
  double along = 0;
  double root = 0;
};

// Adds the foot that has the points `first` and following.
void FloorMeasure::AddSlide(int64_t pair, size_t first, size_t count,
                            SlideSums* sums) const {
  const auto before = pairs_.before(pair);
  const auto after = pairs_.after(pair);
  const int direction = sums->direction;
  size_t low = first;
  for (size_t i = first; i < first + count; ++i) {
    if (HeightAt(after, i, direction) < HeightAt(after, low, direction))
      low = i;
  }
  const double now = HeightAt(after, low, direction);
  const double then = HeightAt(before, low, direction);
  const bool touches = now < sums->height && then < sums->height &&
                       std::fabs(now - then) < sums->vertical;
  if (!touches) return;
  double square = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (axis == AxisOfDirection(direction)) continue;
    const size_t at = 3 * low + axis;
    const double step = scale_ * (double{after[at]} - before[at]);
    const double root = scale_ * (double{after[axis]} - before[axis]);
    square += step * step;
    sums->along += step * root;
    sums->root += root * root;
  }
  sums->steps->push_back(std::sqrt(square));
}

FootSlide FloorMeasure::Slide(int direction, double height, double vertical,
                              double dt) {
  SlideSums sums;
  scratch_.clear();
  sums.steps = &scratch_;
  sums.direction = direction;
  sums.height = height;
  sums.vertical = vertical * dt;
  for (int64_t pair = 0; pair < pairs_.count(); ++pair) {
    if (!Counts(pair)) continue;
    ++sums.pairs;
    size_t first = 1;
    for (const auto& foot : landmarks_->feet) {
      AddSlide(pair, first, foot.size(), &sums);
      first += foot.size();
    }
  }
  FootSlide slide;
  if (scratch_.empty()) return slide;
  const auto feet = static_cast<int64_t>(landmarks_->feet.size());
  slide.contact = static_cast<double>(scratch_.size()) /
                  static_cast<double>(sums.pairs * feet);
  slide.median = QuantileOf(0.5, &scratch_) / dt;
  // A root that hardly moves has no way to follow.
  const double least = kStillRoot * dt;
  slide.root_is_still =
      sums.root <= least * least * static_cast<double>(scratch_.size());
  slide.gain = slide.root_is_still ? 0 : sums.along / sums.root;
  return slide;
}

}  // namespace bvhmill
