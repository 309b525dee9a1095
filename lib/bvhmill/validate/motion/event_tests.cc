#include "bvhmill/validate/motion/event_tests.h"

#include <algorithm>

#include "bvhmill/validate/motion/motion_units.h"

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

// Adds what MayBeSpike compares with.
void AddQuickLimits(const MotionClip& clip, EventLimits* limits) {
  constexpr double kLess = 0.9999;
  constexpr double kMore = 1.0001;
  const double dt = clip.facts->dt;
  const double kink =
      std::max(limits->spike, limits->spike_rate * dt * dt / 2) /
      limits->kink_unit;
  const double back = clip[Threshold::DATA_SPIKE_back];
  limits->fast_kink = static_cast<float>(kink * kink * kLess);
  limits->back_share = static_cast<float>(back * back * kMore);
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
  limits.least_step = StepOf(limits.jump);
  limits.least_kink =
      KinkOf(std::min(limits.spike, clip[Threshold::DATA_SPIKE_calm_degrees]));
  AddQuickLimits(clip, &limits);
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
  limits.least_step = square(limits.jump * reach);
  limits.least_kink = square(2 * limits.spike * reach);
  AddQuickLimits(clip, &limits);
  return limits;
}

std::optional<TrackEvent> SpikeAt(const MotionClip& clip, const Around& at,
                                  int64_t t) {
  const EventLimits& limits = at.limits;
  const double dt = clip.facts->dt;
  const double kink = at.Kink(0);
  const double least = std::min(at.Step(0), at.Step(1));
  const bool is_fast =
      kink >= limits.spike && 2 * kink / (dt * dt) >= limits.spike_rate;
  const bool is_back = at.Return() <= clip[Threshold::DATA_SPIKE_back] * least;
  const auto size = static_cast<float>(kink);
  const double stated = limits.has_calm_forms ? OffDegrees(at.kinks[0]) : kink;
  TrackEvent spike{t,    1,    Proof::kCertain,
                   size, size, static_cast<float>(stated)};
  if (is_fast && is_back) return spike;
  const double next_most = std::max(at.Kink(-1), at.Kink(1));
  const double next_least = std::min(at.Kink(-1), at.Kink(1));
  if (is_fast && kink >= kLeastOverNext * next_most &&
      kink <= kMostOverNext * next_least &&
      kink >= kOverFarther * std::max(at.Kink(-2), at.Kink(2))) {
    return spike;
  }
  const bool is_calm =
      std::max(at.Step(-1), at.Step(2)) <= kCalmSpikeShare * least;
  if (!limits.has_calm_forms || !is_back || !is_calm ||
      kink < clip[Threshold::DATA_SPIKE_calm_degrees]) {
    return std::nullopt;
  }
  spike.proof = Proof::kCalmKink;
  return spike;
}

std::optional<TrackEvent> JumpAt(const MotionClip& clip, const Around& at,
                                 int64_t t) {
  const double dt = clip.facts->dt;
  const double step = at.Step(0);
  const double next = std::max(at.Step(-1), at.Step(1));
  if (step - next < at.limits.jump || next > kJumpShare * step) {
    return std::nullopt;
  }
  const double stated =
      at.limits.has_calm_forms ? AngleDegrees(at.steps[0]) : step;
  const auto size = static_cast<float>(step);
  TrackEvent jump{t,    0,    Proof::kCertain,
                  size, size, static_cast<float>(stated)};
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
    case Proof::kCalmKink: {
      const double usual = KinkDegrees(sums.calm_squares / (frames - 2));
      return compared >= clip[Threshold::DATA_SPIKE_calm_ratio] *
                             std::max(usual, kLeastKink);
    }
    case Proof::kCalmStep: {
      const double mean = 2 * kDegrees * sums.steps / (frames - 1);
      return compared >=
             clip[Threshold::DATA_JUMP_calm_ratio] * std::max(mean, kLeastStep);
    }
  }
  return true;
}

}  // namespace bvhmill
