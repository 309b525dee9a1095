#include "bvhmill/validate/floor/floor_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bvhmill/clip/finite.h"

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

// Scales are finite, also for the smallest figures.
float ToFloat(double scale) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(scale, -kMost, kMost));
}

// `product` is the sum of x * y, `x` and `y` are the sums of their squares.
double CorrelationOf(double product, double x, double y) {
  const double scale = std::sqrt(x) * std::sqrt(y);
  return scale > 0 ? product / scale : 0;
}

// Without branches, so that compilers turn it into vectors.
void Widen(const float* values, size_t count, float* least, float* most) {
  for (size_t i = 0; i < count; ++i) {
    least[i] = std::min(least[i], values[i]);
    most[i] = std::max(most[i], values[i]);
  }
}

}  // namespace

int64_t FloorMeasure::BytesFor(const Landmarks& landmarks, size_t trunk) {
  size_t points = trunk;
  for (const auto& foot : landmarks.feet) points += foot.size();
  return PairSamples::kMost *
         static_cast<int64_t>(2 * 3 * points * sizeof(float) +
                              landmarks.feet.size() * sizeof(double) +
                              sizeof(FootStep) + sizeof(double));
}

void FloorMeasure::Begin(const Landmarks& landmarks,
                         std::span<const int32_t> trunk, double reach,
                         int64_t step) {
  landmarks_ = &landmarks;
  scale_ = 1 / reach;
  step_ = step;
  is_finite_ = true;
  moves_.assign(trunk.size(), false);
  for (HeightHistogram& heights : heights_) heights.Clear();
  lowest_.fill({std::numeric_limits<double>::infinity(), -1, -1});
  up_sum_ = {};
  up_frames_ = 0;
  points_.assign(trunk.begin(), trunk.end());
  feet_from_ = trunk.size();
  root_ = 0;
  for (const auto& foot : landmarks.feet) {
    points_.insert(points_.end(), foot.begin(), foot.end());
  }
  first_frame_.assign(3 * landmarks.nodes.size(), 0.0F);
  newest_.assign(first_frame_.size(), 0.0F);
  point_positions_.assign(3 * points_.size(), 0.0F);
  pairs_.Begin(point_positions_.size());
}

void FloorMeasure::Add(int64_t frames, std::span<const float> positions) {
  if (frames == 0) return;
  const LandmarkFrames added = {positions.data(), frames};
  const int64_t number = this->frames();
  if (number == 0) Keep(added, 0, &first_frame_);
  // The newest frame so far is not the last one.
  if (number > 1) Count({newest_.data(), 1}, 0, 1, number - 1);
  const int64_t first = number == 0 ? 1 : 0;
  Count(added, first, frames - 1 - first, number + first);
  Keep(added, frames - 1, &newest_);
  for (int64_t i = 0; i < frames; ++i) AddPair(added, i);
}

void FloorMeasure::Keep(const LandmarkFrames& from, int64_t frame,
                        std::vector<float>* kept) const {
  const size_t nodes = landmarks_->nodes.size();
  for (size_t node = 0; node < nodes; ++node) {
    std::copy_n(from.At(static_cast<int32_t>(node), frame), 3,
                kept->data() + 3 * node);
  }
}

void FloorMeasure::AddPair(const LandmarkFrames& from, int64_t frame) {
  if (!pairs_.NeedsNext()) return pairs_.Skip();
  for (size_t i = 0; i < points_.size(); ++i) {
    std::copy_n(from.At(points_[i], frame), 3, point_positions_.data() + 3 * i);
  }
  pairs_.Add(point_positions_);
}

void FloorMeasure::End(int64_t first, int64_t last, size_t root) {
  first_ = first;
  last_ = last;
  root_ = root;
  const int64_t newest = frames() - 1;
  if (first == 0 && newest >= 0) Count({first_frame_.data(), 1}, 0, 1, 0);
  if (newest > 0 && step_ * newest <= last) {
    Count({newest_.data(), 1}, 0, 1, newest);
  }
}

void FloorMeasure::Count(const LandmarkFrames& from, int64_t first,
                         int64_t frames, int64_t number) {
  for (int64_t done = 0; done < frames && is_finite_; done += kBlock) {
    CountBlock(from, first + done, std::min(kBlock, frames - done),
               number + done);
  }
}

void FloorMeasure::CountBlock(const LandmarkFrames& from, int64_t first,
                              int64_t frames, int64_t number) {
  const auto count = static_cast<size_t>(3 * frames);
  Coordinates least;
  Coordinates most;
  std::copy_n(from.At(points_[feet_from_], first), count, least.begin());
  std::copy_n(from.At(points_[feet_from_], first), count, most.begin());
  bool is_finite = AreFinite({least.data(), count});
  for (size_t i = feet_from_ + 1; i < points_.size(); ++i) {
    const float* place = from.At(points_[i], first);
    is_finite = is_finite && AreFinite({place, count});
    Widen(place, count, least.data(), most.data());
  }
  if (landmarks_->head >= 0) {
    is_finite =
        is_finite && AreFinite({from.At(landmarks_->head, first), count});
  }
  is_finite_ = is_finite;
  if (!is_finite) return;
  CountTrunk(from, first, frames);
  CountPlaces(0, least, from, first, frames, number);
  CountPlaces(3, most, from, first, frames, number);
  CountUp(from, first, frames);
}

void FloorMeasure::CountTrunk(const LandmarkFrames& from, int64_t first,
                              int64_t frames) {
  for (size_t joint = 0; joint < feet_from_; ++joint) {
    const float* still = first_frame_.data() + 3 * points_[joint];
    for (int64_t i = first; i < first + frames && !moves_[joint]; ++i) {
      moves_[joint] = !std::equal(still, still + 3, from.At(points_[joint], i));
    }
  }
}

void FloorMeasure::CountPlaces(size_t direction, const Coordinates& places,
                               const LandmarkFrames& from, int64_t first,
                               int64_t frames, int64_t number) {
  const auto which = static_cast<int>(direction);
  const auto count = static_cast<size_t>(3 * frames);
  const double scale = SignOfDirection(which) * scale_;
  std::array<int32_t, size_t{3 * kBlock}> bins;
  HeightHistogram::BinsOf(places.data(), count, ToFloat(scale), bins.data());
  for (size_t i = 0; i < count; i += 3) {
    for (size_t axis = 0; axis < 3; ++axis) {
      heights_[direction + axis].AddToBin(bins[i + axis]);
      LowestFoot& lowest = lowest_[direction + axis];
      const double height = scale * double{places[i + axis]};
      if (!(height < lowest.height)) continue;
      const auto at = static_cast<int64_t>(i / 3);
      lowest = {height, step_ * (number + at),
                NodeAt(from, first + at, axis, places[i + axis])};
    }
  }
}

// The first node of a foot that is at `place` on the axis.
int32_t FloorMeasure::NodeAt(const LandmarkFrames& from, int64_t frame,
                             size_t axis, float place) const {
  return *std::find_if(
      points_.begin() + static_cast<ptrdiff_t>(feet_from_), points_.end(),
      [&](int32_t point) { return from.At(point, frame)[axis] == place; });
}

void FloorMeasure::CountUp(const LandmarkFrames& from, int64_t first,
                           int64_t frames) {
  if (landmarks_->head < 0) return;
  const auto count = static_cast<size_t>(3 * frames);
  std::array<double, size_t{3 * kBlock}> up;
  const float* head = from.At(landmarks_->head, first);
  for (size_t i = 0; i < count; ++i) up[i] = head[i];
  const double share = 1 / static_cast<double>(landmarks_->feet.size());
  for (const auto& foot : landmarks_->feet) {
    const float* place = from.At(foot[0], first);
    for (size_t i = 0; i < count; ++i) up[i] -= share * place[i];
  }
  // Without branches, so that compilers turn it into vectors.
  std::array<double, size_t{kBlock}> scales;
  const auto steps = static_cast<size_t>(frames);
  for (size_t i = 0; i < steps; ++i) {
    const double* v = up.data() + 3 * i;
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    scales[i] = square > 0 ? 1 / std::sqrt(square) : 0;
  }
  for (size_t i = 0; i < steps; ++i) {
    for (size_t axis = 0; axis < 3; ++axis) {
      up_sum_[axis] += scales[i] * up[3 * i + axis];
    }
    up_frames_ += scales[i] > 0 ? 1 : 0;
  }
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
  for (size_t point = feet_from_; point < points_.size(); ++point) {
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
  // Sums of foot . root, root . root and foot . foot over those steps.
  double along = 0;
  double root = 0;
  double foot = 0;
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
    const size_t of_root = 3 * root_ + axis;
    const double root = scale_ * (double{after[of_root]} - before[of_root]);
    square += step * step;
    sums->along += step * root;
    sums->root += root * root;
  }
  sums->foot += square;
  sums->steps->push_back(std::sqrt(square));
}

FootSlide FloorMeasure::Slide(int direction, double height, double vertical,
                              double dt) {
  const double seconds = static_cast<double>(step_) * dt;
  SlideSums sums;
  scratch_.clear();
  sums.steps = &scratch_;
  sums.direction = direction;
  sums.height = height;
  sums.vertical = vertical * seconds;
  for (int64_t pair = 0; pair < pairs_.count(); ++pair) {
    if (!Counts(pair)) continue;
    ++sums.pairs;
    size_t first = feet_from_;
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
  slide.median = QuantileOf(0.5, &scratch_) / seconds;
  // A root that hardly moves has no way to follow.
  const double least = kStillRoot * seconds;
  slide.root_is_still =
      sums.root <= least * least * static_cast<double>(scratch_.size());
  slide.gain = sums.root > 0 ? sums.along / sums.root : 0;
  slide.correlation = CorrelationOf(sums.along, sums.root, sums.foot);
  return slide;
}

// Sums of squares around the means.
RootRise FloorMeasure::Rise(int direction) const {
  double count = 0;
  double root_mean = 0;
  double legs_mean = 0;
  double root_square = 0;
  double legs_square = 0;
  double product = 0;
  for (int64_t pair = 0; pair < pairs_.count(); ++pair) {
    if (!Counts(pair)) continue;
    const double root = HeightAt(pairs_.after(pair), root_, direction);
    const double legs = root - LowestAt(pair, direction);
    const double root_away = root - root_mean;
    const double legs_away = legs - legs_mean;
    ++count;
    root_mean += root_away / count;
    legs_mean += legs_away / count;
    root_square += root_away * (root - root_mean);
    legs_square += legs_away * (legs - legs_mean);
    product += root_away * (legs - legs_mean);
  }
  RootRise rise;
  if (!(legs_square > 0)) return rise;
  rise.legs = std::sqrt(legs_square / count);
  rise.gain = product / legs_square;
  rise.correlation = CorrelationOf(product, root_square, legs_square);
  return rise;
}

}  // namespace bvhmill
