// Edits are made in the stated order, one after the other.

#include <gtest/gtest.h>

#include <random>

#include "bvhmill/base/status.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

ClipEdits RandomEdits(const Skeleton& skeleton, std::mt19937_64* random) {
  const auto chance = [random](int n) { return (*random)() % n == 0; };
  ClipEdits edits;
  for (const Node& node : skeleton.nodes) {
    if (!IsEndSite(node) && node.parent >= 0 && chance(6)) {
      edits.drop.push_back(node.name);
    }
  }
  if (chance(2)) edits.rename = {{skeleton.nodes[0].name, "Renamed"}};
  if (chance(2)) edits.frames = {3, 60, 1 + static_cast<int64_t>(chance(2))};
  if (chance(2)) edits.fps = chance(2) ? 50 : 333;
  if (chance(2)) edits.interpolation = Interpolation::kLerp;
  edits.source.up_axis = UpAxis::kZ;
  edits.source.meters_per_unit = 0.01;
  if (chance(2)) edits.to_up = UpAxis::kY;
  if (chance(2)) edits.to_units = 1;
  if (chance(3)) edits.in_place = true;
  if (chance(2)) edits.root_alignment = {"xzy", "-+-", {90, 180, 10}};
  return edits;
}

TEST(Order, EditsOneAfterTheOtherAreTheEditsAtOnce) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Clip clip = RandomClip({}, 70, seed);
    ClipEdits edits = RandomEdits(clip.skeleton, &random);
    // Values between the steps are rounded, so no lengths are scaled here.
    edits.to_units = 0;
    std::vector<ClipEdits> steps(6);
    for (ClipEdits& step : steps) step.source.up_axis = UpAxis::kZ;
    steps[0].drop = edits.drop;
    steps[1].rename = edits.rename;
    steps[2].frames = edits.frames;
    steps[3].fps = edits.fps;
    steps[3].interpolation = edits.interpolation;
    steps[4].to_up = edits.to_up;
    steps[5].in_place = edits.in_place;
    if (edits.to_up == UpAxis::kY) steps[5].source.up_axis = UpAxis::kY;
    // A root that is held in place may be no body root any more.
    steps[5].root_alignment = edits.root_alignment;
    const Clip at_once = Edited(edits, clip);
    for (const ClipEdits& step : steps) clip = Edited(step, clip);
    ASSERT_EQ(clip.skeleton.channels, at_once.skeleton.channels);
    ASSERT_EQ(clip.motion.values.size(), at_once.motion.values.size());
    EXPECT_EQ(clip.motion.frame_time, at_once.motion.frame_time);
    for (size_t i = 0; i < clip.motion.values.size(); ++i) {
      ASSERT_NEAR(clip.motion.values[i], at_once.motion.values[i], 1e-3);
    }
  }
}

// Frame 0 is at 0 s; a clip of 120 frames a second states 0.008333.
TEST(Trim, FramesByTheirTime) {
  struct Case {
    double frame_time;
    TimeRange trim;
    int64_t first;
    int64_t frames;
  };
  const Case kCases[] = {
      {0.008333, {0, 0.5}, 0, 60},    {0.008333, {0.5, 1}, 60, 60},
      {0.008333, {0.501, 0}, 61, 59}, {1.0 / 30, {1, 2}, 30, 30},
      {1.0 / 30, {3.9, 99}, 117, 3},  {0.0333333, {1.5, 3}, 45, 45},
  };
  for (const Case& c : kCases) {
    Clip clip = SmallLeg(120);
    clip.motion.frame_time = c.frame_time;
    ClipEdits edits;
    edits.trim = c.trim;
    const Clip after = Edited(edits, clip);
    EXPECT_EQ(after.motion.frames, c.frames) << c.trim.begin_seconds;
    EXPECT_EQ(after.motion.frame_time, c.frame_time);
    EXPECT_EQ(after.motion.values[0],
              clip.motion.values[static_cast<size_t>(c.first) *
                                 clip.skeleton.channels.size()]);
  }
}

TEST(Trim, ATimeThatTheClipDoesNotHaveIsRefused) {
  Clip clip = SmallLeg(120);
  ClipEdits edits;
  edits.trim = {2, 0};
  EXPECT_EQ(MessageOf(StatusOfEdit(edits, clip)),
            "options.edits.trim: begins at 2 s, but the last frame of the clip "
            "is at 0.9917 s");
  edits.trim = {0.0121, 0.0122};
  EXPECT_EQ(MessageOf(StatusOfEdit(edits, clip)),
            "options.edits.trim: no frame of the clip is in this time");
  clip.motion.frame_time = 0;
  EXPECT_EQ(StatusOfEdit(edits, clip).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace bvhmill::testing
