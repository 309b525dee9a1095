#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "bvhmill/anim/anim_to_clip.h"

namespace bvhmill::testing {
namespace {

// A key at each of the times.
AnimMotion KeysAt(float duration, const std::vector<uint16_t>& times) {
  AnimMotion motion;
  motion.duration = duration;
  AnimJoint joint = {"mPelvis", 2, {}, {}};
  for (const uint16_t time : times) joint.rotations.push_back({time, 0, 0, 0});
  motion.joints.push_back(joint);
  return motion;
}

// A key at each of `steps` equal steps.
AnimMotion KeysAtSteps(float duration, int steps) {
  std::vector<uint16_t> times;
  for (int i = 0; i <= steps; ++i) {
    times.push_back(static_cast<uint16_t>(65535 * i / steps));
  }
  return KeysAt(duration, times);
}

FrameGrid GridOf(const AnimMotion& motion, double rate = 0) {
  FrameGrid grid;
  EXPECT_TRUE(FindFrameGrid(motion, rate, nullptr, &grid).ok());
  return grid;
}

TEST(FrameGrid, IsTheCoarsestOfTwentyToAHundredAndTwentyFramesASecond) {
  const struct {
    AnimMotion motion;
    int64_t steps;
  } cases[] = {
      {KeysAt(2, {0, 65535}), 40},
      // Ten frames a second are too few.
      {KeysAtSteps(2, 20), 40},
      {KeysAtSteps(2, 40), 40},
      {KeysAtSteps(2, 41), 41},
      {KeysAtSteps(2, 239), 239},
      {KeysAtSteps(2, 240), 240},
      // No grid: thirty frames a second.
      {KeysAtSteps(2, 241), 60},
      {KeysAt(2, {0, 2, 65535}), 60},
      // A time may differ by one code.
      {KeysAt(2, {1, 65534}), 40},
      {KeysAt(0.01F, {0, 65535}), 1},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(GridOf(c.motion).steps, c.steps);
    EXPECT_FALSE(GridOf(c.motion).is_pose);
  }
}

TEST(FrameGrid, HasTheRateThatIsAskedFor) {
  const AnimMotion motion = KeysAtSteps(2, 41);
  EXPECT_EQ(GridOf(motion, 24).steps, 48);
  EXPECT_EQ(GridOf(motion, 10).steps, 20);
  EXPECT_EQ(GridOf(motion, 240).steps, 480);
  EXPECT_EQ(GridOf(motion, 0.2).steps, 1);
}

TEST(FrameGrid, IsThatOfAPoseIfAllKeysAreAtTheStart) {
  for (const AnimMotion& motion :
       {KeysAt(2, {0}), KeysAt(2, {}), KeysAt(0, {0, 65535}),
        KeysAt(-1, {0, 65535}), AnimMotion()}) {
    EXPECT_TRUE(GridOf(motion).is_pose);
    EXPECT_EQ(GridOf(motion).steps, 1);
  }
  AnimMotion moved = KeysAt(2, {0});
  moved.joints[0].positions.push_back({65535, 0, 0, 0});
  EXPECT_FALSE(GridOf(moved).is_pose);
}

}  // namespace
}  // namespace bvhmill::testing
