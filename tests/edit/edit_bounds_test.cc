// Edits and repairs of values that lie next to the bounds of a rule.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "bvhmill/edit/clip_edits.h"
#include "tests/edit/edits.h"
#include "tests/edit/repair_clips.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// The angles of a joint in two frames, and the first of them after it was
// unwrapped.
struct UnwrapCase {
  const char* name;
  std::array<float, 3> before;
  std::array<float, 3> after;
  float unwrapped;
};

TEST(EditBounds, JumpsThatAreWrapsAreUnwrapped) {
  const UnwrapCase cases[] = {
      // Steps of 288.1 and 287.9 degrees of rotations by 71.9 and 72.1: just
      // below a quarter, and just above it.
      {"a quarter of the step", {144, 0, 0}, {-144.1F, 0, 0}, 215.9F},
      {"more than a quarter", {144, 0, 0}, {-143.9F, 0, 0}, -143.9F},
      // The same rotation by other angles: half a turn more of two of them.
      {"more than half a turn", {0, 80, 0}, {180.5F, 100, 180.5F}, -179.5F},
      {"less than half a turn", {0, 80, 0}, {179.5F, 100, 179.5F}, 179.5F},
      // 2777 and 2778 turns.
      {"a step below a million", {0, 0, 0}, {999'720, 0, 0}, 0},
      {"a step above a million", {0, 0, 0}, {1'000'080, 0, 0}, 1'000'080},
      // Floats near 65800 are multiples of 0.0078125.
      {"a small loss", {65'800, 0, 0}, {-79.9981F, 0, 0}, 65'800},
      {"a larger loss", {65'800, 0, 0}, {-79.9977F, 0, 0}, -79.9977F},
  };
  for (const UnwrapCase& c : cases) {
    Clip clip = SwingingLeg(2);
    for (size_t k = 0; k < 3; ++k) {
      At(&clip, 0, kKnee + k) = c.before[k];
      At(&clip, 1, kKnee + k) = c.after[k];
    }
    Repaired({.unwrap = true}, &clip);
    EXPECT_FLOAT_EQ(At(&clip, 1, kKnee), c.unwrapped) << c.name;
  }
}

// The frame time after resampling to `rate`, and whether the frames are new.
struct EditedRate {
  double rate;
  double frame_time;
  double edited_frame_time;
  bool is_resampled;
};

TEST(EditBounds, RatesThatDifferLittleAreOne) {
  constexpr double kTime = 1.0 / 120;
  const EditedRate cases[] = {
      {120, kTime, kTime, false},
      {120, kTime * (1 + 0.9e-12), kTime * (1 + 0.9e-12), false},
      {120, kTime * (1 + 1.1e-12), kTime, false},
      {120, kTime * (1 + 0.9e-4), kTime, false},
      {120, kTime * (1 + 1.1e-4), kTime, true},
      {120, kTime * (1 - 0.9e-4), kTime, false},
      {120, kTime * (1 - 1.1e-4), kTime, true},
  };
  for (const EditedRate& c : cases) {
    Clip clip = WavingClip(SmallLeg(1).skeleton, 200);
    clip.motion.frame_time = c.frame_time;
    ClipEdits edits;
    edits.fps = c.rate;
    const Clip edited = Edited(edits, clip);
    EXPECT_EQ(edited.motion.frame_time, c.edited_frame_time) << c.frame_time;
    EXPECT_EQ(edited.motion.values != clip.motion.values, c.is_resampled)
        << c.frame_time;
  }
}

TEST(EditBounds, FrameTimesThatAreThoseOfARateAreNotSnapped) {
  constexpr double kTime = 1.0 / 120;
  for (const bool is_near : {false, true}) {
    Clip clip = SwingingLeg(10);
    clip.motion.frame_time = kTime * (1 + (is_near ? 0.9e-12 : 1.1e-12));
    const size_t changes = Repaired({.snap_rate = true}, &clip).size();
    EXPECT_EQ(changes, is_near ? 0 : 1);
    EXPECT_EQ(clip.motion.frame_time == kTime, !is_near);
  }
}

TEST(EditBounds, UnitsDifferByAMillionMillionTimesAtMost) {
  const struct {
    double source;
    double unit;
    bool is_good;
  } cases[] = {{1e12, 1, true},
               {1.1e12, 1, false},
               {1, 1e12, true},
               {1, 1.1e12, false},
               {1, 0, true}};
  for (const auto& c : cases) {
    ClipEdits edits;
    edits.source.meters_per_unit = c.source;
    edits.to_units = c.unit;
    EXPECT_EQ(CheckEdits(edits).ok(), c.is_good) << c.source << " " << c.unit;
  }
}

}  // namespace
}  // namespace bvhmill::testing
