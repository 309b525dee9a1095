// Joints that turn or move back and forth more often than a person can.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/events/bursts.h"
#include "bvhmill/validate/motion/events/swings.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"

namespace bvhmill {
namespace {

// Slower rates do not show fast reversals.
constexpr double kLongestFrameTime = 1 / 23.9;
// In a shorter clip, one second of jitter is a warning.
constexpr double kShortClip = 2;

// Reversals of a track by seconds.
struct Jitter {
  // The second that is counted now, the frames of its first and its last
  // reversal, the number of reversals, and the sum of their kinks.
  int32_t window = 0;
  int32_t begin = 0;
  int32_t end = 0;
  int32_t count = 0;
  double degrees = 0;
  // The same with those whose kinks are larger than those of a steady noise.
  int32_t wild_count = 0;
  double wild_degrees = 0;
  // Over noisy seconds; `steady` of them have enough reversals without large
  // kinks.
  int32_t noisy = 0;
  int32_t steady = 0;
  // The frames of the first and the last reversal of all, and of the second
  // that has the most.
  int32_t first = 0;
  int32_t last = 0;
  int32_t most_first = 0;
  int32_t most_last = 0;
  int32_t most_count = 0;
  int64_t all_count = 0;
  double all_degrees = 0;
};

// The thresholds of one kind of track.
struct Limits {
  float least_step = HUGE_VALF;
  float most_kink = 0;
  // The size of one unit of sqrt(kink).
  double kink_unit = 0;
};

class JitterRule final : public MotionRule {
 public:
  void Begin(const MotionClip& clip) override;
  void Add(const MotionBlock& block) override;
  void Finish(IssueLog* log) override;

 private:
  void CountIn(const MotionBlock& block, size_t track, int64_t begin,
               int64_t end);
  void FindSwings(const MotionBlock& block, size_t track, int64_t begin,
                  int64_t end);
  const BurstLimits& BurstLimitsOf(size_t track) const {
    return track < clip_->rotations ? rotation_bursts_ : position_bursts_;
  }
  void CloseWindow(Jitter* jitter) const;
  const Limits& LimitsOf(size_t track) const {
    return track < clip_->rotations ? rotations_ : positions_;
  }
  JointPart PartOf(size_t track) const {
    return track < clip_->rotations ? JointPart::kRotation
                                    : JointPart::kPosition;
  }
  IssueArgs ArgsOf(size_t track, double size) const;
  void Log(size_t track, IssueLog* log) const;
  void LogBurst(const Bursts& bursts, double seconds, Severity severity,
                IssueLog* log) const;
  void LogSwings(const Bursts& bursts, IssueLog* log) const;

  const MotionClip* clip_ = nullptr;
  Limits rotations_;
  Limits positions_;
  double fewest_ = 0;
  BurstLimits rotation_bursts_;
  BurstLimits position_bursts_;
  SwingLimits rotation_swings_;
  SwingLimits position_swings_;
  // Frames of a second; 0 if the clip is not judged.
  int64_t window_frames_ = 0;
  std::vector<Jitter> jitters_;
  TrackBursts bursts_;
  std::vector<Swings> swings_;
  TrackBursts swing_bursts_;
  std::vector<Reversal> found_;
};

void JitterRule::Begin(const MotionClip& clip) {
  clip_ = &clip;
  const double reach = clip.facts->reach;
  rotations_ = {StepOf(clip[Threshold::DATA_JITTER_degrees]),
                KinkOf(clip[Threshold::DATA_JITTER_most_degrees]), kDegrees};
  rotation_bursts_ = RotationBursts(clip);
  rotation_swings_ = RotationSwings(clip);
  positions_ = {};
  position_bursts_ = {};
  position_swings_ = {};
  if (reach > 0) {
    const auto square = [](double v) { return static_cast<float>(v * v); };
    positions_ = {square(reach * clip[Threshold::DATA_JITTER_reach]),
                  square(2 * reach * clip[Threshold::DATA_JITTER_most_reach]),
                  0.5 / reach};
    position_bursts_ = PositionBursts(clip);
    position_swings_ = PositionSwings(clip);
  }
  fewest_ = std::max(clip[Threshold::DATA_JITTER_reversals], 1.0);
  const double dt = clip.facts->dt;
  window_frames_ = dt <= kLongestFrameTime && !IsBeyondRates(clip.frame_time)
                       ? WholeFrames(1, dt)
                       : 0;
  jitters_.assign(reach > 0 ? clip.tracks.size() : clip.rotations, {});
  bursts_.Begin(jitters_.size());
  // Where the frame time is too short, all joints are too fast.
  const bool is_fast =
      clip.frame_time > 0 &&
      clip.frame_time <= clip[Threshold::DATA_FRAME_TIME_ODD_short];
  swings_.assign(is_fast ? 0 : jitters_.size(), {});
  swing_bursts_.Begin(jitters_.size());
}

void JitterRule::CloseWindow(Jitter* jitter) const {
  const bool is_steady = jitter->count >= fewest_;
  const int32_t count = is_steady ? jitter->count : jitter->wild_count;
  if (count >= fewest_) {
    jitter->steady += is_steady ? 1 : 0;
    if (jitter->noisy++ == 0) jitter->first = jitter->begin;
    jitter->last = jitter->end;
    jitter->all_count += count;
    jitter->all_degrees += is_steady ? jitter->degrees : jitter->wild_degrees;
    if (count > jitter->most_count) {
      jitter->most_count = count;
      jitter->most_first = jitter->begin;
      jitter->most_last = jitter->end;
    }
  }
  jitter->count = jitter->wild_count = 0;
  jitter->degrees = jitter->wild_degrees = 0;
}

// Counts the reversals in frames of one window.
void JitterRule::CountIn(const MotionBlock& block, size_t track, int64_t begin,
                         int64_t end) {
  const Limits& limits = LimitsOf(track);
  const auto count_below = [&](float most_kink) {
    return SumReversals(block.StepsOf(track), block.KinksOf(track),
                        block.IndexOf(begin), block.IndexOf(end),
                        limits.least_step, most_kink);
  };
  const Reversals all = count_below(HUGE_VALF);
  if (all.count == 0) return;
  const bool has_large = block.max_kinks[track] >= limits.most_kink;
  const Reversals found = has_large ? count_below(limits.most_kink) : all;
  Jitter& jitter = jitters_[track];
  const auto window = static_cast<int32_t>(begin / window_frames_);
  if (window != jitter.window) CloseWindow(&jitter);
  jitter.window = window;
  if (jitter.wild_count == 0) {
    jitter.begin = static_cast<int32_t>(block.FrameOf(all.first));
  }
  jitter.end = static_cast<int32_t>(block.FrameOf(all.last));
  jitter.count += static_cast<int32_t>(found.count);
  jitter.degrees += limits.kink_unit * found.kink_roots;
  jitter.wild_count += static_cast<int32_t>(all.count);
  jitter.wild_degrees += limits.kink_unit * all.kink_roots;
}

void JitterRule::FindSwings(const MotionBlock& block, size_t track,
                            int64_t begin, int64_t end) {
  const SwingLimits& limits =
      track < clip_->rotations ? rotation_swings_ : position_swings_;
  found_.clear();
  swings_[track].Find(block, track, begin, end, limits, &found_);
  for (const Reversal& reversal : found_) {
    swing_bursts_.Of(track)->Add(reversal, limits.bursts);
  }
}

// The frames next to the first and the last one are left out: these may be no
// part of the motion.
void JitterRule::Add(const MotionBlock& block) {
  if (window_frames_ == 0) return;
  const int64_t begin = std::max<int64_t>(block.BeginFor(1), 2);
  const int64_t end = block.is_last ? block.end() - 2 : block.EndFor(1);
  for (size_t track = 0; track < jitters_.size(); ++track) {
    const Limits& limits = LimitsOf(track);
    if (!swings_.empty()) FindSwings(block, track, begin, end);
    const float most = block.max_turns[track];
    const BurstLimits& bursts = BurstLimitsOf(track);
    if (most >= bursts.least_step) {
      bursts_.Of(track)->Find(block, begin, end, bursts);
    }
    if (most < limits.least_step) continue;
    for (int64_t at = begin; at < end;) {
      const int64_t next =
          std::min(end, (at / window_frames_ + 1) * window_frames_);
      CountIn(block, track, at, next);
      at = next;
    }
  }
}

// The args that do not depend on how long the jitter lasts. `size` is the mean
// kink.
IssueArgs JitterRule::ArgsOf(size_t track, double size) const {
  const MotionTrack& which = clip_->tracks[track];
  const bool is_rotation = which.kind == TrackKind::kRotation;
  const std::string joint = QuotedNode(*clip_, which.node);
  const std::string amount = Short(size);
  return {{"joint", joint},
          {"what", is_rotation ? joint : "the position of " + joint},
          {"kind", is_rotation ? "rotation" : "position"},
          {"amount", amount + (is_rotation ? " degrees" : " of the reach")},
          {is_rotation ? "degrees" : "reach", amount}};
}

void JitterRule::Log(size_t track, IssueLog* log) const {
  const Jitter& jitter = jitters_[track];
  const int64_t frames = clip_->facts->frames;
  const double seconds = static_cast<double>(frames) * clip_->facts->dt;
  const bool is_warning =
      jitter.steady >= (*clip_)[Threshold::DATA_JITTER_seconds] ||
      jitter.noisy >= (*clip_)[Threshold::DATA_JITTER_wild_seconds] ||
      (jitter.steady > 0 && seconds < kShortClip);
  IssueArgs args =
      ArgsOf(track, jitter.all_degrees / static_cast<double>(jitter.all_count));
  Location at =
      MotionLocation(*clip_, clip_->tracks[track].node, jitter.most_first);
  at.last_frame = jitter.most_last;
  args.emplace_back("seconds", std::to_string(jitter.noisy));
  args.emplace_back("reversals", std::to_string(jitter.most_count));
  args.emplace_back("first", std::to_string(jitter.first));
  args.emplace_back("last", std::to_string(jitter.last));
  log->AddAs(is_warning ? Severity::kWarning : Severity::kHint,
             IssueCode::DATA_JITTER, at, std::move(args), jitter.noisy,
             PartOf(track));
}

// `seconds` is the time that a burst takes at most.
void JitterRule::LogBurst(const Bursts& bursts, double seconds,
                          Severity severity, IssueLog* log) const {
  const size_t track = bursts.track();
  const Bursts::Burst& burst = bursts.largest();
  Location at = MotionLocation(*clip_, clip_->tracks[track].node, burst.first);
  at.last_frame = burst.last;
  IssueArgs args = ArgsOf(track, burst.size);
  args.emplace_back("seconds", Short(seconds));
  args.emplace_back("reversals",
                    Short(static_cast<double>(burst.reversals) / seconds));
  args.emplace_back("first", std::to_string(bursts.first()));
  args.emplace_back("last", std::to_string(bursts.last()));
  log->AddAs(severity, IssueCode::DATA_JITTER, at, std::move(args),
             bursts.count(), PartOf(track));
}

void JitterRule::LogSwings(const Bursts& bursts, IssueLog* log) const {
  const double seconds = (*clip_)[Threshold::DATA_JITTER_swing_seconds];
  const bool is_warning = static_cast<double>(bursts.count()) * seconds >=
                          (*clip_)[Threshold::DATA_JITTER_seconds];
  LogBurst(bursts, seconds, is_warning ? Severity::kWarning : Severity::kHint,
           log);
}

// The strongest evidence of a track is logged.
void JitterRule::Finish(IssueLog* log) {
  for (size_t track = 0; track < jitters_.size(); ++track) {
    CloseWindow(&jitters_[track]);
    if (jitters_[track].noisy > 0) {
      Log(track, log);
    } else if (const Bursts* bursts = bursts_.Find(track)) {
      LogBurst(*bursts, (*clip_)[Threshold::DATA_JITTER_burst_seconds],
               Severity::kHint, log);
    } else if (const Bursts* swings = swing_bursts_.Find(track)) {
      LogSwings(*swings, log);
    }
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeJitterRule() {
  return std::make_unique<JitterRule>();
}

}  // namespace bvhmill
