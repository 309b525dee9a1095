// The rate at which the motion was captured, and the one at which it plays.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/events/line_runs.h"
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
// A line changes direction this much less than its clip, and moves at least
// this share of its mean.
constexpr double kMostLineHertz = 0.2;
constexpr double kLeastLineSteps = 0.03;

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
  bool LogInterpolated(IssueLog* log) const;
  bool IsLine(const LineRun& run) const;
  void LogLines(IssueLog* log) const;
  double Hertz() const;
  void LogTempo(IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  Phases phases_;
  int64_t frames_ = 0;
  LineRuns lines_;
};

void TempoRules::Begin(const MotionClip& clip) {
  clip_ = &clip;
  phases_ = {};
  frames_ = 0;
  lines_.Begin(clip);
}

void TempoRules::Add(const MotionBlock& block) {
  lines_.Add(block);
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

// True if it is logged.
bool TempoRules::LogInterpolated(IssueLog* log) const {
  const MotionClip& clip = *clip_;
  const auto frames = static_cast<double>(clip.facts->frames);
  if (frames < clip[Threshold::DATA_INTERPOLATED_frames] || frames_ == 0 ||
      clip.rotations == 0) {
    return false;
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
    return false;
  }
  const std::string stride = std::to_string(best);
  const std::string phase = std::to_string(phases_.Largest(best));
  log->Add(
      IssueCode::DATA_INTERPOLATED, {},
      {{"which", "between every " + stride + " from frame " + phase + " on"},
       {"reading", "the kinks there are " + Short(ratio) + " of the others"},
       {"stride", stride},
       {"phase", phase},
       {"ratio", Short(ratio)}});
  return true;
}

bool TempoRules::IsLine(const LineRun& run) const {
  const MotionClip& clip = *clip_;
  if (run.frames() <= 0) return false;
  const double hertz =
      run.kinks / (2 * std::numbers::pi * clip.facts->dt * run.steps);
  double all = 0;
  for (size_t i = 0; i < clip.rotations; ++i) all += clip.sums[i].steps;
  const double mean = all / static_cast<double>(clip.facts->frames - 1);
  const auto frames = static_cast<double>(run.frames());
  return hertz <= kMostLineHertz * Hertz() &&
         run.steps >= kLeastLineSteps * mean * frames;
}

// A gap that was filled, or the frames between two keys.
void TempoRules::LogLines(IssueLog* log) const {
  const LineRun& run = lines_.longest();
  if (!IsLine(run)) return;
  Location at = FrameLocation(run.first);
  at.last_frame = run.last;
  const std::string first = std::to_string(run.first);
  const std::string last = std::to_string(run.last);
  IssueArgs args = {{"which", first + " to " + last},
                    {"first", first},
                    {"last", last},
                    {"frames", std::to_string(run.frames())}};
  AddSeconds(*clip_, run.frames(), " for ", &args);
  const auto duration = args.back();
  args.emplace_back("reading", "no joint changes its speed" + duration.second);
  log->Add(IssueCode::DATA_INTERPOLATED, at, std::move(args), lines_.runs());
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
  lines_.Finish();
  if (clip_->facts->has_many_repeats) return;
  if (!LogInterpolated(log)) LogLines(log);
  LogTempo(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeTempoRules() {
  return std::make_unique<TempoRules>();
}

}  // namespace bvhmill
