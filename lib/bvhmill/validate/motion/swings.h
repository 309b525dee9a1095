#pragma once

// Swings: the ways of a track from one reversal to the next, however small its
// steps are there. Private to validate/motion/.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "bvhmill/validate/motion/motion_block.h"

namespace bvhmill {

// A frame at which a track turns back.
struct Reversal {
  int32_t track = 0;
  int32_t frame = 0;
  // In degrees or shares of the reach: the kink, or the way of a swing.
  float size = 0;
};

struct SwingLimits {
  // The size of one unit of a way, a sum of sqrt(step).
  double unit = 0;
  // The way of a swing is this or more. A swing of more than `most_frames`
  // frames is long and may have any way.
  float way = HUGE_VALF;
  int64_t most_frames = 0;
  // A burst has this many reversals between swings in fewer than these frames.
  int64_t burst_frames = 0;
  size_t burst_reversals = 0;
  // The least way of all swings of a burst.
  float least_burst = 0;
};
// `least` is the least way of a swing, in units of `unit`; a burst is one of
// DATA_JITTER.swings in DATA_JITTER.swing_seconds.
SwingLimits LimitsOfSwings(const MotionClip& clip, double least, double unit,
                           size_t burst_reversals);

// Calls body(frame) for the frames at which the track turns back, of the words
// that `is_wanted`, without those next to the first and the last frame: these
// may be no part of the motion.
template <typename IsWanted, typename Body>
void ForTurns(const MotionBlock& block, int64_t clip_frames,
              const IsWanted& is_wanted, const Body& body) {
  for (size_t word = 0; word < block.words(); ++word) {
    if (!is_wanted(word)) continue;
    const int64_t first = block.first + static_cast<int64_t>(word * kStepParts);
    for (uint32_t bits = block.sums.turns[word]; bits != 0; bits &= bits - 1) {
      const int64_t frame = first + std::countr_zero(bits);
      if (frame >= 2 && frame < clip_frames - 2) body(frame);
    }
  }
}

// Follows the swings of a track from block to block. The state reaches back
// over two long swings, and over the words of bits of a burst.
class Swings {
 public:
  // Appends the reversals that lie between two swings, at most one of which is
  // long. Their size is the mean way of those that are not long. Leaves out
  // many that are part of no burst.
  void Follow(const MotionBlock& block, int64_t clip_frames,
              const SwingLimits& limits, std::vector<Reversal>* found);
  // The last reversal; the least number if there is none.
  int32_t last() const { return newest_.last; }

 private:
  // The ways of long swings, and of those that are too short to be one.
  static constexpr float kLong = -1;
  static constexpr float kNone = -2;

  struct Newest {
    // The last reversal, the way of the swing before it, and the way since, in
    // the blocks before this one.
    int32_t last = std::numeric_limits<int32_t>::min();
    float before = kNone;
    float since = 0;

    // The way since the last reversal up to `frame`, or kLong.
    float Way(const MotionBlock& block, int64_t frame,
              const SwingLimits& limits) const;
    // The last reversal; nullopt if the swing before it or the one after it, of
    // `way`, is too short, or both are long.
    std::optional<Reversal> Between(float way, const SwingLimits& limits) const;
    // The track turns back at `frame` after a swing of `way`.
    std::optional<Reversal> TurnBack(int64_t frame, float way,
                                     const SwingLimits& limits);
    // All frames before `end` are known: the swing that follows the last
    // reversal may be long by now.
    std::optional<Reversal> SettleAt(int64_t end, const SwingLimits& limits);
  };
  // The words of a block from the first to the last one whose turns may be part
  // of a burst: near by there are enough of them, and enough ways. `end` is
  // that of the block if a block follows, which may have any number.
  struct DenseWords {
    size_t first = 0;
    size_t end = 0;
  };

  DenseWords FindDense(const MotionBlock& block,
                       const SwingLimits& limits) const;

  Newest newest_;
  // The turns of the words before the block, and their sums of sqrt(step).
  TurnCounts counts_ = {};
  WordSums roots_ = {};
};

}  // namespace bvhmill
