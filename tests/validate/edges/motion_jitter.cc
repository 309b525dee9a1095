// Short jitter of a joint, and jitter of the root.

#include <cmath>
#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

constexpr MotionShape kSlowRate = {.frames = 300, .frames_per_second = 30};

void Wiggle(int32_t node, float amount, int64_t first, int64_t last,
            Clip* clip) {
  for (int64_t t = first; t <= last; ++t) {
    ValueAt(clip, t, node, 0) += t % 2 == 0 ? amount : -amount;
  }
}

// Moves the root to and fro, once in 0.2 s.
void Rock(Clip* clip) {
  for (int64_t t = 0; t < clip->motion.frames; ++t) {
    ValueAt(clip, t, 0, 0) +=
        0.2F * std::sin(6.2832F * static_cast<float>(t) / 6);
  }
}

}  // namespace

std::vector<FaultCase> JitterCases() {
  return {
      {"JitterBurst",
       kSlowRate,
       [](Clip* c) { Wiggle(2, 4.7F, 130, 138, c); },
       {"hint DATA_JITTER joint 2 frame 131 to 138"},
       {{"seconds", "0.4"}, {"reversals", "20"}}},
      // A reversal fewer, or smaller ones.
      {"ShorterBurst",
       kSlowRate,
       [](Clip* c) { Wiggle(2, 4.7F, 130, 136, c); },
       {}},
      {"SmallBurst", kSlowRate, [](Clip* c) { Wiggle(2, 1, 130, 138, c); }, {}},
      {"LargeBurst",
       kSlowRate,
       [](Clip* c) { Wiggle(2, 20, 130, 134, c); },
       {"hint DATA_JITTER joint 2 frame 130 to 134"},
       {{"seconds", "0.4"}, {"reversals", "12.5"}}},
      {"ShorterLargeBurst",
       kSlowRate,
       [](Clip* c) { Wiggle(2, 20, 130, 133, c); },
       {}},
      // The reach is 10.
      {"BurstOfTheRoot",
       MotionShape{},
       [](Clip* c) { Wiggle(0, 0.08F, 130, 135, c); },
       {"hint DATA_JITTER joint 0 frame 130 to 134"},
       {{"kind", "position"}, {"reversals", "12.5"}}},
      {"ShorterBurstOfTheRoot",
       MotionShape{},
       [](Clip* c) { Wiggle(0, 0.08F, 130, 133, c); },
       {}},
      {"SmallBurstOfTheRoot",
       MotionShape{},
       [](Clip* c) { Wiggle(0, 0.02F, 130, 135, c); },
       {}},
      {"JitterOfTheRoot",
       MotionShape{},
       [](Clip* c) { Wiggle(0, 0.045F, 130, 470, c); },
       {"hint DATA_JITTER joint 0 frame 380 to 425"},
       {{"kind", "position"}}},
      {"SmallJitterOfTheRoot",
       MotionShape{},
       [](Clip* c) { Wiggle(0, 0.004F, 130, 470, c); },
       {}},
      {"RootThatRocks", kSlowRate, Rock, {}},
  };
}

}  // namespace bvhmill::testing
