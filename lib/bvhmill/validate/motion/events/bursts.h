#pragma once

// Bursts: a joint turns or moves back and forth a few times in a short time.
// Private to validate/motion/.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

// A frame at which a track turns back.
struct Reversal {
  int32_t frame = 0;
  // In degrees or shares of the reach: the kink, or the way of a swing.
  float size = 0;
};

// A burst has `reversals` reversals, or `large_reversals` of them whose sizes
// are `large` or more, in fewer than `frames` frames.
struct BurstLimits {
  // Both steps of a reversal are this or more.
  float least_step = HUGE_VALF;
  // The size of one unit of sqrt(kink).
  double kink_unit = 0;
  size_t reversals = 0;
  size_t large_reversals = 0;
  double large = 0;
  int64_t frames = 0;
};
// The reversals of a threshold; they are kept for each track.
size_t CountOf(double threshold);
BurstLimits RotationBursts(const MotionClip& clip);
// Requires a reach above 0. Every reversal is a large one.
BurstLimits PositionBursts(const MotionClip& clip);

// The bursts of a track. Few tracks have any.
class Bursts {
 public:
  // A burst, from its first to its last reversal.
  struct Burst {
    int64_t first = 0;
    int64_t last = 0;
    size_t reversals = 0;
    // The mean size of its reversals.
    double size = 0;
  };

  explicit Bursts(size_t track) : track_(track) {}

  // Looks at the frames from `begin` to `end` - 1 of the block, which follow
  // those of the call before.
  void Find(const MotionBlock& block, int64_t begin, int64_t end,
            const BurstLimits& limits);
  // Takes the next reversal.
  void Add(const Reversal& reversal, const BurstLimits& limits);

  size_t track() const { return track_; }
  int64_t count() const { return count_; }
  // The first frame of the first burst, and the last one of the last burst.
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  // The burst of the largest size.
  const Burst& largest() const { return largest_; }

 private:
  size_t LengthOfBurst(const BurstLimits& limits) const;

  size_t track_ = 0;
  // The newest ones that are in no burst yet.
  std::vector<Reversal> recent_;
  int64_t count_ = 0;
  int64_t first_ = 0;
  int64_t last_ = 0;
  Burst largest_;
};

// The bursts of all tracks. Only tracks that need an object have one.
class TrackBursts {
 public:
  void Begin(size_t tracks);
  // The bursts of a track. Creates an empty object at the first call.
  Bursts* Of(size_t track);
  // Null if the track has no burst.
  const Bursts* Find(size_t track) const;

 private:
  // An index of bursts_ for each track, or -1.
  std::vector<int32_t> slots_;
  std::vector<Bursts> bursts_;
};

}  // namespace bvhmill
