#include <gtest/gtest.h>

#include <limits>

#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Quantize, Table) {
  struct {
    float value, lo, hi;
    int truncated, rounded;
  } constexpr kCases[] = {
      {0, -1, 1, 32767, 32768},
      {1, -1, 1, 65535, 65535},
      {-1, -1, 1, 0, 0},
      {2, -1, 1, 65535, 65535},
      {-2, -1, 1, 0, 0},
      {0.5F, -1, 1, 49151, 49151},
      {-0.25F, -1, 1, 24575, 24576},
      {0, -5, 5, 32767, 32768},
      {5, -5, 5, 65535, 65535},
      {-1.5F, -5, 5, 22937, 22937},
      {0.1F, 0, 0.2F, 32767, 32768},
      {0.2F, 0, 0.2F, 65535, 65535},
      {0, 0, 0, 0, 0},
      {3, 0, 0, 0, 0},
      {kNan, -1, 1, 0, 0},
      {kInfinity, -1, 1, 65535, 65535},
      {1, 0, kNan, 0, 0},
      {-kInfinity, 0, 2, 0, 0},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(EncodeU16(c.value, c.lo, c.hi), c.truncated) << c.value;
    EXPECT_EQ(RoundU16(c.value, c.lo, c.hi), c.rounded) << c.value;
  }
}

TEST(Quantize, TheCodesAroundTheMiddleAreZero) {
  for (const float range : {1.0F, 5.0F}) {
    EXPECT_EQ(DecodeU16(32767, -range, range), 0);
    EXPECT_EQ(DecodeU16(32768, -range, range), 0);
    EXPECT_LT(DecodeU16(32766, -range, range), 0);
    EXPECT_GT(DecodeU16(32769, -range, range), 0);
    EXPECT_EQ(DecodeU16(0, -range, range), -range);
    EXPECT_EQ(DecodeU16(65535, -range, range), range);
  }
}

TEST(Quantize, OnlyTheFirstTimeIsZeroAndTheLastIsTheDuration) {
  for (int ms = 1; ms <= 60'000; ++ms) {
    const float duration = static_cast<float>(ms) / 1000;
    ASSERT_EQ(DecodeU16(65535, 0, duration), duration);
    ASSERT_GT(DecodeU16(1, 0, duration), 0);
  }
}

// Counts the codes that a round trip lowers by one; all others must stay.
int CountLowered(float range) {
  int lowered = 0;
  for (int code = 0; code < 65536; ++code) {
    const float value = DecodeU16(static_cast<uint16_t>(code), -range, range);
    const int again = EncodeU16(value, -range, range);
    EXPECT_TRUE(again == code || again == code - 1) << code;
    lowered += again == code - 1 ? 1 : 0;
  }
  return lowered;
}

// 32768 is among them: it stands for 0, as 32767 does.
TEST(Quantize, TruncationLowersSomeCodesAgain) {
  EXPECT_EQ(CountLowered(1), 5653);
  EXPECT_EQ(CountLowered(5), 9150);
}

TEST(Quantize, RoundingKeepsEveryCode) {
  for (const float range : {1.0F, 5.0F}) {
    for (int code = 0; code < 65536; ++code) {
      const float value = DecodeU16(static_cast<uint16_t>(code), -range, range);
      const int expected = code == 32767 ? 32768 : code;
      ASSERT_EQ(RoundU16(value, -range, range), expected);
    }
  }
}

TEST(Rotations, ArePackedWithPositiveW) {
  const Vec3<float> v = PackRotation({0.2F, -0.4F, 0.4F, -0.8F});
  EXPECT_FLOAT_EQ(v[0], -0.2F);
  EXPECT_FLOAT_EQ(v[1], 0.4F);
  EXPECT_FLOAT_EQ(v[2], -0.4F);
  EXPECT_FLOAT_EQ(UnpackRotation(v).w, 0.8F);
}

TEST(Rotations, AreBroughtToLengthOne) {
  const Vec3<float> v = PackRotation({1, 1, 1, 1});
  EXPECT_EQ(v, (Vec3<float>{0.5F, 0.5F, 0.5F}));
}

TEST(Rotations, OfNoLengthStayAsTheyAre) {
  EXPECT_EQ(PackRotation({0, 0, 0, 0}), (Vec3<float>{0, 0, 0}));
}

TEST(Rotations, LongerThanOneHaveNoW) {
  const Quat<float> q = UnpackRotation({1, 1, 0});
  EXPECT_EQ(q.x, 1);
  EXPECT_EQ(q.w, 0);
}

}  // namespace
}  // namespace bvhmill::testing
