#pragma once

// Swings: the ways of a track from one reversal to the next, however small its
// steps are there. Private to validate/motion/.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bvhmill/validate/motion/events/bursts.h"
#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

struct SwingLimits {
  // The way of a swing, a sum of sqrt(step), is this or more. A swing of more
  // than `most_frames` frames is long and may have any way.
  float least_way = HUGE_VALF;
  int64_t most_frames = 0;
  // The size of one unit of way.
  double unit = 0;
  // When reversals between two swings are a burst.
  BurstLimits bursts;
  // The least way of all swings of a burst.
  float least_burst = 0;
};
SwingLimits RotationSwings(const MotionClip& clip);
// Requires a reach above 0.
SwingLimits PositionSwings(const MotionClip& clip);

// The newest swings of a track.
class Swings {
 public:
  // Looks at the frames from `begin` to `end` - 1 of the block, which follow
  // those of the call before. Appends the reversals between two swings, at most
  // one of which is long, to `found`. Their size is the mean way of the swings
  // that are not long.
  void Find(const MotionBlock& block, size_t track, int64_t begin, int64_t end,
            const SwingLimits& limits, std::vector<Reversal>* found);

 private:
  // The ways of long swings, and of those that are too short to be one.
  static constexpr float kLong = -1;
  static constexpr float kNone = -2;

  bool IsFastEnough(const MotionBlock& block, size_t track,
                    const SwingLimits& limits);
  bool IsDense(const TurnBits& turns, const BurstLimits& limits) const;
  void SkipTo(size_t to, const MotionBlock& block, int64_t begin,
              const TurnBits& turns);
  float WayUpTo(const MotionBlock& block, const float* steps, int64_t frame,
                const SwingLimits& limits) const;
  void TurnBack(int64_t frame, float way, const SwingLimits& limits,
                std::vector<Reversal>* found);

  // The last reversal, the way of the swing before it, and the way since, in
  // the blocks before this one.
  int32_t last_ = std::numeric_limits<int32_t>::min();
  float before_ = kNone;
  float since_ = 0;
  // The number of reversals near the end of the block before, from which a
  // burst may reach into this block.
  int32_t tail_ = 0;
  // The largest step of the blocks in which they lie.
  float tail_step_ = 0;
};

}  // namespace bvhmill
