// The curves of driven joints, against world rotations and places in double.

#include <gtest/gtest.h>

#include <cmath>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/avatar/drive.h"
#include "bvhmill/anim/fit/curve_fit.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Turn = Quat<double>;

Turn Inverse(const Turn& q) { return {-q.x, -q.y, -q.z, q.w}; }

struct World {
  std::vector<Turn> turns;
  std::vector<Vec3<double>> places;
};

World Solve(const Clip& clip, const Plan& plan, int64_t frame) {
  const float* row =
      clip.motion.values.data() +
      static_cast<size_t>(frame) * static_cast<size_t>(plan.columns);
  World world;
  for (const PlanNode& node : plan.nodes) {
    Turn turn;
    for (int32_t i = 0; i < node.step_count; ++i) {
      const RotationStep& step = plan.steps[StepIndex(node, i)];
      turn = Multiply(turn, AxisQuat<double>(step.axis, row[step.column]));
    }
    Vec3<double> place = {};
    for (size_t k = 0; k < 3; ++k) {
      const int32_t column = node.position_column[k];
      place[k] = node.offset[k] + (column < 0 ? 0 : row[column]);
    }
    if (node.parent >= 0) {
      const auto parent = static_cast<size_t>(node.parent);
      turn = Multiply(world.turns[parent], turn);
      place = TurnVector(world.turns[parent], place);
      for (size_t k = 0; k < 3; ++k) place[k] += world.places[parent][k];
    }
    world.turns.push_back(turn);
    world.places.push_back(place);
  }
  return world;
}

// Names of joints of the avatar for the first of the nodes.
std::vector<std::string> SomeNames(const Skeleton& skeleton) {
  const std::vector<std::string> all = {"",          "mPelvis", "mTorso",
                                        "mChest",    "mHead",   "mHipLeft",
                                        "mKneeLeft", "",        "mNeck"};
  std::vector<std::string> names(skeleton.nodes.size());
  size_t next = 0;
  for (size_t i = 0; i < names.size() && next < all.size(); ++i) {
    if (!IsEndSite(skeleton.nodes[i])) names[i] = all[next++];
  }
  return names;
}

std::vector<DriveStep> StepsOf(const Plan& plan, const DrivenJoint& joint) {
  std::vector<DriveStep> steps;
  SetSteps(plan, FindPath(plan, joint.base, joint.node), &steps);
  return steps;
}

void ExpectCurve(const Clip& clip, const Plan& plan, const AvatarDrive& drive,
                 const std::vector<std::string>& names) {
  const PlayedFrames frames = {&clip, &plan, 0, clip.motion.frames};
  for (const DrivenJoint& joint : drive.joints) {
    RotationCurve curve;
    WorkMeter work;
    EXPECT_EQ(FillRotation(frames, joint, StepsOf(plan, joint), &curve, &work),
              0);
    int32_t above = joint.avatar_joint;
    int32_t base = -1;
    while (above >= 0 && base < 0) {
      above = AvatarJoints()[static_cast<size_t>(above)].parent;
      for (size_t i = 0; above >= 0 && i < names.size() && base < 0; ++i) {
        if (FindAvatarJoint(names[i]) == above) base = static_cast<int32_t>(i);
      }
    }
    for (int64_t frame = 0; frame < clip.motion.frames; ++frame) {
      const World world = Solve(clip, plan, frame);
      Turn q = world.turns[static_cast<size_t>(joint.node)];
      if (base >= 0) {
        q = Multiply(Inverse(world.turns[static_cast<size_t>(base)]), q);
      }
      q = ToAvatarAxes(q);
      const auto f = static_cast<size_t>(frame);
      const double dot = q.x * curve.q[0][f] + q.y * curve.q[1][f] +
                         q.z * curve.q[2][f] + q.w * curve.q[3][f];
      ASSERT_NEAR(std::fabs(dot), 1, 2e-6);
      ASSERT_GE(curve.q[3][f], 0);
    }
  }
}

TEST(DriveCurves, RotationsAreThoseInTheWorldRelativeToTheNextDriven) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomShape shape;
    shape.max_joints = 14;
    const Clip clip = RandomClip(shape, 300, seed);
    const Plan plan = MakePlan(clip.skeleton, {});
    ClipToAnimOptions options;
    options.reference = AnimReference::kRestPose;
    options.align_heading = false;
    options.joint_names = SomeNames(clip.skeleton);
    const AvatarDrive drive = MakeAvatarDrive(clip, plan, options);
    ExpectCurve(clip, plan, drive, options.joint_names);
  }
}

// The pelvis may hang on other nodes that move.
TEST(DriveCurves, ThePelvisIsWhereItIsInTheWorld) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Clip clip = RandomClip({}, 300, seed);
    const Plan plan = MakePlan(clip.skeleton, {});
    ClipToAnimOptions options;
    options.metres_per_unit = 0.5;
    options.joint_names.assign(clip.skeleton.nodes.size(), "");
    size_t pelvis = clip.skeleton.nodes.size();
    do {
      --pelvis;
    } while (IsEndSite(clip.skeleton.nodes[pelvis]));
    options.joint_names[pelvis] = "mPelvis";
    const AvatarDrive drive = MakeAvatarDrive(clip, plan, options);
    ASSERT_EQ(drive.pelvis, 0);
    PositionCurve curve;
    WorkMeter work;
    FillPelvisPosition({&clip, &plan, 0, 300}, drive, &curve, &work);
    for (int64_t frame = 0; frame < 300; ++frame) {
      Vec3<double> place = Solve(clip, plan, frame).places[pelvis];
      for (size_t k = 0; k < 3; ++k) place[k] -= drive.pelvis_zero[k];
      place = ToAvatarAxes(place);
      for (size_t k = 0; k < 3; ++k) {
        ASSERT_NEAR(curve.p[k][static_cast<size_t>(frame)], 0.5 * place[k],
                    1e-4);
      }
    }
    const Vec3<double> first = Solve(clip, plan, 0).places[pelvis];
    EXPECT_NEAR(drive.pelvis_zero[0], first[0], 1e-6);
    EXPECT_NEAR(drive.pelvis_zero[2], first[2], 1e-6);
  }
}

TEST(DriveCurves, KeysHoldTheNearestCodes) {
  const Clip clip = RandomClip({}, 300, 7);
  const Plan plan = MakePlan(clip.skeleton, {});
  ClipToAnimOptions options;
  options.joint_names = SomeNames(clip.skeleton);
  const AvatarDrive drive = MakeAvatarDrive(clip, plan, options);
  FrameTimes times = MakeFrameTimes(300, 10);
  std::fill(times.early.begin(), times.early.end(), 0.0F);
  FitWorkspace workspace;
  for (const DrivenJoint& joint : drive.joints) {
    RotationCurve curve;
    FillRotation({&clip, &plan, 0, 300}, joint, StepsOf(plan, joint), &curve,
                 &workspace.work);
    const FitResult fit = FitRotation(curve, times, 0, &workspace);
    for (size_t i = 0; i < fit.keys.size() && fit.keys.size() > 1; ++i) {
      if (curve.q[3][i] < 0.2F) continue;
      ASSERT_NEAR(fit.keys[i].x, RoundU16(curve.q[0][i], -1, 1), 1);
      ASSERT_NEAR(fit.keys[i].y, RoundU16(curve.q[1][i], -1, 1), 1);
      ASSERT_NEAR(fit.keys[i].z, RoundU16(curve.q[2][i], -1, 1), 1);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
