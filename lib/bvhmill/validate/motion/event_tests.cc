#include "bvhmill/validate/motion/event_tests.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bvhmill/math/linear.h"
#include "bvhmill/validate/motion/motion_clip.h"

namespace bvhmill {
namespace {

// The kinks of a spike of size A are A/2, A, A/2; those of a corner are 0, A,
// 0. A kink of a spike is this many times its neighbours, and their neighbours.
constexpr double kLeastOverNext = 1.5;
constexpr double kMostOverNext = 4;
constexpr double kOverFarther = 4;
// The steps before and after a spike, as a share of it.
constexpr double kCalmSpikeShare = 0.5;
// The least usual kink and mean step of a joint, in degrees.
constexpr double kLeastKink = 0.3;
constexpr double kLeastStep = 0.2;

// The exact angle by which one frame is off, if its neighbours are equal.
double OffDegrees(double kink) { return AngleDegrees(kink / 4); }

// The steps before and after a jump, as a share of it.
constexpr double kJumpShare = 0.25;
// Both steps of a half turn and back are above this. It is 133 degrees.
constexpr float kLeastHalfTurn = 1.2F;
// Each step of a smoothed spike is at least this share of its height: half of
// it in a filtered spike of one frame, less than a third where toes roll off.
constexpr double kLeastPulseStep = 0.4;
// Steps beside a jump agree if they differ by at most this share of it.
constexpr double kMostUneven = 0.5;
// The steps of a jump that is spread over frames.
constexpr int kMostSpreadSteps = 3;
// At slower rates than kLocalFrameTime the steps of people change more: by the
// square of the frame time, and as multiples of those near by in proportion to
// it. Beyond kLongestLocalFrameTime they change as suddenly as jumps.
constexpr double kLocalFrameTime = 1 / 23.9;
constexpr double kLongestLocalFrameTime = 1 / 14.9;

// Adds the limits of jumps that depart from the steps beside them by `jump`.
void AddLocalLimits(const MotionClip& clip, double jump, EventLimits* limits) {
  const double dt = clip.facts->dt;
  if (dt > kLongestLocalFrameTime) return;
  constexpr double kLess = 0.999;
  const double slow = std::max(dt / kLocalFrameTime, 1.0);
  limits->has_spread_forms = dt <= kLocalFrameTime;
  limits->local_jump = jump * slow * slow;
  limits->local_jump_ratio = clip[Threshold::DATA_JUMP_local_ratio] * slow;
  limits->local_spike_ratio = clip[Threshold::DATA_SPIKE_local_ratio] * slow;
  const double kink =
      (1 - kMostUneven / 2) * limits->local_jump / limits->step_unit;
  const double ratio =
      std::min(limits->local_jump_ratio, limits->local_spike_ratio);
  limits->screen.local_kink = static_cast<float>(kink * kink * kLess);
  limits->local_square = static_cast<float>(ratio * ratio * kLess);
}

// Adds what MayBeSpike and SpreadAt compare with.
void AddQuickLimits(const MotionClip& clip, EventLimits* limits) {
  constexpr double kLess = 0.9999;
  constexpr double kMore = 1.0001;
  const double dt = clip.facts->dt;
  const double kink =
      std::max(limits->spike, limits->spike_rate * dt * dt / 2) /
      limits->kink_unit;
  const double back = clip[Threshold::DATA_SPIKE_back];
  limits->screen.fast_kink = static_cast<float>(kink * kink * kLess);
  limits->screen.back_share = static_cast<float>(back * back * kMore);
  const double beside =
      1 / std::max(std::min(limits->spread_ratio, limits->quick_ratio), 1.0);
  limits->screen.most_beside_spread =
      static_cast<float>(beside * beside * kMore);
  limits->quick_step = limits->quick_rate * dt * dt;
  const double spread = std::clamp(
      limits->quick_step, limits->jump / kMostSpreadSteps, limits->jump);
  limits->screen.spread_step =
      static_cast<float>(std::pow(spread / limits->step_unit, 2) * kLess);
}

// Adds what MayBePulse compares with.
void AddPulseLimits(const MotionClip& clip, EventLimits* limits) {
  constexpr double kLess = 0.9999;
  constexpr double kRounding = 1.001;
  if (kPulseFrames * clip.facts->dt >
      clip[Threshold::DATA_SPIKE_pulse_seconds] * kRounding) {
    return;
  }
  const double least =
      kLeastPulseStep * clip[Threshold::DATA_SPIKE_pulse_degrees];
  const double beside =
      1 / std::max(clip[Threshold::DATA_SPIKE_pulse_ratio], 1.0);
  limits->screen.pulse_step = static_cast<float>(double{StepOf(least)} * kLess);
  limits->screen.most_beside_pulse =
      static_cast<float>(beside * beside / kLess);
}

}  // namespace

EventLimits RotationLimits(const MotionClip& clip) {
  EventLimits limits;
  limits.step_unit = 2 * kDegrees;
  limits.kink_unit = kDegrees;
  limits.spike = clip[Threshold::DATA_SPIKE_degrees];
  limits.spike_rate = clip[Threshold::DATA_SPIKE_degrees_per_second2];
  limits.jump = clip[Threshold::DATA_JUMP_degrees];
  limits.jump_rate = clip[Threshold::DATA_JUMP_degrees_per_second2];
  limits.has_calm_forms = true;
  limits.screen.half_turn = kLeastHalfTurn;
  limits.screen.least_step = StepOf(limits.jump);
  limits.screen.least_kink =
      KinkOf(std::min({limits.spike, clip[Threshold::DATA_SPIKE_calm_degrees],
                       clip[Threshold::DATA_SPIKE_local_degrees]}));
  limits.spread_ratio = clip[Threshold::DATA_JUMP_spread_ratio];
  limits.quick_ratio = clip[Threshold::DATA_JUMP_quick_ratio];
  limits.quick_rate = clip[Threshold::DATA_JUMP_quick_degrees_per_second2];
  const double dt = clip.facts->dt;
  const double rate = clip[Threshold::DATA_SPIKE_local_degrees_per_second2];
  limits.local_spike =
      std::max(clip[Threshold::DATA_SPIKE_local_degrees], rate * dt * dt / 2);
  AddLocalLimits(clip, clip[Threshold::DATA_JUMP_local_degrees], &limits);
  AddQuickLimits(clip, &limits);
  AddPulseLimits(clip, &limits);
  return limits;
}

EventLimits PositionLimits(const MotionClip& clip) {
  const double reach = clip.facts->reach;
  EventLimits limits;
  limits.step_unit = 1 / reach;
  limits.kink_unit = 0.5 / reach;
  limits.spike = clip[Threshold::DATA_SPIKE_reach];
  limits.spike_rate = clip[Threshold::DATA_SPIKE_reach_per_second2];
  limits.jump = clip[Threshold::DATA_JUMP_reach];
  limits.jump_rate = clip[Threshold::DATA_JUMP_reach_per_second2];
  const auto square = [](double v) { return static_cast<float>(v * v); };
  limits.screen.least_step = square(limits.jump * reach);
  limits.screen.least_kink = square(2 * limits.spike * reach);
  limits.spread_ratio = clip[Threshold::DATA_JUMP_spread_reach_ratio];
  limits.quick_ratio = limits.spread_ratio;
  limits.quick_rate = limits.jump_rate;
  AddLocalLimits(clip, limits.jump, &limits);
  AddQuickLimits(clip, &limits);
  return limits;
}

namespace {

// A joint that turns by about half a turn and back in the next frame. The signs
// of its quaternions are chance, so its kink may be that of a whole turn in one
// direction.
struct HalfTurn {
  // The kink that the other sign gives, in degrees.
  double kink = 0;
  // From the frame before to the frame after.
  double away = 0;
};

HalfTurn HalfTurnAt(const Around& at) {
  // The squares of the differences of unit quaternions, and of their sums, add
  // up to 4.
  const double before = at.steps[0];
  const double after = 4 - double{at.steps[1]};
  const double away =
      std::max(4 - 2 * (before + at.steps[1]) + at.kinks[0], 0.0);
  const double kink = std::max(2 * (before + after) - away, 0.0);
  return {at.limits.kink_unit * std::sqrt(kink),
          at.limits.step_unit * std::sqrt(away)};
}

// A spike of half a turn. The joint is calm before and after it, so it is no
// part of a spin.
std::optional<TrackEvent> HalfTurnSpikeAt(const MotionClip& clip,
                                          const Around& at, int64_t t) {
  const double least = std::min(at.Step(0), at.Step(1));
  if (std::min(at.steps[0], at.steps[1]) < at.limits.screen.half_turn) {
    return std::nullopt;
  }
  const auto [kink, away] = HalfTurnAt(at);
  const bool is_back = away <= clip[Threshold::DATA_SPIKE_back] * least;
  const bool is_calm =
      std::max(at.Step(-1), at.Step(2)) <= kCalmSpikeShare * least;
  if (!is_back || !is_calm || kink < at.limits.spike) return std::nullopt;
  const auto size = static_cast<float>(kink);
  const double raw = kink / at.limits.kink_unit;
  return TrackEvent{static_cast<int32_t>(t), 1, size, size,
                    static_cast<float>(OffDegrees(raw * raw))};
}

// The kink is many times those near by that do not depend on the frame.
bool IsLocalSpike(const Around& at) {
  const double near =
      std::max({at.Kink(-3), at.Kink(-2), at.Kink(2), at.Kink(3)});
  return at.Kink(0) >= at.limits.local_spike &&
         at.Kink(0) >= at.limits.local_spike_ratio * near;
}

// The kinks are those of a spike of a joint that moves. They may also be those
// of a row that repeats the row before, and of the frame after a first pose
// that stands apart, where the step beside is longer; both are no spikes.
bool HasKinksOfSpike(const Around& at) {
  const double most = std::max(at.Step(0), at.Step(1));
  const double beside = std::max(at.Step(-1), at.Step(2));
  if (at.steps[0] == 0 || (!at.is_inner && beside > most)) return false;
  const double kink = at.Kink(0);
  return kink >= kLeastOverNext * std::max(at.Kink(-1), at.Kink(1)) &&
         kink <= kMostOverNext * std::min(at.Kink(-1), at.Kink(1)) &&
         kink >= kOverFarther * std::max(at.Kink(-2), at.Kink(2));
}

// a + s * b.
Quat<double> Sum(const Quat<double>& a, double s, const Quat<double>& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}
double Length(const Quat<double>& q) { return std::sqrt(Dot(q, q)); }

// The step to frame `t` departs from those before and after it, and these two
// agree.
bool DepartsFromBeside(const MotionClip& clip, const MotionTrack& track,
                       const Around& at, int64_t t) {
  // Two frames before the jump to the frame after it.
  std::array<Quat<double>, 4> p;
  for (size_t i = 0; i < p.size(); ++i) {
    p[i] = PoseAt(clip, track, t - 2 + static_cast<int64_t>(i));
    const bool is_opposite =
        i > 0 && at.limits.has_calm_forms && Dot(p[i], p[i - 1]) < 0;
    if (is_opposite) p[i] = Sum({0, 0, 0, 0}, -1, p[i]);
  }
  const Quat<double> before = Sum(p[1], -1, p[0]);
  const Quat<double> after = Sum(p[3], -1, p[2]);
  const double uneven = Length(Sum(after, -1, before));
  const double over =
      Length(Sum(Sum(p[2], -1, p[1]), -0.5, Sum(before, 1, after)));
  return at.limits.step_unit * over >= at.limits.local_jump &&
         uneven <= kMostUneven * over;
}

}  // namespace

std::optional<TrackEvent> SpikeAt(const MotionClip& clip, const Around& at,
                                  int64_t t) {
  if (const auto half_turn = HalfTurnSpikeAt(clip, at, t)) return half_turn;
  const EventLimits& limits = at.limits;
  const double dt = clip.facts->dt;
  const double kink = at.Kink(0);
  const double least = std::min(at.Step(0), at.Step(1));
  const bool is_fast =
      kink >= limits.spike && 2 * kink / (dt * dt) >= limits.spike_rate;
  const bool is_back = at.Return() <= clip[Threshold::DATA_SPIKE_back] * least;
  const auto size = static_cast<float>(kink);
  const double stated = limits.has_calm_forms ? OffDegrees(at.kinks[0]) : kink;
  TrackEvent spike{static_cast<int32_t>(t), 1, size, size,
                   static_cast<float>(stated)};
  if (is_fast && is_back) return spike;
  if (is_fast && HasKinksOfSpike(at)) return spike;
  if (!limits.has_calm_forms || !is_back) return std::nullopt;
  const bool is_calm =
      std::max(at.Step(-1), at.Step(2)) <= kCalmSpikeShare * least;
  if (!is_calm) return std::nullopt;
  const bool is_judged_locally = at.is_inner && limits.has_local_forms();
  if (is_judged_locally && IsLocalSpike(at)) return spike;
  if (kink < clip[Threshold::DATA_SPIKE_calm_degrees]) {
    return std::nullopt;
  }
  spike.proof = Proof::kCalmKink;
  return spike;
}

std::optional<TrackEvent> PulseAt(const MotionClip& clip,
                                  const MotionTrack& track, const Around& at,
                                  int64_t t) {
  if (!at.is_inner || !MayBePulse(at)) return std::nullopt;
  double least = at.Step(0);
  for (int n = 1; n < kPulseSteps; ++n) least = std::min(least, at.Step(n));
  const double beside = std::max(at.Step(-1), at.Step(kPulseSteps));
  if (least < clip[Threshold::DATA_SPIKE_pulse_ratio] * beside) {
    return std::nullopt;
  }
  const Quat<double> before = PoseAt(clip, track, t - 1);
  const double square = StepBetween(before, PoseAt(clip, track, t + 1));
  const double height = at.limits.step_unit * std::sqrt(square);
  if (height < clip[Threshold::DATA_SPIKE_pulse_degrees] ||
      least < kLeastPulseStep * height) {
    return std::nullopt;
  }
  const double away =
      at.limits.step_unit *
      std::sqrt(StepBetween(before, PoseAt(clip, track, t + kPulseFrames)));
  if (away > clip[Threshold::DATA_SPIKE_back_after_jumps] * height) {
    return std::nullopt;
  }
  TrackEvent pulse;
  pulse.frame = static_cast<int32_t>(t);
  pulse.frames = kPulseFrames;
  pulse.size = pulse.compared = static_cast<float>(height);
  pulse.stated = static_cast<float>(AngleDegrees(square));
  return pulse;
}

Spread SpreadAt(const Around& at) {
  if (!at.is_inner || !at.limits.has_spread_forms) return {};
  // After a row that repeats the one before, a step makes up for two. A joint
  // that rests for longer has no such row.
  if (at.steps[-1] == 0 && at.steps[-2] > 0) return {};
  const double before = std::max({at.Step(-3), at.Step(-2), at.Step(-1)});
  double least = at.Step(0);
  double most = least;
  for (int n = 2; n <= kMostSpreadSteps; ++n) {
    least = std::min(least, at.Step(n - 1));
    most = std::max(most, at.Step(n - 1));
    const double beside = std::max({before, at.Step(n), at.Step(n + 1)});
    const bool is_quick =
        least - beside >= at.limits.quick_step && n * least >= at.limits.jump;
    const double ratio =
        is_quick ? at.limits.quick_ratio : at.limits.spread_ratio;
    if ((is_quick || least >= at.limits.jump) && least > kJumpShare * most &&
        least >= ratio * beside) {
      return {n, is_quick};
    }
  }
  return {};
}

TrackEvent StepEvent(const Around& at, int64_t t, Proof proof) {
  const double step = at.Step(0);
  const double stated =
      at.limits.has_calm_forms ? AngleDegrees(at.steps[0]) : step;
  const auto size = static_cast<float>(step);
  return {static_cast<int32_t>(t),    0,    size, size,
          static_cast<float>(stated), proof};
}

int SidesOfJump(const MotionClip& clip, const MotionTrack& track,
                const Around& at, int64_t t) {
  // After rows that repeat, a step makes up for the steps that were left out.
  const bool is_judged = at.is_inner && at.steps[-1] != 0 && MayBeLocalJump(at);
  if (!is_judged) return 0;
  const double kink = std::min(at.Kink(-1), at.Kink(0));
  const double near_before = std::max(at.Kink(-3), at.Kink(-2));
  const double near_after = std::max(at.Kink(1), at.Kink(2));
  const double calm = at.limits.local_jump_ratio;
  const double very_calm = at.limits.local_spike_ratio;
  const int sides = (kink >= calm * near_before ? kCalmBefore : 0) |
                    (kink >= calm * near_after ? kCalmAfter : 0) |
                    (kink >= very_calm * near_before ? kVeryCalmBefore : 0) |
                    (kink >= very_calm * near_after ? kVeryCalmAfter : 0);
  return sides != 0 && DepartsFromBeside(clip, track, at, t) ? sides : 0;
}

std::optional<TrackEvent> JumpAt(const MotionClip& clip, const Around& at,
                                 int64_t t) {
  const double dt = clip.facts->dt;
  const double step = at.Step(0);
  const double next = std::max(at.Step(-1), at.Step(1));
  if (step - next < at.limits.jump || next > kJumpShare * step) {
    return std::nullopt;
  }
  TrackEvent jump = StepEvent(at, t, Proof::kCertain);
  if ((step - next) / (dt * dt) >= at.limits.jump_rate) return jump;
  if (!at.limits.has_calm_forms ||
      step < clip[Threshold::DATA_JUMP_calm_degrees]) {
    return std::nullopt;
  }
  jump.proof = Proof::kCalmStep;
  return jump;
}

bool IsProved(const MotionClip& clip, Proof proof, float compared,
              size_t track) {
  const TrackSums& sums = clip.sums[track];
  const auto frames = static_cast<double>(clip.facts->frames);
  switch (proof) {
    case Proof::kCertain:
      break;
    case Proof::kEndOfSpike:
      return false;
    case Proof::kCalmKink: {
      const double usual = KinkDegrees(sums.calm_squares / (frames - 2));
      return compared >= clip[Threshold::DATA_SPIKE_calm_ratio] *
                             std::max(usual, kLeastKink);
    }
    case Proof::kCalmStep:
    case Proof::kCalmReturn: {
      const double mean = 2 * kDegrees * sums.steps / (frames - 1);
      const double ratio =
          clip[proof == Proof::kCalmStep ? Threshold::DATA_JUMP_calm_ratio
                                         : Threshold::DATA_SPIKE_return_ratio];
      return compared >= ratio * std::max(mean, kLeastStep);
    }
  }
  return true;
}

}  // namespace bvhmill
