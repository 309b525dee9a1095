// The rate at which the motion was captured, and the one at which it plays.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// Kinks in frames 1 to 4 may be those of a first frame that stands apart, or of
// a pose that fades into the motion, and that of the frame before the last one
// those of the last.
constexpr int64_t kFirstKink = 5;
constexpr size_t kLeastStride = 2;
constexpr size_t kMostStride = 5;
// A multiple of all strides.
constexpr size_t kAllPhases = 60;
// Clips of fewer frames have no tempo.
constexpr int64_t kFewestFrames = 30;
// Joints with a smaller mean step do not count, in degrees.
constexpr double kLeastMeanStep = 0.02;
// How often a second the motion of people changes direction.
constexpr double kUsualHertz = 2.7;

// The sums of kinks by frame number modulo kAllPhases.
struct Phases {
  std::array<double, kAllPhases> sums = {};
  std::array<int64_t, kAllPhases> counts = {};

  // The means by frame number modulo a stride. Those beyond the stride are 0.
  std::array<double, kMostStride> Means(size_t stride) const;
  // Small if all kinks are in one phase.
  double Ratio(size_t stride) const;
  // The phase of the largest kinks: that of the frames that were captured.
  size_t Largest(size_t stride) const;
};

std::array<double, kMostStride> Phases::Means(size_t stride) const {
  std::array<double, kMostStride> means = {};
  std::array<int64_t, kMostStride> frames = {};
  for (size_t i = 0; i < kAllPhases; ++i) {
    means[i % stride] += sums[i];
    frames[i % stride] += counts[i];
  }
  for (size_t i = 0; i < stride; ++i) {
    if (frames[i] > 0) means[i] /= static_cast<double>(frames[i]);
  }
  return means;
}

double Phases::Ratio(size_t stride) const {
  std::array<double, kMostStride> means = Means(stride);
  std::sort(means.begin(), means.end(), std::greater<>());
  return means[0] > 0 ? means[1] / means[0] : 1;
}

size_t Phases::Largest(size_t stride) const {
  const std::array<double, kMostStride> means = Means(stride);
  const auto largest = std::max_element(means.begin(), means.end());
  return static_cast<size_t>(largest - means.begin());
}

class TempoRules final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  void LogInterpolated(IssueLog* log) const;
  double Hertz() const;
  void LogTempo(IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  Phases phases_;
  int64_t frames_ = 0;
};

void TempoRules::Begin(const MotionClip& clip) {
  clip_ = &clip;
  phases_ = {};
  frames_ = 0;
}

void TempoRules::Add(const MotionBlock& block) {
  const int64_t end = block.is_last ? block.end() - 2 : block.EndFor(1);
  const int64_t begin = std::max(block.BeginFor(1), kFirstKink);
  if (begin >= end) return;
  const float* const kinks = block.totals->kinks.data() + block.IndexOf(begin);
  const auto count = static_cast<size_t>(end - begin);
  frames_ += end - begin;
  size_t phase = static_cast<size_t>(begin) % kAllPhases;
  for (size_t i = 0; i < count; ++i) {
    phases_.sums[phase] += double{kinks[i]};
    ++phases_.counts[phase];
    phase = phase + 1 == kAllPhases ? 0 : phase + 1;
  }
}

void TempoRules::LogInterpolated(IssueLog* log) const {
  const MotionClip& clip = *clip_;
  const auto frames = static_cast<double>(clip.facts->frames);
  if (frames < clip[Threshold::DATA_INTERPOLATED_frames] || frames_ == 0 ||
      clip.rotations == 0) {
    return;
  }
  const double kinks =
      std::accumulate(phases_.sums.begin(), phases_.sums.end(), 0.0);
  const double mean = kDegrees * kinks / static_cast<double>(frames_) /
                      static_cast<double>(clip.rotations);
  size_t best = kLeastStride;
  for (size_t stride = kLeastStride; stride <= kMostStride; ++stride) {
    if (phases_.Ratio(stride) < phases_.Ratio(best)) {
      best = stride;
    }
  }
  const double ratio = phases_.Ratio(best);
  if (ratio >= clip[Threshold::DATA_INTERPOLATED_ratio] ||
      mean <= clip[Threshold::DATA_INTERPOLATED_degrees]) {
    return;
  }
  log->Add(IssueCode::DATA_INTERPOLATED, {},
           {{"stride", std::to_string(best)},
            {"phase", std::to_string(phases_.Largest(best))},
            {"ratio", Short(ratio)}});
}

// Second over first differences, as for a sine; 0 if nothing moves.
double TempoRules::Hertz() const {
  const MotionFacts& facts = *clip_->facts;
  static const float cap_step = StepOf(kCapDegrees);
  static const float cap_kink = KinkOf(kCapDegrees);
  const auto capped_step = [](float v) {
    return std::sqrt(std::min(v, cap_step));
  };
  const auto capped_kink = [](float v) {
    return std::sqrt(std::min(v, cap_kink));
  };
  double steps = 0;
  double kinks = 0;
  for (size_t i = 0; i < clip_->rotations; ++i) {
    const TrackSums& sums = clip_->sums[i];
    const double mean =
        2 * kDegrees * sums.steps / static_cast<double>(facts.frames - 1);
    if (mean <= kLeastMeanStep) continue;
    steps += sums.capped_steps;
    kinks += sums.capped_kinks;
    if (facts.first_apart) {
      steps -= capped_step(sums.first_step);
      kinks -= capped_kink(sums.first_kink);
    }
    if (facts.last_apart) {
      steps -= capped_step(sums.last_step);
      kinks -= capped_kink(sums.last_kink);
    }
  }
  if (!(steps > 0)) return 0;
  return kinks / (std::numbers::pi * facts.dt * 2 * steps);
}

void TempoRules::LogTempo(IssueLog* log) const {
  const MotionClip& clip = *clip_;
  // A rate that is not believed plays nothing.
  const bool has_rate = clip.frame_time == clip.facts->dt;
  if (!has_rate || clip.facts->frames < kFewestFrames) return;
  const double hertz = Hertz();
  if (hertz <= 0 || hertz >= clip[Threshold::DATA_TEMPO_ODD_hertz]) return;
  log->Add(IssueCode::DATA_TEMPO_ODD, {},
           {{"hertz", Short(hertz)}, {"factor", Short(kUsualHertz / hertz)}});
}

void TempoRules::Finish(IssueLog* log) {
  if (clip_->facts->has_many_repeats) return;
  LogInterpolated(log);
  LogTempo(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeTempoRules() {
  return std::make_unique<TempoRules>();
}

}  // namespace bvhmill
