#include "bvhmill/validate/motion/events/bursts.h"

#include <algorithm>
#include <numeric>

#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {
namespace {

// The first index from `i` to `last` - 1 at which a track turns back with steps
// of `least` or more, or `last`.
size_t NextReversal(const float* steps, const float* kinks, size_t i,
                    size_t last, float least) {
  return FirstOf(i, last, [=](size_t at) {
    return (std::min(steps[at], steps[at + 1]) >= least) &
           (kinks[at] > steps[at] + steps[at + 1]);
  });
}

}  // namespace

size_t CountOf(double threshold) {
  constexpr double kMostReversals = 64;
  return static_cast<size_t>(std::clamp(threshold, 2.0, kMostReversals));
}

BurstLimits RotationBursts(const MotionClip& clip) {
  BurstLimits limits;
  limits.least_step = StepOf(clip[Threshold::DATA_JITTER_burst_degrees]);
  limits.kink_unit = kDegrees;
  limits.reversals = CountOf(clip[Threshold::DATA_JITTER_burst_reversals]);
  limits.large_reversals =
      CountOf(clip[Threshold::DATA_JITTER_large_reversals]);
  limits.large = clip[Threshold::DATA_JITTER_most_degrees];
  limits.frames =
      WholeFrames(clip[Threshold::DATA_JITTER_burst_seconds], clip.facts->dt);
  return limits;
}

BurstLimits PositionBursts(const MotionClip& clip) {
  const double reach = clip.facts->reach;
  const double step = reach * clip[Threshold::DATA_JITTER_burst_reach];
  BurstLimits limits;
  limits.least_step = static_cast<float>(step * step);
  limits.kink_unit = 0.5 / reach;
  limits.large_reversals =
      CountOf(clip[Threshold::DATA_JITTER_large_reversals]);
  limits.reversals = limits.large_reversals;
  limits.frames =
      WholeFrames(clip[Threshold::DATA_JITTER_burst_seconds], clip.facts->dt);
  return limits;
}

void Bursts::Find(const MotionBlock& block, int64_t begin, int64_t end,
                  const BurstLimits& limits) {
  if (begin >= end) return;
  const float* const steps = block.StepsOf(track_);
  const float* const kinks = block.KinksOf(track_);
  const size_t last = block.IndexOf(end);
  for (size_t i = block.IndexOf(begin); i < last; ++i) {
    i = NextReversal(steps, kinks, i, last, limits.least_step);
    if (i == last) return;
    const double size = limits.kink_unit * std::sqrt(double{kinks[i]});
    Add({static_cast<int32_t>(block.FrameOf(i)), static_cast<float>(size)},
        limits);
  }
}

// How many of the newest reversals are a burst; 0 if they are none.
size_t Bursts::LengthOfBurst(const BurstLimits& limits) const {
  size_t large = 0;
  for (size_t length = 1; length <= recent_.size(); ++length) {
    const Reversal& each = recent_[recent_.size() - length];
    if (recent_.back().frame - each.frame >= limits.frames) return 0;
    if (double{each.size} >= limits.large) ++large;
    if (length == limits.reversals || large == limits.large_reversals) {
      return length;
    }
  }
  return 0;
}

void Bursts::Add(const Reversal& reversal, const BurstLimits& limits) {
  const size_t most = std::max(limits.reversals, limits.large_reversals);
  if (recent_.size() == most) recent_.erase(recent_.begin());
  recent_.push_back(reversal);
  const size_t length = LengthOfBurst(limits);
  if (length == 0) return;
  const auto begin = recent_.end() - static_cast<ptrdiff_t>(length);
  const double sum = std::accumulate(
      begin, recent_.end(), 0.0,
      [](double all, const Reversal& each) { return all + double{each.size}; });
  const double size = sum / static_cast<double>(length);
  if (count_++ == 0) first_ = begin->frame;
  last_ = reversal.frame;
  if (size > largest_.size) {
    largest_ = {begin->frame, reversal.frame, length, size};
  }
  recent_.clear();
}

void TrackBursts::Begin(size_t tracks) {
  slots_.assign(tracks, -1);
  bursts_.clear();
}

Bursts* TrackBursts::Of(size_t track) {
  if (slots_[track] < 0) {
    slots_[track] = static_cast<int32_t>(bursts_.size());
    bursts_.emplace_back(track);
  }
  return &bursts_[static_cast<size_t>(slots_[track])];
}

const Bursts* TrackBursts::Find(size_t track) const {
  if (slots_[track] < 0) return nullptr;
  const Bursts& bursts = bursts_[static_cast<size_t>(slots_[track])];
  return bursts.count() > 0 ? &bursts : nullptr;
}

}  // namespace bvhmill
