// The bare arrays: positions and rotations.

#include <gtest/gtest.h>

#include "tests/encode/encode_support.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

constexpr int64_t kFrames = 11;

// Joints, end sites and several roots.
Clip Figure() {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy", {1, 2, 3});
  const int knee = builder.Joint(hips, "Knee", "zxy");
  builder.EndSite(knee);
  builder.Joint(hips, "Tail", "yX", {0, 0, -3});
  builder.EndSite(builder.Root("Other", "x"));
  return CountingClip(builder.Build(), kFrames);
}

std::vector<float> EncodeNumbers(const Clip& clip,
                                 const FormatOptions& format) {
  const Encoded encoded = Encode(clip, format);
  EXPECT_TRUE(encoded.status.ok()) << encoded.status;
  EXPECT_EQ(encoded.info.size_bytes, encoded.bytes.size());
  return Numbers<float>(encoded.bytes);
}

// (frame, joint, component) from (joint, frame, component).
std::vector<float> FrameMajor(const std::vector<float>& joint_major,
                              size_t frames, size_t width) {
  const size_t joints = joint_major.size() / frames / width;
  std::vector<float> out;
  for (size_t frame = 0; frame < frames; ++frame) {
    for (size_t joint = 0; joint < joints; ++joint) {
      for (size_t i = 0; i < width; ++i) {
        out.push_back(joint_major[(joint * frames + frame) * width + i]);
      }
    }
  }
  return out;
}

TEST(Positions, AreThoseOfTheRows) {
  const Clip clip = Figure();
  EXPECT_EQ(EncodeNumbers(clip, PositionsFormat{}),
            PosesOf(clip, Positions(false)));
  EXPECT_EQ(EncodeNumbers(clip, PositionsFormat{.with_end_sites = true}),
            PosesOf(clip, Positions(true)));
}

TEST(Positions, JointMajorIsTheTranspose) {
  const Clip clip = Figure();
  for (const bool end_sites : {false, true}) {
    const auto joint_major = EncodeNumbers(
        clip, PositionsFormat{TensorLayout::kJointMajor, end_sites});
    EXPECT_EQ(FrameMajor(joint_major, kFrames, 3),
              EncodeNumbers(
                  clip, PositionsFormat{TensorLayout::kFrameMajor, end_sites}));
  }
}

constexpr RotationKind kKinds[] = {RotationKind::kQuaternion,
                                   RotationKind::kMatrix, RotationKind::kSixD};

TEST(Rotations, JointMajorIsTheTranspose) {
  const Clip clip = Figure();
  for (const RotationKind kind : kKinds) {
    const size_t width = kind == RotationKind::kQuaternion ? 4
                         : kind == RotationKind::kMatrix   ? 9
                                                           : 6;
    const auto joint_major =
        EncodeNumbers(clip, RotationsFormat{kind, TensorLayout::kJointMajor});
    EXPECT_EQ(joint_major.size(), kFrames * 4 * width);
    EXPECT_EQ(FrameMajor(joint_major, kFrames, width),
              EncodeNumbers(clip, RotationsFormat{kind}));
  }
}

TEST(Rotations, QuaternionsAreThoseOfTheRows) {
  const Clip clip = Figure();
  EXPECT_EQ(EncodeNumbers(clip, RotationsFormat{}),
            PosesOf(clip, LocalRotations(false)));
}

// Columns of the matrix are the turned axes: v + 2w(u x v) + 2 u x (u x v).
std::array<double, 3> TurnedAxis(const float* q, size_t axis) {
  const double u[3] = {q[0], q[1], q[2]};
  std::array<double, 3> v = {};
  v[axis] = 1;
  const auto cross = [&](const std::array<double, 3>& b) {
    return std::array<double, 3>{u[1] * b[2] - u[2] * b[1],
                                 u[2] * b[0] - u[0] * b[2],
                                 u[0] * b[1] - u[1] * b[0]};
  };
  const auto once = cross(v);
  const auto twice = cross(once);
  for (size_t i = 0; i < 3; ++i) v[i] += 2 * q[3] * once[i] + 2 * twice[i];
  return v;
}

TEST(Rotations, MatrixAndSixDAreTheQuaternion) {
  const Clip clip = RandomClip({.max_joints = 30}, 9, 77);
  const auto quaternions = EncodeNumbers(clip, RotationsFormat{});
  const auto matrices =
      EncodeNumbers(clip, RotationsFormat{RotationKind::kMatrix});
  const auto six = EncodeNumbers(clip, RotationsFormat{RotationKind::kSixD});
  const size_t rows = quaternions.size() / 4;
  ASSERT_EQ(matrices.size(), rows * 9);
  ASSERT_EQ(six.size(), rows * 6);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto column = TurnedAxis(&quaternions[row * 4], axis);
      for (size_t i = 0; i < 3; ++i) {
        const float entry = matrices[row * 9 + i * 3 + axis];
        ASSERT_NEAR(entry, column[i], 1e-6) << row;
        if (axis < 2) {
          ASSERT_NEAR(six[row * 6 + axis * 3 + i], entry, 1e-6) << row;
        }
      }
    }
  }
}

TEST(Rotations, AKnownTurn) {
  SkeletonBuilder builder;
  builder.Root("Root", "z");
  Clip clip = CountingClip(builder.Build(), 1);
  clip.motion.values = {90};
  const std::pair<RotationKind, std::vector<float>> cases[] = {
      {RotationKind::kQuaternion, {0, 0, 0.70710678f, 0.70710678f}},
      {RotationKind::kMatrix, {0, -1, 0, 1, 0, 0, 0, 0, 1}},
      {RotationKind::kSixD, {0, 1, 0, -1, 0, 0}},
  };
  for (const auto& [kind, wanted] : cases) {
    const auto numbers = EncodeNumbers(clip, RotationsFormat{kind});
    ASSERT_EQ(numbers.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(numbers[i], wanted[i], 1e-6) << i;
    }
  }
}

struct TensorCase {
  FormatOptions format;
  std::vector<int64_t> shape;
  std::vector<std::string> axes;
};

TEST(Tensors, ShapesAndAxes) {
  constexpr auto kJoints = TensorLayout::kJointMajor;
  const TensorCase cases[] = {
      {PositionsFormat{}, {11, 4, 3}, {"frame", "joint", "xyz"}},
      {PositionsFormat{kJoints}, {4, 11, 3}, {"joint", "frame", "xyz"}},
      {PositionsFormat{{}, true}, {11, 6, 3}, {"frame", "joint", "xyz"}},
      {PositionsFormat{kJoints, true}, {6, 11, 3}, {"joint", "frame", "xyz"}},
      {RotationsFormat{}, {11, 4, 4}, {"frame", "joint", "xyzw"}},
      {RotationsFormat{RotationKind::kMatrix},
       {11, 4, 3, 3},
       {"frame", "joint", "row", "column"}},
      {RotationsFormat{RotationKind::kMatrix, kJoints},
       {4, 11, 3, 3},
       {"joint", "frame", "row", "column"}},
      {RotationsFormat{RotationKind::kSixD},
       {11, 4, 6},
       {"frame", "joint", "6d"}},
      {ValuesFormat{}, {11, 12}, {"frame", "channel"}},
  };
  const Clip clip = Figure();
  for (const TensorCase& c : cases) {
    const Encoded encoded = Encode(clip, c.format);
    ASSERT_TRUE(encoded.info.tensor.has_value());
    EXPECT_EQ(encoded.info.tensor->shape, c.shape);
    EXPECT_EQ(encoded.info.tensor->axes, c.axes);
    EXPECT_EQ(encoded.info.media_type, FormatOf(c.format).media_type);
    int64_t bytes = 4;
    for (const int64_t size : c.shape) bytes *= size;
    EXPECT_EQ(encoded.bytes.size(), bytes);
    EXPECT_EQ(encoded.info.size_bytes, bytes);
  }
}

TEST(Tensors, WithoutFramesAreEmpty) {
  Clip clip = Figure();
  clip.motion.frames = 0;
  clip.motion.values.clear();
  for (const auto layout :
       {TensorLayout::kFrameMajor, TensorLayout::kJointMajor}) {
    EXPECT_TRUE(EncodeNumbers(clip, PositionsFormat{layout}).empty());
    EXPECT_TRUE(
        EncodeNumbers(clip, RotationsFormat{RotationKind::kMatrix, layout})
            .empty());
  }
}

}  // namespace
}  // namespace bvhmill::testing
