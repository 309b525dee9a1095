// Vibrations that are spread over frames.

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

// Adds a sine to a channel.
void Vibrate(int32_t node, double hertz, double amount, int64_t first,
             int64_t last, Clip* clip) {
  for (int64_t t = first; t <= last; ++t) {
    const double seconds =
        static_cast<double>(t) * clip->motion.frame_time + 0.01;
    ValueAt(clip, t, node, 0) += static_cast<float>(
        amount * std::sin(2 * std::numbers::pi * hertz * seconds));
  }
}

}  // namespace

std::vector<FaultCase> VibrationCases() {
  const MotionShape usual;
  return {
      {"Vibration",
       usual,
       [](Clip* c) { Vibrate(4, 12, 5, 100, 500, c); },
       {"hint DATA_JITTER joint 4 frame 240 to 359 x3"},
       {{"kind", "rotation"}, {"seconds", "3"}, {"reversals", "22"}}},
      {"VibrationAtAHundredFrames",
       {.frames = 500, .frames_per_second = 100},
       [](Clip* c) { Vibrate(4, 10, 6, 100, 399, c); },
       {"hint DATA_JITTER joint 4 frame 100 to 199 x3"}},
      // A person can shake a hand.
      {"SlowVibration",
       usual,
       [](Clip* c) { Vibrate(4, 6, 8, 100, 500, c); },
       {}},
      {"SmallVibration",
       usual,
       [](Clip* c) { Vibrate(4, 12, 0.5, 100, 500, c); },
       {}},
      // The reach is 10.
      {"VibrationOfTheRoot",
       usual,
       [](Clip* c) {
         for (int64_t t = 0; t < 600; ++t) {
           for (const int k : {0, 1, 2}) ValueAt(c, t, 0, k) = 5;
         }
         Vibrate(0, 12, 0.15, 100, 500, c);
       },
       {"hint DATA_JITTER joint 0 frame 120 to 239 x3"},
       {{"kind", "position"}}},
  };
}

}  // namespace bvhmill::testing
