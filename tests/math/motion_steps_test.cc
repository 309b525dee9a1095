// Steps of many frames at once, against double precision.

#include "bvhmill/math/motion_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "bvhmill/math/linear.h"
#include "bvhmill/math/sincos.h"
#include "tests/math/random_column.h"

namespace bvhmill {
namespace {

// A block of 64 new frames.
constexpr size_t kEnd = StepEnd(64);

Quat<double> Product(const std::vector<StepColumn>& columns, size_t t) {
  Quat<double> q;
  for (const StepColumn& column : columns) {
    q = Multiply(q, AxisQuat(column.axis, double{column.values[t]}));
  }
  return q;
}

// b - s a, where s is the sign of the product of a and b.
std::array<double, 4> Step(const Quat<double>& a, const Quat<double>& b,
                           double* sign) {
  *sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
  return {b.w - *sign * a.w, b.x - *sign * a.x, b.y - *sign * a.y,
          b.z - *sign * a.z};
}

double Square(const std::array<double, 4>& v) {
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
}

TEST(RotationSteps, AreThoseOfQuaternions) {
  std::mt19937 random(3);
  for (const float size : {0.01F, 1.0F, 30.0F, 300.0F}) {
    for (size_t count = 1; count <= 4; ++count) {
      for (const size_t end : {StepEnd(1), StepEnd(64), kStepStride}) {
        std::vector<Column> values;
        std::vector<StepColumn> columns;
        // Three different axes, in one of both turns, have a way of their own.
        const size_t first_axis = random() % 3;
        const size_t turn = 1 + random() % 2;
        for (size_t i = 0; i < count; ++i) {
          values.push_back(RandomColumn(size, &random));
        }
        for (size_t i = 0; i < count; ++i) {
          const auto axis = static_cast<int>(
              count == 3 && end == kEnd ? first_axis + i * turn : random() % 3);
          columns.push_back({values[i].data(), axis % 3});
        }
        std::vector<float> steps(kStepStride, -1);
        std::vector<float> kinks(kStepStride, -1);
        RotationSteps(columns, end, steps.data(), kinks.data());
        for (size_t t = kStepLead - 1; t < end; ++t) {
          double s = 1;
          double next = 1;
          const auto before =
              Step(Product(columns, t - 1), Product(columns, t), &s);
          if (t >= kStepLead) {
            const double error =
                std::sqrt(double{steps[t]}) - std::sqrt(Square(before));
            ASSERT_TRUE(std::abs(error) <= 4e-6) << t << " " << size;
          }
          if (t + 1 >= end) continue;
          auto kink = Step(Product(columns, t), Product(columns, t + 1), &next);
          for (size_t k = 0; k < 4; ++k) kink[k] = next * kink[k] - before[k];
          const double error =
              std::sqrt(double{kinks[t]}) - std::sqrt(Square(kink));
          ASSERT_TRUE(std::abs(error) <= 8e-6) << t << " " << size;
        }
        EXPECT_EQ(kinks[end - 1], 0);
        EXPECT_EQ(steps[kStepLead - 1], -1);
        EXPECT_EQ(kinks[kStepLead - 2], -1);
      }
    }
  }
}

TEST(RotationSteps, AreEqualWhenSmallAnglesAreKnownToBeSmall) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> angle(-180, 180);
  Column values[3] = {Column(kStepStride), Column(kStepStride),
                      Column(kStepStride)};
  for (Column& column : values) {
    for (float& v : column) v = angle(random);
  }
  for (const float largest : {180.0F, 179.0F, 178.9F, 90.0F}) {
    std::vector<StepColumn> columns;
    std::vector<StepColumn> known;
    for (int axis = 0; axis < 3; ++axis) {
      for (float& v : values[axis]) v = std::clamp(v, -largest, largest);
      columns.push_back({values[axis].data(), axis});
      known.push_back({values[axis].data(), axis, largest});
    }
    Column steps[2] = {Column(kStepStride), Column(kStepStride)};
    Column kinks[2] = {Column(kStepStride), Column(kStepStride)};
    RotationSteps(columns, kStepStride, steps[0].data(), kinks[0].data());
    RotationSteps(known, kStepStride, steps[1].data(), kinks[1].data());
    EXPECT_EQ(steps[0], steps[1]) << largest;
    EXPECT_EQ(kinks[0], kinks[1]) << largest;
  }
}

// The first axis alone makes the largest change, so that neighbours are as far
// apart as they may be.
TEST(RotationSteps, AreEqualWhenSmallChangesAreKnownToBeSmall) {
  std::mt19937 random(8);
  for (const float change : {180.0F, 179.0F, 178.9F, 90.0F, 1.0F}) {
    for (const size_t axes : {1U, 3U}) {
      const float most = change / static_cast<float>(axes);
      Column values[3];
      std::vector<StepColumn> columns;
      std::vector<StepColumn> known;
      for (size_t i = 0; i < 3; ++i) {
        const float own = i < axes ? most : 0;
        for (size_t t = 0; t < kStepStride; ++t) {
          values[i].push_back(random() % 2 == 0 ? own / 2 : -own / 2);
        }
        const int axis = static_cast<int>(i);
        columns.push_back({values[i].data(), axis, 90});
        known.push_back({values[i].data(), axis, 90, own});
      }
      Column steps[2] = {Column(kStepStride), Column(kStepStride)};
      Column kinks[2] = {Column(kStepStride), Column(kStepStride)};
      RotationSteps(columns, kStepStride, steps[0].data(), kinks[0].data());
      RotationSteps(known, kStepStride, steps[1].data(), kinks[1].data());
      EXPECT_EQ(steps[0], steps[1]) << change;
      EXPECT_EQ(kinks[0], kinks[1]) << change;
    }
  }
}

TEST(RotationSteps, OfConstantAnglesAreZero) {
  const Column column(kStepStride, kMaxSinCosDegrees);
  const StepColumn columns[] = {{column.data(), 0}, {column.data(), 2}};
  std::vector<float> steps(kStepStride, -1);
  std::vector<float> kinks(kStepStride, -1);
  RotationSteps(columns, kEnd, steps.data(), kinks.data());
  EXPECT_TRUE(std::all_of(steps.begin() + kStepLead, steps.begin() + kEnd,
                          [](float v) { return v == 0; }));
  EXPECT_TRUE(std::all_of(kinks.begin() + kStepLead - 1, kinks.begin() + kEnd,
                          [](float v) { return v == 0; }));
}

TEST(PositionSteps, TakeTheLastColumnOfAnAxis) {
  std::mt19937 random(5);
  const Column unused = RandomColumn(9, &random);
  const Column x = RandomColumn(2, &random);
  const Column z = RandomColumn(2, &random);
  const StepColumn columns[] = {
      {unused.data(), 0}, {z.data(), 2}, {x.data(), 0}};
  std::vector<float> steps(kStepStride);
  std::vector<float> kinks(kStepStride);
  PositionSteps(columns, kEnd, steps.data(), kinks.data());
  for (size_t t = kStepLead; t + 1 < kEnd; ++t) {
    const double dx = double{x[t]} - double{x[t - 1]};
    const double dz = double{z[t]} - double{z[t - 1]};
    const double ex = double{x[t + 1]} - double{x[t]} - dx;
    const double ez = double{z[t + 1]} - double{z[t]} - dz;
    ASSERT_NEAR(steps[t], dx * dx + dz * dz, 1e-3) << t;
    ASSERT_NEAR(kinks[t], ex * ex + ez * ez, 1e-3) << t;
  }
}

ColumnRange RangeOf(const float* values, size_t end) {
  ColumnRange range;
  MeasureColumns(values, 1, kStepStride, end, &range);
  return range;
}

TEST(MeasureColumns, MeasuresEachColumn) {
  std::vector<float> values(3 * kStepStride, 2);
  values[kStepStride + kStepLead] = -7;
  values[2 * kStepStride + kStepLead + 3] = 3;
  std::vector<ColumnRange> ranges(3);
  MeasureColumns(values.data(), 3, kStepStride, StepEnd(64), ranges.data());
  EXPECT_EQ(ranges[0].largest, 2);
  EXPECT_EQ(ranges[0].change, 0);
  EXPECT_EQ(ranges[1].largest, 7);
  EXPECT_EQ(ranges[1].change, 9);
  EXPECT_EQ(ranges[2].largest, 3);
  EXPECT_EQ(ranges[2].change, 1);
}

TEST(MeasureColumns, FindsTheLargestAndWhatIsNotFinite) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kMax = std::numeric_limits<float>::max();
  for (size_t at = kStepLead; at < kEnd; ++at) {
    Column column(kStepStride, 1);
    column[at] = -5;
    EXPECT_EQ(RangeOf(column.data(), kEnd).largest, 5) << at;
    EXPECT_EQ(RangeOf(column.data(), kEnd).change, 6) << at;
    for (const float odd : {kInf, -kInf, kNan, -kNan}) {
      column[at] = odd;
      EXPECT_FALSE(std::isfinite(RangeOf(column.data(), kEnd).largest)) << at;
      EXPECT_FALSE(std::isfinite(RangeOf(column.data(), kEnd).change)) << at;
    }
  }
  // The difference overflows.
  Column column(kStepStride, kMax);
  column[20] = -kMax;
  EXPECT_EQ(RangeOf(column.data(), kEnd).largest, kMax);
  EXPECT_FALSE(std::isfinite(RangeOf(column.data(), kEnd).change));
}

TEST(LargestRemainder, IsThatOfTheFramesOfABlock) {
  for (size_t at = kStepLead - 1; at < kEnd; ++at) {
    for (const float value : {30.0F, -30.0F, 150.0F, 90.0F, 890.0F, 1e6F}) {
      Column column(kStepStride, 180);
      column[at] = value;
      EXPECT_NEAR(LargestRemainder(column.data(), kEnd, 180),
                  std::abs(std::remainder(value, 180.0)) / 180, 1e-3)
          << at << " " << value;
    }
  }
  Column column(kStepStride, 180);
  column[kStepLead - 2] = column[kEnd] = 90;
  EXPECT_EQ(LargestRemainder(column.data(), kEnd, 180), 0);
}

TEST(TransposeRows, GivesColumns) {
  for (const size_t width : {1, 3, 4, 7, 96}) {
    for (const size_t frames : {1, 3, 4, 9, 15, 16, 29, 64}) {
      std::vector<float> rows(width * frames);
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i);
      std::vector<float> values(width * kStepStride, -1);
      TransposeRows(rows.data(), frames, width, kStepStride, values.data());
      for (size_t c = 0; c < width; ++c) {
        for (size_t f = 0; f < kStepStride; ++f) {
          const float expected = f < frames ? rows[f * width + c] : -1;
          ASSERT_EQ(values[c * kStepStride + f], expected) << c << " " << f;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bvhmill
