// Short jitter and tremor of a joint, and jitter of the root.

#include <algorithm>
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

// Some frames of equal steps.
struct Way {
  int64_t frames = 0;
  float step = 0;
};

// Channel 0 of a joint follows `ways` from frame 0 on, and the last one to the
// end; its next two channels are 0.
void Follow(int32_t node, const std::vector<Way>& ways, Clip* clip) {
  float value = 0;
  size_t at = 0;
  int64_t end = ways[0].frames;
  for (int64_t t = 0; t < clip->motion.frames; ++t) {
    while (t >= end && at + 1 < ways.size()) end += ways[++at].frames;
    value += ways[at].step;
    for (const int channel : {0, 1, 2}) ValueAt(clip, t, node, channel) = 0;
    ValueAt(clip, t, node, 0) = value;
  }
}

// Appends ways to and fro of `frames` frames each.
void AddSwings(int count, int64_t frames, float step, std::vector<Way>* ways) {
  const float sign = ways->back().step > 0 ? -1 : 1;
  for (int i = 0; i < count; ++i) {
    ways->push_back({frames, (i % 2 == 0 ? sign : -sign) * step});
  }
}

// Swings from frame 300 on.
std::vector<Way> Swings(int count, int64_t frames, float step) {
  std::vector<Way> ways = {{300, 0.05F}};
  AddSwings(count, frames, step, &ways);
  return ways;
}

// Five swings, `frames` frames of a slow way, and five swings.
void TwoTremors(int64_t frames, int64_t swing_frames, Clip* clip) {
  std::vector<Way> ways = Swings(5, swing_frames, 0.45F);
  AddSwings(1, frames, 0.02F, &ways);
  AddSwings(5, swing_frames, 0.45F, &ways);
  Follow(2, ways, clip);
}

std::vector<FaultCase> BurstCases() {
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

std::vector<FaultCase> TremorCases() {
  return {
      // A swing lasts from turn to turn. Before the first turn, and after the
      // last one, there is none.
      {"Tremor",
       MotionShape{},
       [](Clip* c) {
         std::vector<Way> ways = Swings(11, 6, 0.4F);
         for (size_t i = 1; i < ways.size(); i += 2) ways[i].step = -0.35F;
         Follow(2, ways, c);
       },
       {"hint DATA_JITTER joint 2 frame 299 to 353"},
       {{"seconds", "0.55"}, {"reversals", "18.18"}, {"degrees", "2.233"}}},
      // The last turn is seen in the next block of 256 frames, which is slow.
      {"TremorThatEndsWithABlock",
       MotionShape{},
       [](Clip* c) {
         std::vector<Way> ways = {{196, 0.05F}};
         AddSwings(10, 6, 0.4F, &ways);
         ways.push_back({1, -0.05F});
         Follow(2, ways, c);
       },
       {"hint DATA_JITTER joint 2 frame 195 to 249"}},
      {"ShorterTremor",
       MotionShape{},
       [](Clip* c) { Follow(2, Swings(10, 6, 0.4F), c); },
       {}},
      {"TremorOfSmallSwings",
       MotionShape{},
       [](Clip* c) { Follow(2, Swings(20, 6, 0.33F), c); },
       {}},
      {"SlowTremor",
       MotionShape{},
       [](Clip* c) { Follow(2, Swings(20, 8, 0.4F), c); },
       {}},
      {"LongTremor",
       MotionShape{},
       [](Clip* c) {
         std::vector<Way> ways = Swings(11, 6, 0.45F);
         AddSwings(30, 6, 0.4F, &ways);
         Follow(2, ways, c);
       },
       {"warning DATA_JITTER joint 2 frame 299 to 353 x4"}},
      {"TremorOfTheRoot",
       MotionShape{},
       [](Clip* c) { Follow(0, Swings(11, 6, 0.012F), c); },
       {"hint DATA_JITTER joint 0 frame 299 to 353"},
       {{"kind", "position"}, {"reach", "0.0072"}}},
  };
}

std::vector<FaultCase> PauseCases() {
  return {
      // A slow way of 0.12 s is too short for a swing. One of 0.2 s may be of
      // any length, but not two in turn.
      {"TwoTremors", MotionShape{}, [](Clip* c) { TwoTremors(14, 5, c); }, {}},
      {"TremorWithAPause",
       MotionShape{},
       [](Clip* c) { TwoTremors(24, 5, c); },
       {"hint DATA_JITTER joint 2 frame 299 to 363"}},
      {"TremorWithTwoPauses",
       MotionShape{},
       [](Clip* c) {
         std::vector<Way> ways = Swings(3, 3, 0.8F);
         AddSwings(2, 19, 0.02F, &ways);
         AddSwings(6, 3, 0.8F, &ways);
         Follow(2, ways, c);
       },
       {}},
  };
}

}  // namespace

std::vector<FaultCase> JitterCases() {
  std::vector<FaultCase> cases;
  for (const auto& some : {BurstCases(), TremorCases(), PauseCases()}) {
    cases.insert(cases.end(), some.begin(), some.end());
  }
  return cases;
}

}  // namespace bvhmill::testing
