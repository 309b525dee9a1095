// Rotations that lack digits, and rotations in radians.

#include <cmath>
#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

constexpr MotionShape kFewFrames = {.frames = 300, .frames_per_second = 30};

// Changes all rotations; rows begin with the position of the root.
void ChangeRotations(float (*change)(float), Clip* clip) {
  const size_t width = clip->skeleton.channels.size();
  for (size_t i = 0; i < clip->motion.values.size(); ++i) {
    float& value = clip->motion.values[i];
    if (i % width >= 3) value = change(value);
  }
}

float Whole(float value) { return std::rint(value); }
float Tenths(float value) { return std::rint(value * 10) / 10; }
float Hundredths(float value) { return std::rint(value * 100) / 100; }
// Radians of twice the angle.
float Radians(float value) { return value * 0.0349066F; }

// Changes all rotations, and then adds to the first `channels` of them from
// frame `first` on.
void Spoil(float (*change)(float), int channels, int64_t first, Clip* clip) {
  ChangeRotations(change, clip);
  for (int64_t t = first; t < clip->motion.frames; ++t) {
    for (int i = 0; i < channels; ++i) {
      const int32_t node = i / 3;
      ValueAt(clip, t, node, i % 3 + (node == 0 ? 3 : 0)) += 0.25F;
    }
  }
}

}  // namespace

std::vector<FaultCase> ValueCases() {
  return {
      {"WholeDegrees",
       kFewFrames,
       [](Clip* c) { ChangeRotations(Whole, c); },
       {"hint DATA_QUANTIZED"},
       {{"step", "1"}, {"channels", "33"}}},
      {"TenthsOfADegree",
       kFewFrames,
       [](Clip* c) { ChangeRotations(Tenths, c); },
       {"hint DATA_QUANTIZED"},
       {{"step", "0.1"}, {"channels", "33"}}},
      {"HundredthsOfADegree",
       kFewFrames,
       [](Clip* c) { ChangeRotations(Hundredths, c); },
       {}},
      {"WholeDegreesButTheRoot",
       kFewFrames,
       [](Clip* c) { Spoil(Whole, 3, 0, c); },
       {"hint DATA_QUANTIZED"},
       {{"step", "1"}, {"channels", "30"}, {"moving", "33"}}},
      {"ThreeAnglesBetweenTenths",
       kFewFrames,
       [](Clip* c) { Spoil(Tenths, 3, 299, c); },
       {"hint DATA_QUANTIZED"},
       {{"step", "0.1"}, {"channels", "30"}, {"moving", "33"}}},
      {"FourAnglesBetweenTenths",
       kFewFrames,
       [](Clip* c) { Spoil(Tenths, 4, 299, c); },
       {}},
      {"ThreeAnglesBetweenWholeDegrees",
       kFewFrames,
       [](Clip* c) {
         Spoil(Whole, 3, 299, c);
         ChangeRotations(Tenths, c);
       },
       {"hint DATA_QUANTIZED"},
       {{"step", "1"}, {"channels", "30"}}},
      {"FourAnglesBetweenWholeDegrees",
       kFewFrames,
       [](Clip* c) {
         Spoil(Whole, 4, 299, c);
         ChangeRotations(Tenths, c);
       },
       {"hint DATA_QUANTIZED"},
       {{"step", "0.1"}, {"channels", "33"}}},
      {"Radians",
       MotionShape{},
       [](Clip* c) { ChangeRotations(Radians, c); },
       {"hint DATA_RADIANS"},
       {{"channels", "33"}}},
      {"OneAngleAboveATurnInRadians",
       MotionShape{},
       [](Clip* c) {
         ChangeRotations(Radians, c);
         for (int64_t t = 0; t < 600; ++t) ValueAt(c, t, 6, 1) = -6.29F;
       },
       {}},
  };
}

}  // namespace bvhmill::testing
