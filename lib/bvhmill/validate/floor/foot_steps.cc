#include "bvhmill/validate/floor/foot_steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace bvhmill {
namespace {

// The steps that make up `seconds`, and at least `fewest`.
size_t StepsIn(const FootSteps& feet, double seconds, size_t fewest) {
  return std::max(fewest,
                  static_cast<size_t>(std::lround(seconds / feet.seconds)));
}

// The value in the middle of `values`; reorders them.
double MedianOf(std::vector<double>* values) {
  const auto middle =
      values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

double Dot(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  return a[0] * b[0] + a[1] * b[1];
}

// Feet that slide go one way: each step makes at least this share of the mean.
// A foot that stands now and then has steps without any way.
constexpr double kSteady = 0.4;
constexpr size_t kFewestSlides = 4;

// The speed of the mean way of feet that go one way in all steps; else 0.
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

// A way of all feet up or down.
struct Passage {
  int64_t first = 0;
  int64_t last = 0;
  double rise = 0;
};

// Before and after a passage feet stay at their height for kStaySeconds. The
// passage takes kPassageSeconds at most, and kFewestSteps or more.
constexpr double kStaySeconds = 0.25;
constexpr double kPassageSeconds = 0.5;
constexpr size_t kFewestSteps = 3;
// Shares of the rise: feet that stay change their height by less, and one step
// makes less of it.
constexpr double kStay = 0.4;
constexpr double kOneStep = 0.7;
// While a passage lasts no node is slower than this share of the lowest one,
// in this share of the way.
constexpr double kNoneStands = 0.5;
constexpr double kTogether = 0.85;
// A rise of the lowest foot in one step, in reaches, that may begin a passage.
constexpr double kRises = 0.002;

// Bounds of numbers.
struct Bounds {
  double least = HUGE_VAL;
  double most = -HUGE_VAL;

  void Add(double x) {
    least = std::min(least, x);
    most = std::max(most, x);
  }
  double Spread() const { return most - least; }
};

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

  // The steps from `first` on, before `end`.
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

// The way back is as long as the way there, but for this share.
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
  // Windows that follow each other are one part.
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
