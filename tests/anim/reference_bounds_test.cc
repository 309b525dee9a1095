// Poses of reference of a figure whose rest pose differs from that of the
// avatar by a known angle, or whose height is known.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/anim/anim_to_clip.h"
#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/kinematics/plan.h"
#include "tests/anim/anim_support.h"
#include "tests/anim/figure.h"

namespace bvhmill::testing {
namespace {

// The avatar at rest for a few frames. Lengths are inches.
Clip Avatar() {
  IssueLog log({});
  Clip clip;
  AnimToClipOptions options;
  options.all_bones = true;
  EXPECT_TRUE(AnimToClip(SmallMotion(), options, &clip, &log).ok());
  clip.motion.frames = 4;
  const size_t columns = clip.skeleton.channels.size();
  clip.motion.values.assign(4 * columns, 0);
  // The avatar stands on the ground.
  for (size_t frame = 0; frame < 4; ++frame) {
    clip.motion.values[frame * columns + 1] = 42.0F;
  }
  return clip;
}

// Turns the offset of a joint about axis 0, 1 or 2.
void TurnOffset(std::string_view name, size_t axis, double degrees,
                Clip* clip) {
  const double radians = degrees * std::numbers::pi / 180;
  const size_t u = (axis + 1) % 3;
  const size_t v = (axis + 2) % 3;
  for (Node& node : clip->skeleton.nodes) {
    if (node.name != name || IsEndSite(node)) continue;
    const double a = node.offset[u];
    const double b = node.offset[v];
    node.offset[u] =
        static_cast<float>(a * std::cos(radians) - b * std::sin(radians));
    node.offset[v] =
        static_cast<float>(a * std::sin(radians) + b * std::cos(radians));
  }
}

// The left leg is spread, or the left arm points ahead.
Clip WithLeg(double degrees) {
  Clip clip = Avatar();
  TurnOffset("mKneeLeft", 2, degrees, &clip);
  TurnOffset("mAnkleLeft", 2, degrees, &clip);
  return clip;
}
Clip WithArm(double degrees) {
  Clip clip = Avatar();
  TurnOffset("mElbowLeft", 1, -degrees, &clip);
  TurnOffset("mWristLeft", 1, -degrees, &clip);
  return clip;
}

AvatarDrive DriveOf(const Clip& clip) {
  return MakeAvatarDrive(clip, MakePlan(clip.skeleton, {}), {});
}

TEST(ReferenceBounds, ThePoseIsMatchedFromTheAnglesThatAreStated) {
  const struct {
    Clip clip;
    PoseMatch match;
  } cases[] = {
      {Avatar(), PoseMatch::kLimbs},      {WithLeg(44.9), PoseMatch::kLimbs},
      {WithLeg(59.9), PoseMatch::kLimbs}, {WithLeg(60.1), PoseMatch::kWhole},
      {WithArm(44.9), PoseMatch::kLimbs}, {WithArm(80), PoseMatch::kLimbs}};
  for (const auto& c : cases) {
    EXPECT_EQ(DriveOf(c.clip).reference.match, c.match) << &c - cases;
  }
}

// The codes of the issues about a conversion by the rest pose.
std::string CodesByRestPose(const Clip& clip) {
  ClipToAnimOptions options;
  options.reference = AnimReference::kRestPose;
  options.keep_still_joints = true;
  options.metres_per_unit = 0.0254;
  Report report;
  Convert(clip, options, &report);
  return Codes(report);
}

TEST(ReferenceBounds, OddLimbsAndFoldedFiguresAreStated) {
  const auto says = [](const Clip& clip, std::string_view code) {
    return CodesByRestPose(clip).find(code) != std::string::npos;
  };
  EXPECT_FALSE(says(WithArm(9.5), "ANIM_REFERENCE_ODD"));
  EXPECT_TRUE(says(WithArm(10.5), "ANIM_REFERENCE_ODD"));
  EXPECT_FALSE(says(WithLeg(59.9), "ANIM_POSE_ODD"));
  EXPECT_TRUE(says(WithLeg(60.1), "ANIM_POSE_ODD"));
}

// The height of the pelvis above the lowest joint, in units of the clip.
double StandingHeight(const Clip& clip) {
  std::vector<double> heights;
  for (const Node& node : clip.skeleton.nodes) {
    const double above =
        node.parent < 0 ? 0 : heights[static_cast<size_t>(node.parent)];
    heights.push_back(above + node.offset[1]);
  }
  return heights[0] - *std::min_element(heights.begin(), heights.end());
}

// Hips of persons are between 0.5 m and 1.5 m above the ground.
TEST(ReferenceBounds, AnInchIsAUnitOnlyOfPersons) {
  const struct {
    double metres;
    bool guesses;
  } cases[] = {{0.499, true}, {0.501, false}, {1.499, false}, {1.501, true}};
  for (const auto& [metres, guesses] : cases) {
    Clip clip = Avatar();
    const double scale = metres / 0.0254 / StandingHeight(clip);
    for (Node& node : clip.skeleton.nodes) {
      for (float& value : node.offset) value *= static_cast<float>(scale);
    }
    EXPECT_EQ(DriveOf(clip).guesses_scale, guesses) << metres;
  }
}

}  // namespace
}  // namespace bvhmill::testing
