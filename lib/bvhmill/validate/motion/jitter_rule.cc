// Joints that turn or move back and forth more often than a person can.
//
// There are three kinds of evidence, the strongest of which is logged:
//
//   noisy seconds  many small reversals in each of some seconds
//   bursts         a few large reversals in a short time
//   swings         long ways from one reversal to the next, however small the
//                  steps are there

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/clip/frame_rates.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/motion/motion_units.h"
#include "bvhmill/validate/motion/rules.h"
#include "bvhmill/validate/motion/swings.h"

namespace bvhmill {
namespace {

// Slower rates do not show fast reversals.
constexpr double kLongestFrameTime = 1 / 23.9;
// In a shorter clip, one second of jitter is a warning.
constexpr double kShortClip = 2;

// The reversals of a track in a second, or in a part of it.
struct Second {
  int32_t track = 0;
  int32_t number = 0;
  // The frames of the first and the last reversal.
  int32_t first = 0;
  int32_t last = 0;
  // The reversals whose kinks are no larger than those of a steady noise, and
  // the sum of their kinks.
  int32_t count = 0;
  double degrees = 0;
  // The same of all reversals.
  int32_t wild_count = 0;
  double wild_degrees = 0;
};

// Seconds with many reversals.
struct NoisySeconds {
  // `steady` of them have enough reversals without large kinks.
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

// A burst has `reversals` reversals, or `large_reversals` of them whose sizes
// are `large` or more, in fewer than `frames` frames.
struct BurstLimits {
  size_t reversals = 0;
  size_t large_reversals = 0;
  double large = 0;
  int64_t frames = 0;
};

// From its first to its last reversal.
struct Burst {
  int64_t first = 0;
  int64_t last = 0;
  size_t reversals = 0;
  // The mean size of its reversals. Of swings issues state the mean turn.
  double size = 0;
};

// The bursts of a track.
struct Bursts {
  int64_t count = 0;
  // The first frame of the first burst, and the last one of the last burst.
  int64_t first = 0;
  int64_t last = 0;
  // The burst of the largest size.
  Burst largest;
};

// How many of the last reversals are a burst; 0 if they are none.
size_t LengthOfBurst(std::span<const Reversal> reversals,
                     const BurstLimits& limits) {
  size_t large = 0;
  for (size_t length = 1; length <= reversals.size(); ++length) {
    const Reversal& each = reversals[reversals.size() - length];
    if (reversals.back().frame - each.frame >= limits.frames) return 0;
    if (double{each.size} >= limits.large) ++large;
    if (length == limits.reversals || large == limits.large_reversals) {
      return length;
    }
  }
  return 0;
}

// A reversal is part of one burst at most.
Bursts FindBursts(std::span<const Reversal> reversals,
                  const BurstLimits& limits) {
  Bursts bursts;
  size_t begin = 0;
  for (size_t end = 1; end <= reversals.size(); ++end) {
    const auto recent = reversals.subspan(begin, end - begin);
    const size_t length = LengthOfBurst(recent, limits);
    if (length == 0) continue;
    begin = end;
    const auto burst = recent.last(length);
    double sum = 0;
    for (const Reversal& each : burst) sum += double{each.size};
    const double size = sum / static_cast<double>(length);
    if (bursts.count++ == 0) bursts.first = burst.front().frame;
    bursts.last = burst.back().frame;
    if (size > bursts.largest.size) {
      bursts.largest = {burst.front().frame, burst.back().frame, length, size};
    }
  }
  return bursts;
}

// The reversals of a threshold.
size_t CountOf(double threshold) {
  constexpr double kMostReversals = 64;
  return static_cast<size_t>(std::clamp(threshold, 2.0, kMostReversals));
}

// The thresholds of one kind of track.
struct JitterLimits {
  // The size of one unit of sqrt(kink).
  double kink_unit = 0;
  // Both steps of a reversal of a noisy second are this or more, and a larger
  // kink is no steady noise.
  float noise_step = HUGE_VALF;
  float most_noise_kink = 0;
  float burst_step = HUGE_VALF;
  BurstLimits bursts;
  SwingLimits swings;
  BurstLimits swing_bursts;
};

// The limits that depend on no kind.
JitterLimits CommonLimits(const MotionClip& clip) {
  const double dt = clip.facts->dt;
  JitterLimits limits;
  limits.bursts.large_reversals =
      CountOf(clip[Threshold::DATA_JITTER_large_reversals]);
  limits.bursts.frames =
      WholeFrames(clip[Threshold::DATA_JITTER_burst_seconds], dt);
  const size_t swings = CountOf(clip[Threshold::DATA_JITTER_swings]);
  limits.swing_bursts.reversals = swings;
  limits.swing_bursts.large_reversals = swings;
  limits.swing_bursts.frames =
      WholeFrames(clip[Threshold::DATA_JITTER_swing_seconds], dt);
  return limits;
}

JitterLimits RotationJitter(const MotionClip& clip) {
  JitterLimits limits = CommonLimits(clip);
  limits.kink_unit = kDegrees;
  limits.noise_step = StepOf(clip[Threshold::DATA_JITTER_degrees]);
  limits.most_noise_kink = KinkOf(clip[Threshold::DATA_JITTER_most_degrees]);
  limits.burst_step = StepOf(clip[Threshold::DATA_JITTER_burst_degrees]);
  limits.bursts.reversals =
      CountOf(clip[Threshold::DATA_JITTER_burst_reversals]);
  limits.bursts.large = clip[Threshold::DATA_JITTER_most_degrees];
  limits.swings =
      LimitsOfSwings(clip, clip[Threshold::DATA_JITTER_swing_degrees],
                     2 * kDegrees, limits.swing_bursts.reversals);
  return limits;
}

// Requires a reach above 0. Every reversal of a burst is a large one.
JitterLimits PositionJitter(const MotionClip& clip) {
  const double reach = clip.facts->reach;
  const auto square = [](double v) { return static_cast<float>(v * v); };
  JitterLimits limits = CommonLimits(clip);
  limits.kink_unit = 0.5 / reach;
  limits.noise_step = square(reach * clip[Threshold::DATA_JITTER_reach]);
  limits.most_noise_kink =
      square(2 * reach * clip[Threshold::DATA_JITTER_most_reach]);
  limits.burst_step = square(reach * clip[Threshold::DATA_JITTER_burst_reach]);
  limits.bursts.reversals = limits.bursts.large_reversals;
  limits.swings = LimitsOfSwings(clip, clip[Threshold::DATA_JITTER_swing_reach],
                                 1 / reach, limits.swing_bursts.reversals);
  return limits;
}

class JitterRule final : public MotionRule {
 public:
  explicit JitterRule(const MotionClip& clip);
  void Look(const MotionBlock& block) override;
  void LookBefore(const MotionBlock& block) override;
  void Append(const MotionRule& later) override;
  int64_t Bytes() const override {
    return BytesOf(seconds_) + BytesOf(reversals_) + BytesOf(swings_);
  }
  void Decide(IssueLog* log) override;

 private:
  const JitterLimits& LimitsOf(size_t track) const {
    return track < clip_.rotations ? rotations_ : positions_;
  }
  JointPart PartOf(size_t track) const {
    return track < clip_.rotations ? JointPart::kRotation
                                   : JointPart::kPosition;
  }
  void FindReversals(const MotionBlock& block);
  double MeanTurn(size_t track, std::span<const Reversal> reversals,
                  const Burst& burst) const;
  NoisySeconds FindNoisy(std::span<const Second> parts) const;
  IssueArgs ArgsOf(size_t track, double size) const;
  void LogSeconds(size_t track, const NoisySeconds& jitter,
                  IssueLog* log) const;
  void LogBurst(size_t track, const Bursts& bursts, double seconds,
                Severity severity, IssueLog* log) const;
  void LogSwings(size_t track, const Bursts& bursts, IssueLog* log) const;

  JitterLimits rotations_;
  JitterLimits positions_;
  double fewest_ = 0;
  // Tracks that are judged: none, or those whose size is known.
  size_t tracks_ = 0;
  // Frames of a second.
  int64_t second_ = 0;
  std::vector<Second> seconds_;
  std::vector<Reversal> reversals_;
  std::vector<Reversal> swings_;
  // One for each track that is judged by its swings.
  std::vector<Swings> newest_;
};

JitterRule::JitterRule(const MotionClip& clip)
    : MotionRule(clip), rotations_(RotationJitter(clip)) {
  const bool has_reach = clip.facts->reach > 0;
  if (has_reach) positions_ = PositionJitter(clip);
  fewest_ = std::max(clip[Threshold::DATA_JITTER_reversals], 1.0);
  const double dt = clip.facts->dt;
  if (dt <= kLongestFrameTime && !IsBeyondRates(clip.frame_time)) {
    tracks_ = has_reach ? clip.tracks.size() : clip.rotations;
  }
  second_ = WholeFrames(1, dt);
  // Where the frame time is too short, all joints are too fast.
  const bool has_swings =
      !(clip.frame_time > 0 &&
        clip.frame_time <= clip[Threshold::DATA_FRAME_TIME_ODD_short]);
  newest_.resize(has_swings ? tracks_ : 0);
}

void JitterRule::Append(const MotionRule& later) {
  const auto& more = static_cast<const JitterRule&>(later);
  AppendFound(more.seconds_, &seconds_);
  AppendFound(more.reversals_, &reversals_);
  AppendFound(more.swings_, &swings_);
  for (size_t track = 0; track < newest_.size(); ++track) {
    const Swings& newest = more.newest_[track];
    if (newest.last() > newest_[track].last()) newest_[track] = newest;
  }
}

void JitterRule::Look(const MotionBlock& block) {
  if (block.track >= tracks_) return;
  const size_t track = block.track;
  if (!newest_.empty()) {
    newest_[track].Follow(block, clip_.frames, LimitsOf(track).swings,
                          &swings_);
  }
  FindReversals(block);
}

void JitterRule::LookBefore(const MotionBlock& block) {
  if (block.track >= newest_.size()) return;
  std::vector<Reversal> unused;
  newest_[block.track].Follow(block, clip_.frames, LimitsOf(block.track).swings,
                              &unused);
}

// Keeps large reversals, and counts the others by seconds.
void JitterRule::FindReversals(const MotionBlock& block) {
  const JitterLimits& limits = LimitsOf(block.track);
  const auto& steps = block.steps;
  const auto& kinks = block.kinks;
  const float least = std::min(limits.noise_step, limits.burst_step);
  if (block.sums.max_turn < least) return;
  const auto id = static_cast<int32_t>(block.track);
  Second second = {id, -1};
  const auto close = [&] {
    if (second.wild_count > 0) seconds_.push_back(second);
  };
  const auto all = [](size_t /*word*/) { return true; };
  ForTurns(block, clip_.frames, all, [&](int64_t frame) {
    const size_t i = block.IndexOf(frame);
    const float step = std::min(steps[i], steps[i + 1]);
    // Most turns are small.
    if (step < least) return;
    const auto at = static_cast<int32_t>(frame);
    const double size = limits.kink_unit * std::sqrt(double{kinks[i]});
    if (step >= limits.burst_step) {
      reversals_.push_back({id, at, static_cast<float>(size)});
    }
    if (step < limits.noise_step) return;
    const auto number = static_cast<int32_t>(frame / second_);
    if (number != second.number) {
      close();
      second = {id, number, at};
    }
    second.last = at;
    ++second.wild_count;
    second.wild_degrees += size;
    if (kinks[i] >= limits.most_noise_kink) return;
    ++second.count;
    second.degrees += size;
  });
  close();
}

// Joins the parts of each second.
NoisySeconds JitterRule::FindNoisy(std::span<const Second> parts) const {
  NoisySeconds out;
  for (size_t i = 0; i < parts.size();) {
    Second second = parts[i];
    for (++i; i < parts.size() && parts[i].number == second.number; ++i) {
      second.last = parts[i].last;
      second.count += parts[i].count;
      second.degrees += parts[i].degrees;
      second.wild_count += parts[i].wild_count;
      second.wild_degrees += parts[i].wild_degrees;
    }
    const bool is_steady = second.count >= fewest_;
    const int32_t count = is_steady ? second.count : second.wild_count;
    if (count < fewest_) continue;
    out.steady += is_steady ? 1 : 0;
    if (out.noisy++ == 0) out.first = second.first;
    out.last = second.last;
    out.all_count += count;
    out.all_degrees += is_steady ? second.degrees : second.wild_degrees;
    if (count > out.most_count) {
      out.most_count = count;
      out.most_first = second.first;
      out.most_last = second.last;
    }
  }
  return out;
}

// How far the track turns or moves from one reversal of the burst to the next:
// less than the way, if that leads round about.
double JitterRule::MeanTurn(size_t track, std::span<const Reversal> reversals,
                            const Burst& burst) const {
  const MotionTrack& which = clip_.tracks[track];
  double sum = 0;
  std::optional<Quat<double>> last;
  for (const Reversal& reversal : reversals) {
    if (reversal.frame < burst.first || reversal.frame > burst.last) continue;
    const Quat<double> pose = PoseAt(clip_, which, reversal.frame);
    if (last) {
      const double square = StepBetween(*last, pose);
      sum += track < clip_.rotations ? AngleDegrees(square)
                                     : std::sqrt(square) / clip_.facts->reach;
    }
    last = pose;
  }
  return burst.reversals > 1 ? sum / static_cast<double>(burst.reversals - 1)
                             : 0;
}

// The args that do not depend on how long the jitter lasts. `size` is the mean
// kink.
IssueArgs JitterRule::ArgsOf(size_t track, double size) const {
  const MotionTrack& which = clip_.tracks[track];
  const bool is_rotation = which.kind == TrackKind::kRotation;
  const std::string joint = QuotedNode(clip_, which.node);
  const std::string amount = Short(size);
  return {{"joint", joint},
          {"what", is_rotation ? joint : "the position of " + joint},
          {"kind", is_rotation ? "rotation" : "position"},
          {"amount", amount + (is_rotation ? " degrees" : " of the reach")},
          {is_rotation ? "degrees" : "reach", amount}};
}

void JitterRule::LogSeconds(size_t track, const NoisySeconds& jitter,
                            IssueLog* log) const {
  const int64_t frames = clip_.facts->frames;
  const double seconds = static_cast<double>(frames) * clip_.facts->dt;
  const bool is_warning =
      jitter.steady >= clip_[Threshold::DATA_JITTER_seconds] ||
      jitter.noisy >= clip_[Threshold::DATA_JITTER_wild_seconds] ||
      (jitter.steady > 0 && seconds < kShortClip);
  IssueArgs args =
      ArgsOf(track, jitter.all_degrees / static_cast<double>(jitter.all_count));
  Location at =
      MotionLocation(clip_, clip_.tracks[track].node, jitter.most_first);
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
void JitterRule::LogBurst(size_t track, const Bursts& bursts, double seconds,
                          Severity severity, IssueLog* log) const {
  const Burst& burst = bursts.largest;
  Location at = MotionLocation(clip_, clip_.tracks[track].node, burst.first);
  at.last_frame = burst.last;
  IssueArgs args = ArgsOf(track, burst.size);
  args.emplace_back("seconds", Short(seconds));
  args.emplace_back("reversals",
                    Short(static_cast<double>(burst.reversals) / seconds));
  args.emplace_back("first", std::to_string(bursts.first));
  args.emplace_back("last", std::to_string(bursts.last));
  log->AddAs(severity, IssueCode::DATA_JITTER, at, std::move(args),
             bursts.count, PartOf(track));
}

void JitterRule::LogSwings(size_t track, const Bursts& bursts,
                           IssueLog* log) const {
  const double seconds = clip_[Threshold::DATA_JITTER_swing_seconds];
  const bool is_warning = static_cast<double>(bursts.count) * seconds >=
                          clip_[Threshold::DATA_JITTER_seconds];
  LogBurst(track, bursts, seconds,
           is_warning ? Severity::kWarning : Severity::kHint, log);
}

// The strongest evidence of a track is logged.
void JitterRule::Decide(IssueLog* log) {
  std::vector<NoisySeconds> noisy(tracks_);
  std::vector<Bursts> bursts(tracks_);
  std::vector<Bursts> swings(tracks_);
  ForEachTrack(&seconds_, [&](size_t track, std::span<const Second> parts) {
    noisy[track] = FindNoisy(parts);
  });
  ForEachTrack(&reversals_, [&](size_t track, std::span<const Reversal> all) {
    bursts[track] = FindBursts(all, LimitsOf(track).bursts);
  });
  ForEachTrack(&swings_, [&](size_t track, std::span<const Reversal> all) {
    // No swing follows the last reversal of the clip.
    const bool has_end = all.back().frame == newest_[track].last();
    if (has_end) all = all.first(all.size() - 1);
    swings[track] = FindBursts(all, LimitsOf(track).swing_bursts);
    swings[track].largest.size = MeanTurn(track, all, swings[track].largest);
  });
  for (size_t track = 0; track < tracks_; ++track) {
    if (noisy[track].noisy > 0) {
      LogSeconds(track, noisy[track], log);
    } else if (bursts[track].count > 0) {
      LogBurst(track, bursts[track],
               clip_[Threshold::DATA_JITTER_burst_seconds], Severity::kHint,
               log);
    } else if (swings[track].count > 0) {
      LogSwings(track, swings[track], log);
    }
  }
}

}  // namespace

std::unique_ptr<MotionRule> MakeJitterRule(const MotionClip& clip) {
  return std::make_unique<JitterRule>(clip);
}

}  // namespace bvhmill
