// The kinds of rotations against the matrices, by closed formulas of their own.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/encode/encode_support.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

constexpr double kRadians = 3.14159265358979323846 / 180;

struct EulerKind {
  RotationKind kind;
  std::string order;
};

const EulerKind kEulerKinds[] = {
    {RotationKind::kEulerXyz, "xyz"}, {RotationKind::kEulerXzy, "xzy"},
    {RotationKind::kEulerYxz, "yxz"}, {RotationKind::kEulerYzx, "yzx"},
    {RotationKind::kEulerZxy, "zxy"}, {RotationKind::kEulerZyx, "zyx"}};

Matrix MatrixProduct(const Matrix& a, const Matrix& b) {
  Matrix out = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

Matrix About(char axis, double degrees) {
  const double c = std::cos(degrees * kRadians);
  const double s = std::sin(degrees * kRadians);
  if (axis == 'x') return {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  if (axis == 'y') return {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
  return {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

Matrix OfAngles(const std::string& order, const float* degrees) {
  return MatrixProduct(
      MatrixProduct(About(order[0], degrees[0]), About(order[1], degrees[1])),
      About(order[2], degrees[2]));
}

// Rodrigues' formula.
Matrix OfVector(const float* v) {
  const double angle = std::sqrt(double{v[0]} * v[0] + double{v[1]} * v[1] +
                                 double{v[2]} * v[2]);
  const double s = angle > 1e-9 ? std::sin(angle) / angle : 1;
  const double c = angle > 1e-9 ? (1 - std::cos(angle)) / (angle * angle) : 0.5;
  const Matrix k = {{{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}}};
  const Matrix square = MatrixProduct(k, k);
  Matrix out = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) out[i][j] += s * k[i][j] + c * square[i][j];
  }
  return out;
}

void ExpectMatrix(const Matrix& actual, const float* wanted) {
  for (size_t i = 0; i < 9; ++i) {
    ASSERT_NEAR(actual[i / 3][i % 3], wanted[i], 1e-5) << i;
  }
}

RotationsFormat World(RotationKind kind) {
  RotationsFormat format{kind};
  format.rotation_space = RotationSpace::kWorld;
  return format;
}

std::vector<float> NumbersOf(const Clip& clip, const FormatOptions& format) {
  const Encoded encoded = Encode(clip, format);
  EXPECT_TRUE(encoded.status.ok()) << encoded.status;
  return Numbers<float>(encoded.bytes);
}

TEST(RotationKinds, AnglesAndVectorsAreTheMatrix) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const Clip clip = RandomClip({.max_joints = 20}, 40, seed);
    for (const bool world : {false, true}) {
      const auto format = [world](RotationKind kind) {
        return world ? World(kind) : RotationsFormat{kind};
      };
      const auto wanted = NumbersOf(clip, format(RotationKind::kMatrix));
      const size_t rows = wanted.size() / 9;
      for (const EulerKind& euler : kEulerKinds) {
        SCOPED_TRACE(euler.order);
        const auto angles = NumbersOf(clip, format(euler.kind));
        ASSERT_EQ(angles.size(), rows * 3);
        for (size_t i = 0; i < rows; ++i) {
          ASSERT_NO_FATAL_FAILURE(ExpectMatrix(
              OfAngles(euler.order, &angles[i * 3]), &wanted[i * 9]));
        }
      }
      const auto vectors =
          NumbersOf(clip, format(RotationKind::kRotationVector));
      for (size_t i = 0; i < rows; ++i) {
        ASSERT_NO_FATAL_FAILURE(
            ExpectMatrix(OfVector(&vectors[i * 3]), &wanted[i * 9]));
        ASSERT_LE(
            std::hypot(vectors[i * 3], vectors[i * 3 + 1], vectors[i * 3 + 2]),
            3.1415928F);
      }
    }
  }
}

TEST(RotationKinds, WxyzIsXyzw) {
  const Clip clip = RandomClip({}, 9, 3);
  const auto first = NumbersOf(clip, RotationsFormat{});
  const auto other =
      NumbersOf(clip, RotationsFormat{RotationKind::kQuaternionWxyz});
  ASSERT_EQ(first.size(), other.size());
  for (size_t i = 0; i < first.size(); ++i) {
    const size_t to = i % 4 == 3 ? i - 3 : i + 1;
    EXPECT_EQ(other[to], first[i]);
  }
}

// Angles that go on beyond 180 degrees, and a middle angle beyond 90.
Clip SpinningClip(size_t frames) {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", "XYZzxy");
  builder.Joint(root, "Arm", "yxz");
  Clip clip = CountingClip(builder.Build(), static_cast<int64_t>(frames));
  for (size_t i = 0; i < frames; ++i) {
    float* row = &clip.motion.values[i * 9];
    const auto t = static_cast<double>(i);
    row[3] = static_cast<float>(3.3 * t);
    row[4] = static_cast<float>(40 * std::sin(t / 30));
    row[5] = static_cast<float>(-1.7 * t);
    row[6] = static_cast<float>(20 * std::sin(t / 40));
    row[7] = static_cast<float>(120 * std::sin(t / 50));
    row[8] = static_cast<float>(t / 2);
  }
  return clip;
}

double Distance(const std::array<double, 3>& a, const float* b) {
  double square = 0;
  for (size_t k = 0; k < 3; ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(square);
}

// Of all equal triples, each is the nearest to that of the frame before.
TEST(RotationKinds, AnglesDoNotJump) {
  const Clip clip = SpinningClip(3000);
  for (const EulerKind& euler : kEulerKinds) {
    SCOPED_TRACE(euler.order);
    const auto angles = NumbersOf(clip, RotationsFormat{euler.kind});
    for (size_t at = 6; at < angles.size(); at += 3) {
      const float* now = &angles[at];
      const float* before = &angles[at - 6];
      const double way = Distance({now[0], now[1], now[2]}, before);
      for (int choice = 0; choice < 54; ++choice) {
        const bool flips = choice % 2 == 1;
        std::array<double, 3> other = {now[0], now[1], now[2]};
        if (flips) other = {now[0] + 180.0, 180.0 - now[1], now[2] + 180.0};
        int digits = choice / 2;
        for (double& angle : other) {
          angle += 360 * (digits % 3 - 1);
          digits /= 3;
        }
        ASSERT_GE(Distance(other, before) + 1e-3, way) << at / 6;
      }
    }
  }
}

TEST(RotationKinds, AnglesInTheOrderOfTheFileAreThoseOfTheFile) {
  const Clip clip = SpinningClip(3000);
  const auto zxy = NumbersOf(clip, RotationsFormat{RotationKind::kEulerZxy});
  const auto yxz = NumbersOf(clip, RotationsFormat{RotationKind::kEulerYxz});
  for (size_t i = 0; i < 3000; ++i) {
    for (size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(zxy[i * 6 + k], clip.motion.values[i * 9 + 3 + k], 2e-3);
      ASSERT_NEAR(yxz[i * 6 + 3 + k], clip.motion.values[i * 9 + 6 + k], 2e-3);
    }
  }
}

// With the middle angle at 90 degrees, two axes are one.
TEST(RotationKinds, AnglesInGimbalLockDoNotJump) {
  SkeletonBuilder builder;
  builder.Root("Root", "zxy");
  Clip clip = CountingClip(builder.Build(), 100);
  for (size_t i = 0; i < 100; ++i) {
    clip.motion.values[i * 3] = static_cast<float>(i);
    clip.motion.values[i * 3 + 1] = 90;
    clip.motion.values[i * 3 + 2] = 10;
  }
  const auto angles = NumbersOf(clip, RotationsFormat{RotationKind::kEulerZxy});
  const auto wanted = NumbersOf(clip, RotationsFormat{RotationKind::kMatrix});
  for (size_t i = 0; i < 100; ++i) {
    ASSERT_NO_FATAL_FAILURE(
        ExpectMatrix(OfAngles("zxy", &angles[i * 3]), &wanted[i * 9]));
    if (i == 0) continue;
    for (size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(angles[i * 3 + k], angles[i * 3 + k - 3], 1.01);
    }
  }
}

TEST(RotationKinds, ANanStaysInItsFrame) {
  Clip clip = SpinningClip(200);
  clip.motion.values[77 * 9 + 7] = NAN;
  for (const EulerKind& euler : kEulerKinds) {
    const auto wanted =
        NumbersOf(SpinningClip(200), RotationsFormat{euler.kind});
    const auto angles = NumbersOf(clip, RotationsFormat{euler.kind});
    for (size_t i = 0; i < angles.size(); ++i) {
      if (i / 3 == 77 * 2 + 1) {
        EXPECT_TRUE(std::isnan(angles[i])) << i;
      } else {
        ASSERT_NEAR(angles[i], wanted[i], 1e-3) << i;
      }
    }
  }
}

TEST(RotationKinds, JointMajorIsTheTranspose) {
  const Clip clip = SpinningClip(2500);
  for (const RotationKind kind :
       {RotationKind::kQuaternionWxyz, RotationKind::kRotationVector,
        RotationKind::kEulerYzx}) {
    const auto frames = NumbersOf(clip, RotationsFormat{kind});
    const auto joints =
        NumbersOf(clip, RotationsFormat{kind, TensorLayout::kJointMajor});
    const auto width = static_cast<size_t>(WidthOf(kind));
    ASSERT_EQ(frames.size(), joints.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      const size_t frame = i / width / 2;
      const size_t joint = i / width % 2;
      ASSERT_EQ(joints[(joint * 2500 + frame) * width + i % width], frames[i]);
    }
  }
}

TEST(RotationKinds, TensorsNameTheirAxes) {
  const Clip clip = SpinningClip(3);
  const std::pair<RotationKind, std::string> kinds[] = {
      {RotationKind::kQuaternionWxyz, "wxyz"},
      {RotationKind::kRotationVector, "rotation_vector"},
      {RotationKind::kEulerXyz, "euler_xyz"},
      {RotationKind::kEulerZyx, "euler_zyx"}};
  for (const auto& [kind, axis] : kinds) {
    const Encoded encoded = Encode(clip, RotationsFormat{kind});
    EXPECT_EQ(encoded.info.tensor->axes.at(2), axis);
    EXPECT_EQ(encoded.info.tensor->shape,
              (std::vector<int64_t>{3, 2, WidthOf(kind)}));
  }
}

TEST(RotationKinds, AreColumnsOfCsv) {
  const Clip clip = SpinningClip(3);
  CsvFormat format;
  format.with_positions = false;
  format.with_rotations = true;
  format.rotation_kind = RotationKind::kEulerZxy;
  const std::string text = Encode(clip, format).bytes;
  EXPECT_TRUE(
      text.starts_with("frame,time,Root.ez,Root.ex,Root.ey,Arm.ez,"
                       "Arm.ex,Arm.ey\n"))
      << text;
  format.with_positions = format.with_velocities = true;
  format.rotation_kind = RotationKind::kQuaternionWxyz;
  const std::string all = Encode(clip, format).bytes;
  EXPECT_TRUE(all.starts_with(
      "frame,time,Root.x,Root.y,Root.z,Arm.x,Arm.y,Arm.z,Root.qw,Root.qx,"
      "Root.qy,Root.qz,Arm.qw,Arm.qx,Arm.qy,Arm.qz,Root.vx,Root.vy,Root.vz,"
      "Arm.vx,Arm.vy,Arm.vz\n"))
      << all;
}

// Every number of the table, for a clip of several tiles.
TEST(RotationKinds, CsvHasTheNumbersOfTheArrays) {
  const Clip clip = SpinningClip(1500);
  CsvFormat format;
  format.with_rotations = true;
  format.rotation_kind = RotationKind::kEulerZxy;
  const std::string text = Encode(clip, format).bytes;
  const auto positions = NumbersOf(clip, PositionsFormat{});
  const auto angles = NumbersOf(clip, RotationsFormat{RotationKind::kEulerZxy});
  size_t at = text.find('\n') + 1;
  const auto next = [&] {
    char* end = nullptr;
    const float value = std::strtof(text.c_str() + at, &end);
    at = static_cast<size_t>(end - text.c_str()) + 1;
    return value;
  };
  for (size_t frame = 0; frame < 1500; ++frame) {
    EXPECT_EQ(next(), static_cast<float>(frame));
    next();
    for (size_t k = 0; k < 6; ++k) {
      ASSERT_EQ(next(), positions[frame * 6 + k]) << frame;
    }
    for (size_t k = 0; k < 6; ++k) {
      ASSERT_EQ(next(), angles[frame * 6 + k]) << frame;
    }
  }
  EXPECT_EQ(at, text.size());
}

TEST(RotationKinds, CsvNeedsAnArray) {
  CsvFormat format;
  format.with_positions = false;
  EXPECT_TRUE(absl::IsInvalidArgument(CheckFormat(format)));
}

}  // namespace
}  // namespace bvhmill::testing
