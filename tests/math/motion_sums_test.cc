// Sums over the steps of a block, against double precision.

#include "bvhmill/math/motion_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bvhmill/math/motion_steps.h"
#include "tests/math/random_column.h"

namespace bvhmill {
namespace {

// kStepStride values from 0 to `most`.
Column RandomSquares(float most, std::mt19937* random) {
  Column column = RandomColumn(1, random);
  for (float& v : column) v = std::fmod(std::abs(v), most);
  return column;
}

// `Sums` is StepSums or CappedSums.
template <typename Sums>
void ExpectNearSums(const Sums& sums, const Sums& expected) {
  constexpr double kShare = 1e-6;
  EXPECT_NEAR(sums.step_roots, expected.step_roots,
              kShare * expected.step_roots);
  EXPECT_NEAR(sums.kink_roots, expected.kink_roots,
              kShare * expected.kink_roots);
  EXPECT_NEAR(sums.kinks, expected.kinks, kShare * expected.kinks);
}

StepSums PlainSums(const Column& steps, const Column& kinks, size_t end) {
  StepSums sums;
  sums.min_step = steps[kStepLead];
  for (size_t i = kStepLead; i < end; ++i) {
    sums.max_step = std::max(sums.max_step, steps[i]);
    sums.min_step = std::min(sums.min_step, steps[i]);
    sums.max_kink = std::max(sums.max_kink, kinks[i - 1]);
    if (kinks[i - 1] > steps[i - 1] + steps[i]) {
      sums.max_turn = std::max(sums.max_turn, std::min(steps[i - 1], steps[i]));
      const size_t at = i - kStepLead;
      sums.turns.bits[at / 16] |= static_cast<uint16_t>(1U << at % 16);
      ++sums.turns.counts[at / 16];
    }
    sums.step_roots += std::sqrt(double{steps[i]});
    sums.kink_roots += std::sqrt(double{kinks[i - 1]});
    sums.kinks += double{kinks[i - 1]};
  }
  return sums;
}

TEST(SumSteps, MeasuresAllOfABlock) {
  std::mt19937 random(6);
  for (const size_t end : {StepEnd(1), StepEnd(64), kStepStride}) {
    for (int round = 0; round < 20; ++round) {
      Column steps = RandomSquares(2, &random);
      Column kinks = RandomSquares(5, &random);
      const StepSums sums = SumSteps(steps.data(), kinks.data(), end, nullptr);
      const StepSums expected = PlainSums(steps, kinks, end);
      EXPECT_EQ(sums.max_step, expected.max_step);
      EXPECT_EQ(sums.min_step, expected.min_step);
      EXPECT_EQ(sums.max_kink, expected.max_kink);
      EXPECT_EQ(sums.max_turn, expected.max_turn);
      EXPECT_EQ(sums.turns.bits, expected.turns.bits);
      EXPECT_EQ(sums.turns.counts, expected.turns.counts);
      ExpectNearSums(sums, expected);
    }
  }
}

TEST(SumSteps, AddsTracksByFrame) {
  std::mt19937 random(8);
  std::uniform_real_distribution<float> unit(0, 1);
  StepTotals totals = {};
  totals.max_kink = 0.25F;
  totals.min_jump = 0.01F;
  std::vector<double> excess(kStepStride);
  std::vector<double> jumpers(kStepStride);
  std::vector<double> all(kStepStride);
  std::vector<double> kinks(kStepStride);
  std::vector<double> turning(kStepStride);
  constexpr size_t kEnd = StepEnd(kStepFrames);
  for (int track = 0; track < 5; ++track) {
    Column step(kStepStride);
    Column kink(kStepStride);
    for (float& v : step) v = std::pow(unit(random), 4.0F);
    for (float& v : kink) v = unit(random);
    SumSteps(step.data(), kink.data(), kEnd, &totals);
    for (size_t i = kStepLead - 1; i < kEnd; ++i) {
      const double root = std::sqrt(double{step[i]});
      if (i >= kStepLead) all[i] += root;
      if (i + 1 == kEnd) continue;
      const double around =
          std::sqrt(std::max(double{step[i - 1]}, double{step[i + 1]}));
      kinks[i] += std::sqrt(std::min(double{kink[i]}, 0.25));
      const bool turns = kink[i] > step[i] + step[i + 1];
      if (turns) turning[i] += std::sqrt(std::min(double{kink[i]}, 0.25));
      excess[i] += std::max(root - around, 0.0);
      jumpers[i] += root > 3 * around && root > 0.1 ? 1 : 0;
    }
  }
  for (size_t i = kStepLead - 1; i < kEnd; ++i) {
    EXPECT_NEAR(totals.steps[i], all[i], 1e-5) << i;
    EXPECT_NEAR(totals.kinks[i], kinks[i], 1e-5) << i;
    EXPECT_NEAR(totals.turning[i], turning[i], 1e-5) << i;
    EXPECT_NEAR(totals.excess[i], excess[i], 1e-5) << i;
    EXPECT_EQ(totals.jumpers[i], jumpers[i]) << i;
  }
}

TEST(SumCapped, HasTheSumsOfSmallerValues) {
  std::mt19937 random(9);
  constexpr StepCaps kCaps = {.step = 0.5F, .kink = 1.5F, .square = 0.75F};
  for (const size_t end : {StepEnd(1), StepEnd(64), kStepStride}) {
    Column steps = RandomSquares(2, &random);
    Column kinks = RandomSquares(5, &random);
    CappedSums expected;
    for (size_t i = kStepLead; i < end; ++i) {
      expected.step_roots += std::sqrt(std::min(double{steps[i]}, 0.5));
      expected.kink_roots += std::sqrt(std::min(double{kinks[i - 1]}, 1.5));
      expected.kinks += std::min(double{kinks[i - 1]}, 0.75);
    }
    const CappedSums sums = SumCapped(steps.data(), kinks.data(), end, kCaps);
    ExpectNearSums(sums, expected);
  }
}

TEST(SumReversals, SumsFramesOfAnyRange) {
  std::mt19937 random(10);
  std::uniform_real_distribution<float> unit(0, 1);
  Column steps(kStepStride);
  Column kinks(kStepStride);
  for (float& v : steps) v = unit(random);
  for (float& v : kinks) v = 3 * unit(random);
  // Each of these is a reversal only if its bound belongs to the range.
  steps[20] = steps[21] = 0.25F;
  kinks[20] = 0.75F;
  steps[30] = steps[31] = 0.5F;
  kinks[30] = 1;
  steps[40] = steps[41] = 0.5F;
  kinks[40] = 2;
  constexpr size_t kEnd = kStepLead + kStepFrames;
  for (size_t from = kStepLead - 1; from < kEnd; ++from) {
    Reversals expected;
    for (size_t to = from; to <= kEnd; ++to) {
      const Reversals found =
          SumReversals(steps.data(), kinks.data(), from, to, 0.25F, 2);
      ASSERT_EQ(found.count, expected.count) << from << " " << to;
      ASSERT_NEAR(found.kink_roots, expected.kink_roots,
                  1e-6 * expected.kink_roots)
          << from << " " << to;
      if (expected.count > 0) {
        ASSERT_EQ(found.first, expected.first) << from << " " << to;
        ASSERT_EQ(found.last, expected.last) << from << " " << to;
      }
      const float least = std::min(steps[to], steps[to + 1]);
      const bool turns = kinks[to] > steps[to] + steps[to + 1];
      if (!turns || kinks[to] >= 2 || least < 0.25F) continue;
      if (expected.count++ == 0) expected.first = to;
      expected.last = to;
      expected.kink_roots += std::sqrt(double{kinks[to]});
    }
  }
}

}  // namespace
}  // namespace bvhmill
