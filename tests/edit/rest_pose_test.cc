// The pose of a frame becomes the rest pose.

#include <gtest/gtest.h>

#include <cmath>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/editing.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

Clip AtFrame(int64_t frame, const Clip& clip,
             const Conventions& conventions = {}) {
  ClipEdits edits;
  edits.tpose_frame = frame;
  return Edited(edits, clip, conventions);
}

TEST(RestPose, JointsStayWhereTheyAre) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Clip clip = RandomClip({}, 5, seed);
    const Conventions conventions = {
        seed % 2 == 0 ? JointPositions::kReplaceOffset
                      : JointPositions::kAddToOffset,
        seed % 3 == 0 ? RootOffset::kReplaced : RootOffset::kAdded};
    const Clip after = AtFrame(2, clip, conventions);
    const auto was = WorldOf(clip, conventions);
    const auto is = WorldOf(after, conventions);
    ASSERT_EQ(PathsOf(after.skeleton), PathsOf(clip.skeleton));
    for (size_t frame = 0; frame < was.size(); ++frame) {
      for (size_t node = 0; node < was[frame].size(); ++node) {
        for (size_t i = 0; i < 3; ++i) {
          ASSERT_NEAR(is[frame][node][i], was[frame][node][i], 2e-3);
        }
      }
    }
  }
}

TEST(RestPose, TheOffsetsGiveThePose) {
  const Clip clip = WavingClip(SmallLeg(10).skeleton, 10);
  const Clip after = AtFrame(4, clip);
  const size_t width = after.skeleton.channels.size();
  for (size_t i = 0; i < width; ++i) {
    if (!IsRotation(after.skeleton.channels[i])) continue;
    EXPECT_EQ(after.motion.values[4 * width + i], 0);
  }
  const auto world = WorldOf(clip)[4];
  for (size_t node = 1; node < world.size(); ++node) {
    const Node& joint = after.skeleton.nodes[node];
    const auto& above = world[static_cast<size_t>(joint.parent)];
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(joint.offset[i], world[node][i] - above[i], 1e-3);
    }
  }
}

// It stands in the frame that --frames then leaves out.
TEST(RestPose, IsTakenBeforeFramesAreSelected) {
  const Clip clip = WavingClip(SmallLeg(10).skeleton, 10);
  ClipEdits edits;
  edits.tpose_frame = 0;
  edits.frames = {1, 0, 1};
  const Clip after = Edited(edits, clip);
  EXPECT_EQ(after.motion.frames, 9);
  EXPECT_EQ(after.skeleton.nodes[1].offset,
            AtFrame(0, clip).skeleton.nodes[1].offset);
}

TEST(RestPose, MustBeAFrameWithAllItsValues) {
  Clip clip = SmallLeg(3);
  ClipEdits edits;
  edits.tpose_frame = 3;
  EXPECT_EQ(MessageOf(StatusOfEdit(edits, clip)),
            "options.edits.tpose_frame: is 3, but the clip has 3 frames");
  edits.tpose_frame = 1;
  clip.motion.values[clip.skeleton.channels.size()] = NAN;
  EXPECT_EQ(MessageOf(StatusOfEdit(edits, clip)),
            "options.edits.tpose_frame: frame 1 has a value that is not "
            "finite");
}

}  // namespace
}  // namespace bvhmill::testing
