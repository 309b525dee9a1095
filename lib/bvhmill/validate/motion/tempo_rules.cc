// DATA_INTERPOLATED: in all frames but every 2nd to 5th one the kinks of all
// joints together are small, so these frames lie on lines between the others.
// Or the kinks are small in a run of DATA_INTERPOLATED.line_seconds or more,
// which is a filled gap.
//
// DATA_TEMPO_ODD: the motion changes its direction less than
// DATA_TEMPO_ODD.hertz times a second, so the frame time is probably too long.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/motion/motion_clip.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {
namespace {

// The kinks of frames 1 to 4 may be those of a first frame that stands apart or
// of a pose that fades into the motion, so the search begins after them.
constexpr int64_t kFirstKink = 5;
constexpr size_t kLeastStride = 2;
constexpr size_t kMostStride = 5;
// A multiple of all strides.
constexpr size_t kAllPhases = 60;
// Clips of fewer frames are too short to measure a tempo.
constexpr int64_t kFewestFrames = 30;
// Degrees. Joints with a smaller mean step do not count.
constexpr double kLeastMeanStep = 0.02;
// The motion of people changes direction this many times a second.
constexpr double kUsualHertz = 2.7;
// A line changes direction at most at this share of the rate of its clip, and
// moves at least at this share of the mean of the clip.
constexpr double kMostLineHertz = 0.2;
constexpr double kLeastLineSteps = 0.03;
// The least step of the whole body on a line, in degrees. Smaller steps are the
// rounding of the text.
constexpr double kLeastBodyStep = 0.05;
// A limb may turn evenly for fewer frames than this.
constexpr int64_t kFewestLineFrames = 6;

// The sums of kinks by frame number modulo kAllPhases.
struct Phases {
  std::array<double, kAllPhases> sums = {};
  std::array<int64_t, kAllPhases> counts = {};

  // The means by frame number modulo a stride. Those beyond the stride are 0.
  std::array<double, kMostStride> Means(size_t stride) const;
  // The second largest mean as a share of the largest: small if all kinks are
  // in one phase.
  double Ratio(size_t stride) const;
  // The phase of the largest kinks, those of the captured frames.
  size_t Largest(size_t stride) const;
};

std::array<double, kMostStride> Phases::Means(size_t stride) const {
  std::array<double, kMostStride> means = {};
  std::array<int64_t, kMostStride> frames = {};
  for (size_t i = 0, phase = 0; i < kAllPhases; ++i) {
    means[phase] += sums[i];
    frames[phase] += counts[i];
    phase = phase + 1 == stride ? 0 : phase + 1;
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

// All joints move along straight lines in the frames first .. last, between
// captured frames. `steps` is the sum of the steps to the frames after them,
// `kinks` that of their kinks: sums of roots over all joints.
struct LineRun {
  int64_t first = 0;
  int64_t last = -1;
  double steps = 0;
  double kinks = 0;

  int64_t frames() const { return last - first + 1; }
};

// The runs of DATA_INTERPOLATED.line_seconds or more. `longest` has no frames
// if there is none.
struct LineRuns {
  LineRun longest;
  int64_t count = 0;
};

class TempoRules final : public MotionRule {
 public:
  explicit TempoRules(const MotionClip& clip)
      : MotionRule(clip),
        kinks_(FrameTotals::FrameZero(clip.totals.kinks)),
        steps_(FrameTotals::FrameZero(clip.totals.steps)) {}
  void Decide(IssueLog* log) override;

 private:
  Phases SumPhases() const;
  LineRuns FindLines() const;
  bool LogInterpolated(IssueLog* log) const;
  bool IsLine(const LineRun& run) const;
  void LogLines(IssueLog* log) const;
  double Hertz() const;
  void LogTempo(IssueLog* log) const;

  // Sums over all joints, by frame.
  const float* kinks_ = nullptr;
  const float* steps_ = nullptr;
};

// The kink of the frame before the last may be that of a last frame that stands
// apart, and does not count.
Phases TempoRules::SumPhases() const {
  Phases phases;
  size_t phase = kFirstKink;
  for (int64_t t = kFirstKink; t < clip_.frames - 2; ++t) {
    phases.sums[phase] += double{kinks_[t]};
    ++phases.counts[phase];
    phase = phase + 1 == kAllPhases ? 0 : phase + 1;
  }
  return phases;
}

// A frame lies on a line if its kinks are small, compared with the steps after
// it: those of a motion that changes its direction less than
// DATA_INTERPOLATED.line_hertz times a second.
LineRuns TempoRules::FindLines() const {
  // A sine of f Hz has kinks of 2 pi f dt times its steps, in the mean.
  const auto ratio =
      static_cast<float>(2 * std::numbers::pi * clip_.facts->dt *
                         clip_[Threshold::DATA_INTERPOLATED_line_hertz]);
  const auto least_steps = static_cast<float>(kLeastBodyStep / (2 * kDegrees));
  // Frame times are rounded.
  constexpr double kRounding = 0.999;
  const double least_seconds =
      kRounding * clip_[Threshold::DATA_INTERPOLATED_line_seconds];
  const auto is_line = [&](int64_t t) {
    return kinks_[t] <= ratio * steps_[t + 1] && steps_[t + 1] >= least_steps;
  };
  LineRuns runs;
  LineRun run;
  for (int64_t t = 1; t < clip_.frames; ++t) {
    if (t + 1 < clip_.frames && is_line(t)) {
      if (run.frames() == 0) run.first = t;
      run.last = t;
      run.steps += double{steps_[t + 1]};
      run.kinks += double{kinks_[t]};
      continue;
    }
    const auto frames = static_cast<double>(run.frames());
    if (run.frames() >= kFewestLineFrames &&
        frames * clip_.facts->dt >= least_seconds) {
      ++runs.count;
      if (run.frames() > runs.longest.frames()) runs.longest = run;
    }
    run = {};
  }
  return runs;
}

// Logs that frames between every few were interpolated. Returns true if it did.
bool TempoRules::LogInterpolated(IssueLog* log) const {
  const MotionClip& clip = clip_;
  const auto frames = static_cast<double>(clip.facts->frames);
  const int64_t judged = clip.frames - 2 - kFirstKink;
  if (frames < clip[Threshold::DATA_INTERPOLATED_frames] || judged <= 0 ||
      clip.rotations == 0) {
    return false;
  }
  const Phases phases = SumPhases();
  const double kinks =
      std::accumulate(phases.sums.begin(), phases.sums.end(), 0.0);
  const double mean = kDegrees * kinks / static_cast<double>(judged) /
                      static_cast<double>(clip.rotations);
  if (mean <= clip[Threshold::DATA_INTERPOLATED_degrees]) return false;
  size_t best = kLeastStride;
  double ratio = phases.Ratio(best);
  for (size_t stride = best + 1; stride <= kMostStride; ++stride) {
    const double other = phases.Ratio(stride);
    if (other >= ratio) continue;
    best = stride;
    ratio = other;
  }
  if (ratio >= clip[Threshold::DATA_INTERPOLATED_ratio]) return false;
  const std::string stride = std::to_string(best);
  const std::string phase = std::to_string(phases.Largest(best));
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
  const MotionClip& clip = clip_;
  if (run.frames() <= 0) return false;
  const double hertz =
      run.kinks / (2 * std::numbers::pi * clip.facts->dt * run.steps);
  const double mean =
      AllSteps(clip) / static_cast<double>(clip.facts->frames - 1);
  const auto frames = static_cast<double>(run.frames());
  return hertz <= kMostLineHertz * Hertz() &&
         run.steps >= kLeastLineSteps * mean * frames;
}

// Logs a filled gap, or the frames between two keys.
void TempoRules::LogLines(IssueLog* log) const {
  const LineRuns runs = FindLines();
  const LineRun& run = runs.longest;
  if (!IsLine(run)) return;
  Location at = FrameLocation(run.first);
  at.last_frame = run.last;
  const std::string first = std::to_string(run.first);
  const std::string last = std::to_string(run.last);
  IssueArgs args = {{"which", first + " to " + last},
                    {"first", first},
                    {"last", last},
                    {"frames", std::to_string(run.frames())}};
  AddSeconds(clip_, run.frames(), " for ", &args);
  const auto duration = args.back();
  args.emplace_back("reading", "no joint changes its speed" + duration.second);
  log->Add(IssueCode::DATA_INTERPOLATED, at, std::move(args), runs.count);
}

// How often a second the motion changes its direction: the ratio of second to
// first differences, as of a sine. 0 if nothing moves.
double TempoRules::Hertz() const {
  const MotionFacts& facts = *clip_.facts;
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
  for (size_t i = 0; i < clip_.rotations; ++i) {
    const TrackSums& sums = clip_.sums[i];
    const double mean =
        2 * kDegrees * sums.steps / static_cast<double>(facts.frames - 1);
    if (mean <= kLeastMeanStep) continue;
    steps += sums.capped_steps;
    kinks += sums.capped_kinks;
    if (facts.first_apart) {
      steps -= capped_step(sums.first_steps[1]);
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
  const MotionClip& clip = clip_;
  // The rules replace an odd frame time, which says nothing about the tempo.
  const bool has_rate = clip.frame_time == clip.facts->dt;
  if (!has_rate || clip.facts->frames < kFewestFrames) return;
  const double hertz = Hertz();
  if (hertz <= 0 || hertz >= clip[Threshold::DATA_TEMPO_ODD_hertz]) return;
  log->Add(IssueCode::DATA_TEMPO_ODD, {},
           {{"hertz", Short(hertz)}, {"factor", Short(kUsualHertz / hertz)}});
}

void TempoRules::Decide(IssueLog* log) {
  if (clip_.facts->has_many_repeats) return;
  if (!LogInterpolated(log)) LogLines(log);
  LogTempo(log);
}

}  // namespace

std::unique_ptr<MotionRule> MakeTempoRules(const MotionClip& clip) {
  return std::make_unique<TempoRules>(clip);
}

}  // namespace bvhmill
