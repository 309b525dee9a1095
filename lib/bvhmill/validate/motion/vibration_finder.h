#pragma once

// Joints that turn or move to and fro more often than a person can, but too
// little from one frame to the next: a vibration of 8 to 15 Hz in a clip of 45
// frames a second or more. Private to validate/motion/.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bvhmill/validate/motion/motion_rule.h"

namespace bvhmill {

// Reversals of a track between samples of the clip, at about 30 a second, by
// seconds.
struct Vibration {
  // The second that is counted now, its reversals, and the sum of their sizes:
  // the distances of the samples from the middle of their neighbours, in
  // degrees or shares of the reach.
  int32_t window = 0;
  int32_t count = 0;
  float size = 0;
  // Over seconds that have enough reversals.
  int32_t noisy = 0;
  int32_t first = 0;
  int32_t last = 0;
  int32_t most_count = 0;
  int32_t most_window = 0;
  int32_t all_count = 0;
  float all_sizes = 0;
};

// Begin, then Add for each block and track, then Finish. A track may be left
// out from some block on: nothing is known of it then. The slow twin is in
// tests/validate/reference_jitter.cc.
class VibrationFinder {
 public:
  // Starts a clip. A second has `window_frames` frames; 0: it is not judged.
  void Begin(const MotionClip& clip, int64_t window_frames);
  // Looks at the samples of a block. Quick where no channel turns back.
  void Add(const MotionBlock& block, size_t track);
  // All blocks came.
  void Finish();

  // Says what was found about a track; noisy is 0 if it does not vibrate.
  const Vibration& Of(size_t track) const { return vibrations_[track]; }

 private:
  // The thresholds of one kind of track.
  struct Limits {
    // The least way from sample to sample: as a step, and as the sum of the
    // squares of the changes of the channels.
    double step = HUGE_VAL;
    float channels = HUGE_VALF;
    // A way of several frames has a step of at least this.
    float max_step = HUGE_VALF;
    // The size of one unit of sqrt(kink).
    double kink_unit = 0;
  };

  const Limits& LimitsOf(size_t track) const {
    return track < clip_->rotations ? rotations_ : positions_;
  }
  bool MayTurnBack(const MotionBlock& block, size_t track, size_t i) const;
  void Count(const MotionBlock& block, size_t track, int64_t t);
  void CloseWindow(Vibration* vibration) const;

  const MotionClip* clip_ = nullptr;
  int64_t window_frames_ = 0;
  // Frames from sample to sample; 0 if the clip is not judged.
  int64_t stride_ = 0;
  double fewest_ = 0;
  Limits rotations_;
  Limits positions_;
  std::vector<Vibration> vibrations_;
  // The largest step of each track in the block before.
  std::vector<float> max_steps_;
};

}  // namespace bvhmill
