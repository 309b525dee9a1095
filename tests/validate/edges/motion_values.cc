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
      {"OneAngleBetweenTenths",
       kFewFrames,
       [](Clip* c) {
         ChangeRotations(Tenths, c);
         ValueAt(c, 299, 10, 2) += 0.05F;
       },
       {}},
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
