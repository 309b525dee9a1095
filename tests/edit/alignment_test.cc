// A capture turned to the ground and to where it should face.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

// A rotation matrix made without the library, so that the test is independent.
Matrix Turn(char axis, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180);
  const double s = std::sin(degrees * std::numbers::pi / 180);
  if (axis == 'x') return {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  if (axis == 'y') return {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
  return {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

Matrix Product(const std::vector<Matrix>& factors) {
  Matrix out = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (const Matrix& factor : factors) {
    Matrix next = {};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) next[i][j] += out[i][k] * factor[k][j];
      }
    }
    out = next;
  }
  return out;
}

Vector Moved(const Vector& from, const Matrix& m, const Vector& v) {
  Vector out = from;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out[i] += m[i][k] * v[k];
  }
  return out;
}

void ExpectAt(const Vector& actual, const Vector& expected, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], expected[i], tolerance);
}

RootAlignment Alignment(const char* axes, const char* signs,
                        std::array<double, 3> degrees) {
  return {axes, signs, degrees};
}

TEST(RootAlignment, WorkedExample) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int spine =
      builder.Joint(hips, "Spine", "XYZzxy", {0, 1.817770F, -2.726650F});
  builder.Joint(spine, "Spine1", "XYZzxy", {0, 0.631300F, -3.580300F});
  Clip clip = CountingClip(builder.Build(), 1);
  const float values[] = {
      0.963698F, 33.280895F, 5.105301F, -39.879443F, 105.325007F, 43.561137F,
      7,         7,          7,         -0.295321F,  -9.474851F,  -3.079455F,
      7,         7,          7,         -0.267627F,  -3.257609F,  -0.391612F};
  clip.motion.values.assign(std::begin(values), std::end(values));
  ClipEdits edits;
  edits.root_alignment = Alignment("xzy", "-+-", {90, 180, 0});
  const Clip edited = Edited(edits, clip);

  const Vector at_hips = {-0.963698, 5.105301, -33.280895};
  const Matrix of_hips = Product({Turn('z', 0), Turn('x', 90), Turn('y', 180),
                                  Turn('z', -39.879443), Turn('x', 105.325007),
                                  Turn('y', 43.561137)});
  const Vector at_spine = Moved(at_hips, of_hips, {0, 1.817770, -2.726650});
  const Matrix of_spine = Product({of_hips, Turn('z', -0.295321),
                                   Turn('x', -9.474851), Turn('y', -3.079455)});
  const Vector at_spine1 = Moved(at_spine, of_spine, {0, 0.631300, -3.580300});

  const Conventions conventions = {JointPositions::kIgnore,
                                   RootOffset::kReplaced};
  const auto world = WorldOf(edited, conventions);
  ASSERT_EQ(world.size(), 1);
  ExpectAt(world[0][0], at_hips, 1e-5);
  ExpectAt(world[0][1], at_spine, 1e-5);
  ExpectAt(world[0][2], at_spine1, 1e-5);
  // No other joint is touched.
  for (size_t i = 6; i < 18; ++i) {
    EXPECT_EQ(edited.motion.values[i], values[i]);
  }
  EXPECT_EQ(edited.skeleton.channels, clip.skeleton.channels);
}

// All ways to list rotations: the figure as a whole is turned, joint by joint.
TEST(RootAlignment, EveryChannelListOfARoot) {
  const char* kLists[] = {
      "XYZzxy", "xyzXYZ", "XYZxzy", "XYZyxz", "XYZyzx",   "XYZzyx", "XYZxyx",
      "XYZxzx", "XYZyxy", "XYZyzy", "XYZzxz", "XYZzyz",   "XYZ",    "",
      "zxy",    "XYZxx",  "x",      "xyXYZ",  "XYZxyzxy", "XYZxxy", "YZxzXy"};
  const Matrix correction =
      Product({Turn('z', 30), Turn('x', -80), Turn('y', 200)});
  ClipEdits edits;
  edits.root_alignment = Alignment("", "", {-80, 200, 30});
  for (const char* list : kLists) {
    SCOPED_TRACE(list);
    SkeletonBuilder builder;
    const int hips = builder.Root("Hips", list, {3, 4, 5});
    const int knee = builder.Joint(hips, "Knee", "zxy", {0, 20, 1});
    builder.EndSite(knee, "", {1, 2, 3});
    const Clip clip = WavingClip(builder.Build(), 40);
    const Clip edited = Edited(edits, clip);
    const auto before = WorldOf(clip);
    const auto after = WorldOf(edited);
    for (size_t frame = 0; frame < before.size(); ++frame) {
      const Vector& root = before[frame][0];
      ExpectAt(after[frame][0], root, 1e-4);
      for (size_t node = 1; node < 3; ++node) {
        Vector bone = before[frame][node];
        for (int i = 0; i < 3; ++i) bone[i] -= root[i];
        ExpectAt(after[frame][node], Moved(root, correction, bone), 2e-3);
      }
    }
  }
}

TEST(RootAlignment, UnusableRotationsBecomeZxyInTheirPlace) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "xXYZx");
  builder.Joint(hips, "Knee", "y");
  builder.Root("Other", "XYZ");
  ClipEdits edits;
  edits.root_alignment = Alignment("", "", {0, 90, 0});
  const Clip edited = Edited(edits, WavingClip(builder.Build(), 3));
  const Skeleton& skeleton = edited.skeleton;
  EXPECT_EQ(ChannelLetters(skeleton, skeleton.nodes[0]), "zxyXYZ");
  EXPECT_EQ(ChannelLetters(skeleton, skeleton.nodes[1]), "y");
  EXPECT_EQ(ChannelLetters(skeleton, skeleton.nodes[2]), "XYZzxy");
}

// Positions and OFFSETs of roots, with any of their channels.
TEST(RootAlignment, AxesAndSignsMoveWhatThereIs) {
  for (const char* list : {"XYZzxy", "YXZ", "Yzxy", "XZ", "", "XYZY"}) {
    for (const RootOffset root : {RootOffset::kReplaced, RootOffset::kAdded}) {
      SCOPED_TRACE(list);
      SkeletonBuilder builder;
      builder.Root("Hips", list, {3, 4, 5});
      const Clip clip = WavingClip(builder.Build(), 5);
      ClipEdits edits;
      edits.root_alignment = Alignment("yzx", "--+", {});
      const Conventions conventions = {JointPositions::kReplaceOffset, root};
      const auto before = WorldOf(clip, conventions);
      const auto after = WorldOf(Edited(edits, clip), conventions);
      for (size_t frame = 0; frame < before.size(); ++frame) {
        const Vector& p = before[frame][0];
        ExpectAt(after[frame][0], {-p[1], -p[2], p[0]}, 1e-9);
      }
    }
  }
}

// A root that turns round and round, through gimbal lock: no angle jumps more
// than the motion does.
TEST(RootAlignment, AnglesFollowTheMotion) {
  SkeletonBuilder builder;
  builder.Root("Hips", "zxy");
  Clip clip = CountingClip(builder.Build(), 2000);
  for (size_t frame = 0; frame < 2000; ++frame) {
    clip.motion.values[3 * frame] = 0;
    clip.motion.values[3 * frame + 1] = 0;
    clip.motion.values[3 * frame + 2] = static_cast<float>(frame);
  }
  ClipEdits edits;
  edits.root_alignment = Alignment("", "", {70, 0, 0});
  const Clip edited = Edited(edits, clip);
  for (size_t i = 3; i < edited.motion.values.size(); ++i) {
    const float step = edited.motion.values[i] - edited.motion.values[i - 3];
    ASSERT_LT(std::abs(step), 10) << "frame " << i / 3 << " column " << i % 3;
  }
}

TEST(RootAlignment, AFrameOfNanStaysOneFrame) {
  Clip clip = SmallLeg(3);
  clip.motion.values[12 + 3] = NAN;
  ClipEdits edits;
  edits.root_alignment = Alignment("", "", {10, 0, 0});
  const Clip edited = Edited(edits, clip);
  EXPECT_TRUE(std::isnan(edited.motion.values[12 + 3]));
  for (size_t i = 24; i < 36; ++i) {
    EXPECT_TRUE(std::isfinite(edited.motion.values[i]));
  }
}

}  // namespace
}  // namespace bvhmill::testing
