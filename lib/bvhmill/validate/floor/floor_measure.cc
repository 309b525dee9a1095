#include "bvhmill/validate/floor/floor_measure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "bvhmill/validate/floor/landmarks.h"

namespace bvhmill {
namespace {

constexpr int64_t kParts = 5;
// A root below this speed hardly moves. Reaches a second.
constexpr double kStillRoot = 0.01;

// The farthest pairs (in judged frames) by which parts of a clip can be found.
constexpr int64_t kMostStride = 2;

// StepsOn: a foot touches the floor if the lowest node is within kNearFloor of
// it, and a node within kNearLowest of the lowest one rises or sinks slower
// than kVertical. Reaches, and reaches a second.
constexpr double kNearFloor = 0.05;
constexpr double kNearLowest = 0.06;
constexpr double kVertical = 0.3;

// The value below which the share `share` of `values` is.
double QuantileOf(double share, std::vector<double> values) {
  const auto index =
      static_cast<ptrdiff_t>(share * static_cast<double>(values.size()));
  const auto at = values.begin() + index;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// `scale` as a finite number, also for the smallest figures.
float ToFloat(double scale) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(scale, -kMost, kMost));
}

// `product` is the sum of x * y, `x` and `y` are the sums of their squares.
double CorrelationOf(double product, double x, double y) {
  const double scale = std::sqrt(x) * std::sqrt(y);
  return scale > 0 ? product / scale : 0;
}

}  // namespace

int HeightBins::Of(float height) {
  constexpr auto kShift = static_cast<float>(kHighest);
  constexpr auto kPerHeight = static_cast<float>(1 / kWidth);
  constexpr float kLast = kCount - 1;
  const float bin = (height + kShift) * kPerHeight;
  return static_cast<int>(std::min(std::max(bin, 0.0F), kLast));
}

FloorMeasure::FloorMeasure(const CheckedClip& clip,
                           std::span<const int32_t> trunk, size_t root)
    : clip_(clip),
      landmarks_(clip.facts.landmarks),
      step_(LandmarkStep(clip.motion.dt)),
      root_(trunk[root]) {
  const size_t values = 3 * landmarks_.nodes.size();
  frames_ = static_cast<int64_t>(clip.landmarks.size() / values);
  first_ = (clip.motion.first_frame() + step_ - 1) / step_;
  last_ = std::min(clip.motion.last_frame() / step_, frames_ - 1);
  // Strides are powers of two.
  while ((frames_ - 1) / stride_ > kMostPairs) stride_ *= 2;
  seconds_ = static_cast<double>(step_) * clip.motion.dt;
  for (const auto& foot : landmarks_.feet) {
    for (const int32_t node : foot) is_finite_ = is_finite_ && AreFinite(node);
  }
  if (landmarks_.head >= 0) {
    is_finite_ = is_finite_ && AreFinite(landmarks_.head);
  }
}

bool FloorMeasure::AreFinite(int32_t node) const {
  const float* const end = At(node, last_ + 1);
  return std::all_of(At(node, first_), end,
                     [](float place) { return std::isfinite(place); });
}

bool FloorMeasure::root_moves() const {
  const float* const still = At(root_, 0);
  for (int64_t t = first_; t <= last_; ++t) {
    if (!std::equal(still, still + 3, At(root_, t))) return true;
  }
  return false;
}

std::array<double, 3> FloorMeasure::Up() const {
  std::array<double, 3> up = {};
  if (landmarks_.head < 0) return up;
  const double share = 1 / static_cast<double>(landmarks_.feet.size());
  double frames = 0;
  for (int64_t t = first_; t <= last_; ++t) {
    const float* head = At(landmarks_.head, t);
    std::array<double, 3> v = {head[0], head[1], head[2]};
    for (const auto& foot : landmarks_.feet) {
      const float* place = At(foot[0], t);
      for (size_t axis = 0; axis < 3; ++axis) v[axis] -= share * place[axis];
    }
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double scale = square > 0 ? 1 / std::sqrt(square) : 0;
    for (size_t axis = 0; axis < 3; ++axis) up[axis] += scale * v[axis];
    frames += scale > 0 ? 1 : 0;
  }
  for (double& x : up) x /= std::max(frames, 1.0);
  return up;
}

void FloorMeasure::SetUp(int direction) {
  axis_ = AxisOfDirection(direction);
  scale_ = SignOfDirection(direction) / clip_.motion.reach;
  const float sign = direction < 3 ? 1.0F : -1.0F;
  lowest_.assign(static_cast<size_t>(frames_),
                 sign * std::numeric_limits<float>::infinity());
  for (const auto& foot : landmarks_.feet) {
    for (const int32_t node : foot) {
      const float* place = At(node, 0) + axis_;
      for (float& lowest : lowest_) {
        const bool is_lower = sign * *place < sign * lowest;
        lowest = is_lower ? *place : lowest;
        place += 3;
      }
    }
  }
}

double FloorMeasure::HeightOf(double share) const {
  const double wanted = share * static_cast<double>(counted());
  const auto rank = static_cast<ptrdiff_t>(std::max(std::ceil(wanted), 1.0));
  std::vector<float> heights(lowest_.begin() + first_,
                             lowest_.begin() + last_ + 1);
  for (float& height : heights) height *= ToFloat(scale_);
  const auto at = heights.begin() + rank - 1;
  std::nth_element(heights.begin(), at, heights.end());
  const double height = HeightBins::Middle(HeightBins::Of(*at));
  if (!HeightBins::IsAtEnd(height)) return height;
  std::vector<double> all;
  ForEachPair([&](int64_t t) { all.push_back(LowestAt(t)); });
  return all.empty() ? height : QuantileOf(share, std::move(all));
}

int64_t FloorMeasure::CountBelow(double height) const {
  const double end =
      std::clamp((height + HeightBins::kHighest) / HeightBins::kWidth, 0.0,
                 double{HeightBins::kCount - 1});
  const float scale = ToFloat(scale_);
  return std::count_if(
      lowest_.begin() + first_, lowest_.begin() + last_ + 1, [&](float place) {
        return HeightBins::Of(scale * place) < static_cast<int>(end);
      });
}

LowestFoot FloorMeasure::Lowest() const {
  int64_t lowest = first_;
  for (int64_t t = first_; t <= last_; ++t) {
    if (LowestAt(t) < LowestAt(lowest)) lowest = t;
  }
  LowestFoot out = {LowestAt(lowest), step_ * lowest, -1};
  for (const auto& foot : landmarks_.feet) {
    const int32_t node = LowestOf(foot, lowest);
    const bool is_it = HeightAt(node, lowest) == out.height;
    if (is_it && out.node < 0) out.node = node;
  }
  return out;
}

// Returns the first one if several are equally low.
int32_t FloorMeasure::LowestOf(std::span<const int32_t> foot,
                               int64_t frame) const {
  int32_t lowest = foot[0];
  for (const int32_t node : foot) {
    if (HeightAt(node, frame) < HeightAt(lowest, frame)) lowest = node;
  }
  return lowest;
}

std::optional<std::array<double, 5>> FloorMeasure::PartHeights() const {
  std::array<std::vector<double>, kParts> parts;
  ForEachPair([&](int64_t t) {
    parts[static_cast<size_t>(kParts * t / frames_)].push_back(LowestAt(t));
  });
  std::array<double, kParts> heights = {};
  for (size_t part = 0; part < heights.size(); ++part) {
    if (parts[part].empty()) return std::nullopt;
    heights[part] = QuantileOf(0.25, std::move(parts[part]));
  }
  return heights;
}

// Sums of Slide, over pairs of frames and feet.
struct FloorMeasure::SlideSums {
  double height = 0;
  // The largest step along the direction.
  double vertical = 0;
  int64_t pairs = 0;
  // Lengths of the steps of feet with contact, across the direction.
  std::vector<double> steps;
  // Sums of foot . root, root . root and foot . foot over those steps.
  double along = 0;
  double root = 0;
  double foot = 0;
};

void FloorMeasure::AddSlide(std::span<const int32_t> foot, int64_t frame,
                            SlideSums* sums) const {
  const int32_t low = LowestOf(foot, frame);
  const double now = HeightAt(low, frame);
  const double then = HeightAt(low, frame - 1);
  const bool touches = now < sums->height && then < sums->height &&
                       std::fabs(now - then) < sums->vertical;
  if (!touches) return;
  const auto step_of = [&](int32_t node, size_t axis) {
    const float* const place = At(node, frame) + axis;
    return scale_ * (double{place[0]} - double{place[-3]});
  };
  double square = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (axis == axis_) continue;
    const double step = step_of(low, axis);
    const double root = step_of(root_, axis);
    square += step * step;
    sums->along += step * root;
    sums->root += root * root;
  }
  sums->foot += square;
  sums->steps.push_back(std::sqrt(square));
}

FootSlide FloorMeasure::Slide(double height, double vertical) const {
  SlideSums sums;
  sums.height = height;
  sums.vertical = vertical * seconds_;
  ForEachPair([&](int64_t t) {
    ++sums.pairs;
    for (const auto& foot : landmarks_.feet) AddSlide(foot, t, &sums);
  });
  FootSlide slide;
  if (sums.steps.empty()) return slide;
  const auto steps = static_cast<double>(sums.steps.size());
  const auto feet = static_cast<int64_t>(landmarks_.feet.size());
  slide.contact = steps / static_cast<double>(sums.pairs * feet);
  slide.median = QuantileOf(0.5, std::move(sums.steps)) / seconds_;
  const double least = kStillRoot * seconds_;
  slide.root_is_still = sums.root <= least * least * steps;
  slide.gain = sums.root > 0 ? sums.along / sums.root : 0;
  slide.correlation = CorrelationOf(sums.along, sums.root, sums.foot);
  return slide;
}

// Sums of squares around running means.
RootRise FloorMeasure::Rise() const {
  double count = 0;
  double root_mean = 0;
  double legs_mean = 0;
  double root_square = 0;
  double legs_square = 0;
  double product = 0;
  ForEachPair([&](int64_t t) {
    const double root = HeightAt(root_, t);
    const double legs = root - LowestAt(t);
    const double root_away = root - root_mean;
    const double legs_away = legs - legs_mean;
    ++count;
    root_mean += root_away / count;
    legs_mean += legs_away / count;
    root_square += root_away * (root - root_mean);
    legs_square += legs_away * (legs - legs_mean);
    product += root_away * (legs - legs_mean);
  });
  RootRise rise;
  if (!(legs_square > 0)) return rise;
  rise.legs = std::sqrt(legs_square / count);
  rise.gain = product / legs_square;
  rise.correlation = CorrelationOf(product, root_square, legs_square);
  return rise;
}

FootSteps FloorMeasure::StepsOn(double floor) const {
  FootSteps feet;
  feet.seconds = seconds_ * static_cast<double>(stride_);
  if (stride_ > kMostStride) return feet;
  ForEachPair([&](int64_t t) { feet.steps.push_back(StepAt(t, floor)); });
  return feet;
}

FootStep FloorMeasure::StepAt(int64_t frame, double floor) const {
  const std::array<size_t, 2> across = {(axis_ + 1) % 3, (axis_ + 2) % 3};
  const double scale = std::fabs(scale_) / seconds_;
  const auto speed = [&](int32_t node, size_t axis) {
    const float* const place = At(node, frame) + axis;
    return scale * (double{place[0]} - double{place[-3]});
  };
  FootStep step;
  step.frame = step_ * frame;
  step.low = LowestAt(frame);
  step.legs = HeightAt(root_, frame) - step.low;
  step.root = {speed(root_, across[0]), speed(root_, across[1])};
  const bool is_near = step.low <= floor + kNearFloor;
  double slowest = std::numeric_limits<double>::infinity();
  double slowest_across = slowest;
  for (const auto& foot : landmarks_.feet) {
    for (const int32_t node : foot) {
      const std::array<double, 2> way = {speed(node, across[0]),
                                         speed(node, across[1])};
      const double rise = speed(node, axis_);
      const double square = way[0] * way[0] + way[1] * way[1];
      slowest = std::min(slowest, square + rise * rise);
      if (!is_near || square >= slowest_across || std::fabs(rise) > kVertical ||
          HeightAt(node, frame) > step.low + kNearLowest) {
        continue;
      }
      slowest_across = square;
      step.touches = true;
      step.foot = way;
    }
  }
  step.slowest = std::sqrt(slowest);
  return step;
}

namespace {

// Parts of a clip.

// The number of steps in `seconds`, and at least `fewest`.
size_t StepsIn(const FootSteps& feet, double seconds, size_t fewest) {
  return std::max(fewest,
                  static_cast<size_t>(std::lround(seconds / feet.seconds)));
}

// The median. Reorders the values.
double MedianOf(std::vector<double>* values) {
  const auto middle =
      values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

double Dot(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return a[0] * b[0] + a[1] * b[1];
}

// Feet that slide go one way: along the mean direction, each step leads at
// least this share of the mean. Feet that stand now and then have shorter
// steps.
constexpr double kSteady = 0.4;
constexpr size_t kFewestSlides = 4;

// The mean speed of feet that go one way in all steps; 0 if they do not.
double SteadySpeed(std::span<const FootStep> steps) {
  std::array<double, 2> mean = {};
  for (const FootStep& step : steps) {
    if (!step.touches) return 0;
    mean[0] += step.foot[0] / static_cast<double>(steps.size());
    mean[1] += step.foot[1] / static_cast<double>(steps.size());
  }
  const double square = Dot(mean, mean);
  for (const FootStep& step : steps) {
    if (Dot(step.foot, mean) < kSteady * square) return 0;
  }
  return std::sqrt(square);
}

SlidePart PartOf(std::span<const FootStep> steps) {
  SlidePart part = {steps.front().frame, steps.back().frame};
  std::vector<double> speeds;
  double along = 0;
  double root = 0;
  for (const FootStep& step : steps) {
    speeds.push_back(std::sqrt(Dot(step.foot, step.foot)));
    along += Dot(step.foot, step.root);
    root += Dot(step.root, step.root);
  }
  part.median = MedianOf(&speeds);
  part.gain = root > 0 ? along / root : 0;
  return part;
}

// All feet go up or down together.
struct Passage {
  int64_t first = 0;
  int64_t last = 0;
  double rise = 0;
};

// Before and after a passage the feet keep their height for kStaySeconds. A
// passage takes at most kPassageSeconds, and at least kFewestSteps.
constexpr double kStaySeconds = 0.25;
constexpr double kPassageSeconds = 0.5;
constexpr size_t kFewestSteps = 3;
// Shares of the rise of a passage: feet that keep their height vary by less
// than kStay, and no step makes kOneStep or more of it.
constexpr double kStay = 0.4;
constexpr double kOneStep = 0.7;
// In the share kTogether of a passage no foot node is slower than the share
// kNoneStands of the lowest one.
constexpr double kNoneStands = 0.5;
constexpr double kTogether = 0.85;
// The least rise of the lowest foot in one step that may begin a passage.
constexpr double kRises = 0.002;

// The least and the largest of some numbers.
struct Bounds {
  double least = HUGE_VAL;
  double most = -HUGE_VAL;

  void Add(double x) {
    least = std::min(least, x);
    most = std::max(most, x);
  }
  double Spread() const { return most - least; }
};

// Finds the passages of a clip. `least` and `legs` are those of FindShiftPart.
class PassageFinder {
 public:
  PassageFinder(const FootSteps& feet, double least, double legs)
      : steps_(feet.steps),
        seconds_(feet.seconds),
        stay_(StepsIn(feet, kStaySeconds, kFewestSteps)),
        most_(StepsIn(feet, kPassageSeconds, kFewestSteps) + 1),
        least_(least),
        legs_(legs) {}

  std::vector<Passage> Find() const {
    std::vector<Passage> passages;
    for (size_t i = stay_; i + stay_ < steps_.size();) {
      const double rise = RiseAt(i);
      if (std::fabs(rise) <= kRises) {
        ++i;
        continue;
      }
      const double sign = rise > 0 ? 1 : -1;
      size_t end = i;
      while (end < steps_.size() && sign * RiseAt(end) > 0) ++end;
      if (IsPassage(i, end, sign)) {
        passages.push_back({steps_[i].frame, steps_[end - 1].frame,
                            steps_[end - 1].low - steps_[i - 1].low});
      }
      i = end;
    }
    return passages;
  }

 private:
  double RiseAt(size_t i) const { return steps_[i].low - steps_[i - 1].low; }

  // True if the steps first .. end - 1 are a passage.
  bool IsPassage(size_t first, size_t end, double sign) const {
    const double rise = sign * (steps_[end - 1].low - steps_[first - 1].low);
    if (!(rise > least_) || end - first < kFewestSteps || end - first > most_ ||
        end + stay_ > steps_.size()) {
      return false;
    }
    Bounds legs;
    legs.Add(steps_[first - 1].legs);
    double together = 0;
    double largest = 0;
    for (size_t i = first; i < end; ++i) {
      legs.Add(steps_[i].legs);
      const double step = std::fabs(RiseAt(i));
      largest = std::max(largest, step);
      if (steps_[i].slowest * seconds_ >= kNoneStands * step) together += step;
    }
    return legs.Spread() < legs_ * rise && largest < kOneStep * rise &&
           together > kTogether * rise && Stays(first, end, sign, rise);
  }

  bool Stays(size_t first, size_t end, double sign, double rise) const {
    Bounds before;
    Bounds after;
    double way = 0;
    for (size_t i = 0; i < stay_; ++i) {
      before.Add(steps_[first - 1 - i].low);
      after.Add(steps_[end + i].low);
      way += sign * (steps_[end + i].low - steps_[first - 1 - i].low);
    }
    return before.Spread() < kStay * rise && after.Spread() < kStay * rise &&
           way > least_ * static_cast<double>(stay_);
  }

  const std::vector<FootStep>& steps_;
  double seconds_;
  size_t stay_;
  size_t most_;
  double least_;
  double legs_;
};

// The rise and the fall of a shift differ by less than this share.
constexpr double kBack = 0.5;

// A figure is lifted at once if its lowest foot rises by more than kLifted in
// one step, and by kLiftedTimes as much as in the steps before and after it.
// Its legs change their length by less than the share kLiftedLegs of that.
constexpr double kLifted = 0.02;
constexpr double kLiftedTimes = 4;
constexpr double kLiftedLegs = 0.25;

}  // namespace

std::optional<SlidePart> FindSlidePart(const FootSteps& feet,
                                       const SlideLimits& limits) {
  const std::span<const FootStep> steps = feet.steps;
  const size_t width = StepsIn(feet, limits.seconds, kFewestSlides);
  if (steps.size() < width) return std::nullopt;
  std::vector<double> speeds;
  for (const FootStep& step : steps) {
    if (step.touches) speeds.push_back(std::sqrt(Dot(step.foot, step.foot)));
  }
  if (speeds.empty()) return std::nullopt;
  const double least =
      std::max(limits.speed, limits.contrast * MedianOf(&speeds));
  size_t first = 0;
  size_t last = 0;
  double fastest = 0;
  // Neighbouring windows are one part.
  size_t begin = 0;
  double most = 0;
  for (size_t i = 0; i + width <= steps.size(); ++i) {
    const double speed = SteadySpeed(steps.subspan(i, width));
    if (!(speed > least)) {
      begin = i + 1;
      most = 0;
      continue;
    }
    most = std::max(most, speed);
    if (most < fastest) continue;
    fastest = most;
    first = begin;
    last = i + width;
  }
  if (fastest == 0) return std::nullopt;
  return PartOf(steps.subspan(first, last - first));
}

std::optional<ShiftPart> FindShiftPart(const FootSteps& feet, double least,
                                       double legs) {
  const std::vector<Passage> passages = PassageFinder(feet, least, legs).Find();
  std::optional<ShiftPart> part;
  for (size_t i = 1; i < passages.size(); ++i) {
    const Passage& there = passages[i - 1];
    const Passage& back = passages[i];
    const double longer = std::max(std::fabs(there.rise), std::fabs(back.rise));
    const bool returns = std::fabs(there.rise + back.rise) < kBack * longer;
    if (!returns) continue;
    if (part && std::fabs(part->rise) >= std::fabs(there.rise)) continue;
    part = ShiftPart{there.first, back.last, there.rise};
  }
  return part;
}

double LiftedAtOnce(const FootSteps& feet) {
  const std::vector<FootStep>& steps = feet.steps;
  double sum = 0;
  for (size_t i = 2; i + 1 < steps.size(); ++i) {
    const double rise = steps[i].low - steps[i - 1].low;
    const double beside =
        std::max(std::fabs(steps[i - 1].low - steps[i - 2].low),
                 std::fabs(steps[i + 1].low - steps[i].low));
    const double legs = std::fabs(steps[i].legs - steps[i - 1].legs);
    const double size = std::fabs(rise);
    if (size > kLifted && size > kLiftedTimes * beside &&
        legs < kLiftedLegs * size) {
      sum += rise;
    }
  }
  return sum;
}

}  // namespace bvhmill
