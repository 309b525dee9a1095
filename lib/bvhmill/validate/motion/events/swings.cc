#include "bvhmill/validate/motion/events/swings.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bvhmill/validate/motion/motion_units.h"

namespace bvhmill {
namespace {

// Seconds. A swing that takes more time is a long one.
constexpr double kLongSwing = 0.15;

SwingLimits LimitsOf(const MotionClip& clip, double least, double unit) {
  SwingLimits limits;
  limits.least_way = static_cast<float>(least / unit);
  limits.unit = unit;
  limits.most_frames = WholeFrames(kLongSwing, clip.facts->dt);
  limits.bursts.reversals = CountOf(clip[Threshold::DATA_JITTER_swings]);
  limits.bursts.large_reversals = limits.bursts.reversals;
  limits.bursts.frames =
      WholeFrames(clip[Threshold::DATA_JITTER_swing_seconds], clip.facts->dt);
  // At most this many swings of a burst are long.
  const double most_long = static_cast<double>(limits.bursts.frames) /
                           static_cast<double>(limits.most_frames + 1);
  const double swings = static_cast<double>(limits.bursts.reversals) - 1;
  constexpr double kLess = 0.999;
  limits.least_burst = static_cast<float>(kLess * (swings - most_long) *
                                          double{limits.least_way});
  return limits;
}

}  // namespace

SwingLimits RotationSwings(const MotionClip& clip) {
  return LimitsOf(clip, clip[Threshold::DATA_JITTER_swing_degrees],
                  2 * kDegrees);
}

SwingLimits PositionSwings(const MotionClip& clip) {
  return LimitsOf(clip, clip[Threshold::DATA_JITTER_swing_reach],
                  1 / clip.facts->reach);
}

// The way since the last reversal up to `frame`, or kLong.
float Swings::WayUpTo(const MotionBlock& block, const float* steps,
                      int64_t frame, const SwingLimits& limits) const {
  if (frame - last_ > limits.most_frames) return kLong;
  const bool is_older = last_ < block.first;
  float way = is_older ? since_ : 0;
  const size_t from = is_older ? kStepLead : block.IndexOf(last_ + 1);
  const size_t to = block.IndexOf(frame);
  for (size_t i = from; i <= to; ++i) way += std::sqrt(steps[i]);
  return way;
}

void Swings::TurnBack(int64_t frame, float way, const SwingLimits& limits,
                      std::vector<Reversal>* found) {
  if (way != kLong && way < limits.least_way) way = kNone;
  const bool is_between = before_ != kNone && way != kNone;
  if (is_between && (before_ != kLong || way != kLong)) {
    const float size = before_ == kLong ? way
                       : way == kLong   ? before_
                                        : (before_ + way) / 2;
    found->push_back({last_, static_cast<float>(limits.unit * double{size})});
  }
  before_ = way;
  last_ = static_cast<int32_t>(frame);
}

// False if no burst ends in the block: the track is too slow.
bool Swings::IsFastEnough(const MotionBlock& block, size_t track,
                          const SwingLimits& limits) {
  const float step = block.max_steps[track];
  const float most = std::max(step, tail_step_);
  tail_step_ = block.frames < limits.bursts.frames ? most : step;
  return std::sqrt(most) * static_cast<float>(limits.bursts.frames) >=
         limits.least_burst;
}

// False if no burst ends in a block: its reversals are too far apart.
bool Swings::IsDense(const TurnBits& turns, const BurstLimits& limits) const {
  // A burst lies in this many words, at most. It may begin inside of one.
  const auto words = static_cast<size_t>(limits.frames + 14) / kStepParts + 1;
  int count = tail_;
  const auto fewest = static_cast<int>(limits.reversals);
  for (size_t i = 0; i < TurnBits::kWords; ++i) {
    if (i == words) count -= tail_;
    if (i >= words) count -= turns.counts[i - words];
    count += turns.counts[i];
    if (count >= fewest) return true;
  }
  return false;
}

// Leaves out the reversals of the words before `to`.
void Swings::SkipTo(size_t to, const MotionBlock& block, int64_t begin,
                    const TurnBits& turns) {
  while (to > 0 && turns.counts[to - 1] == 0) --to;
  if (to == 0) return;
  const int64_t frame = block.first - 1 +
                        static_cast<int64_t>((to - 1) * kStepParts) +
                        std::bit_width(turns.bits[to - 1]) - 1;
  if (frame < begin) return;
  last_ = static_cast<int32_t>(frame);
  before_ = kNone;
}

void Swings::Find(const MotionBlock& block, size_t track, int64_t begin,
                  int64_t end, const SwingLimits& limits,
                  std::vector<Reversal>* found) {
  const float* const steps = block.StepsOf(track);
  const TurnBits& turns = block.turns[track];
  const auto tail = static_cast<size_t>(
      std::max<int64_t>(block.frames - limits.bursts.frames, 0));
  const size_t tail_word = tail / kStepParts;
  size_t word = 0;
  if (!IsFastEnough(block, track, limits) || !IsDense(turns, limits.bursts)) {
    // The rest prepares the next block.
    if (block.is_last) return;
    word = tail_word;
    SkipTo(word, block, begin, turns);
  }
  tail_ = 0;
  for (; word < TurnBits::kWords; ++word) {
    if (word >= tail_word) tail_ += turns.counts[word];
    const auto first = static_cast<int64_t>(word * kStepParts);
    for (uint32_t bits = turns.bits[word]; bits != 0; bits &= bits - 1) {
      const int64_t frame = block.first - 1 + first + std::countr_zero(bits);
      if (frame < begin || frame >= end) continue;
      TurnBack(frame, WayUpTo(block, steps, frame, limits), limits, found);
    }
  }
  if (block.is_last) return;
  since_ = std::max(WayUpTo(block, steps, block.end() - 1, limits), 0.0F);
}

}  // namespace bvhmill
