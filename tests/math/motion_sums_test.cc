// Sums over the steps of a block, against double precision.

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
  for (size_t i = kStepLead; i < end; ++i) {
    sums.max_step = std::max(sums.max_step, steps[i]);
    sums.max_kink = std::max(sums.max_kink, kinks[i]);
    if (kinks[i] > steps[i] + steps[i + 1]) {
      sums.max_turn = std::max(sums.max_turn, std::min(steps[i], steps[i + 1]));
      const size_t at = i - kStepLead;
      sums.turns[at / 16] |= static_cast<uint16_t>(1U << at % 16);
      ++sums.turn_counts[at / 16];
      ++sums.turn_count;
    }
    if (steps[i] == 0) {
      const size_t at = i - kStepLead;
      sums.rests[at / 16] |= static_cast<uint16_t>(1U << at % 16);
    }
    sums.word_roots[(i - kStepLead) / 16] += std::sqrt(steps[i]);
    sums.step_roots += std::sqrt(double{steps[i]});
    sums.kink_roots += std::sqrt(double{kinks[i]});
    sums.kinks += double{kinks[i]};
  }
  return sums;
}

TEST(SumSteps, MeasuresAllOfABlock) {
  std::mt19937 random(6);
  for (const size_t end : {StepEnd(1), StepEnd(64), StepEnd(kStepFrames)}) {
    for (int round = 0; round < 20; ++round) {
      Column steps = RandomSquares(2, &random);
      Column kinks = RandomSquares(5, &random);
      for (int i = 0; i < 9; ++i) steps[random() % kStepStride] = 0;
      Column roots(kStepStride);
      const StepSums sums =
          SumSteps(steps.data(), kinks.data(), end, roots.data(), nullptr);
      const StepSums expected = PlainSums(steps, kinks, end);
      EXPECT_EQ(sums.max_step, expected.max_step);
      EXPECT_EQ(sums.max_kink, expected.max_kink);
      EXPECT_EQ(sums.max_turn, expected.max_turn);
      EXPECT_EQ(sums.turns, expected.turns);
      EXPECT_EQ(sums.turn_counts, expected.turn_counts);
      EXPECT_EQ(sums.turn_count, expected.turn_count);
      EXPECT_EQ(sums.rests, expected.rests);
      for (size_t word = 0; word < sums.word_roots.size(); ++word) {
        EXPECT_NEAR(sums.word_roots[word], expected.word_roots[word], 1e-4);
      }
      ExpectNearSums(sums, expected);
      for (size_t i = kStepLead - 1; i <= end; ++i) {
        EXPECT_EQ(roots[i], std::sqrt(steps[i])) << i;
      }
    }
  }
}

TEST(SumSteps, AddsTracksByFrame) {
  std::mt19937 random(8);
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<Column> sums(5, Column(kStepStride));
  const StepTotals totals = {0.25F,          0.01F,          sums[0].data(),
                             sums[1].data(), sums[2].data(), sums[3].data(),
                             sums[4].data()};
  std::vector<std::vector<double>> expected(5,
                                            std::vector<double>(kStepStride));
  constexpr size_t kEnd = StepEnd(kStepFrames);
  for (int track = 0; track < 5; ++track) {
    Column step(kStepStride);
    Column kink(kStepStride);
    Column roots(kStepStride);
    for (float& v : step) v = std::pow(unit(random), 4.0F);
    for (float& v : kink) v = unit(random);
    SumSteps(step.data(), kink.data(), kEnd, roots.data(), &totals);
    for (size_t i = kStepLead; i < kEnd; ++i) {
      const double root = std::sqrt(double{step[i]});
      const double around =
          std::sqrt(std::max(double{step[i - 1]}, double{step[i + 1]}));
      const double capped = std::sqrt(std::min(double{kink[i]}, 0.25));
      expected[0][i] += root;
      expected[1][i] += capped;
      expected[2][i] += kink[i] > step[i] + step[i + 1] ? capped : 0;
      expected[3][i] += std::max(root - around, 0.0);
      expected[4][i] += root > 3 * around && root > 0.1 ? 1 : 0;
    }
  }
  for (size_t which = 0; which < sums.size(); ++which) {
    for (size_t i = 0; i < kStepStride; ++i) {
      EXPECT_NEAR(sums[which][i], expected[which][i], 1e-5)
          << which << " " << i;
    }
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
      expected.kink_roots += std::sqrt(std::min(double{kinks[i]}, 1.5));
      expected.kinks += std::min(double{kinks[i]}, 0.75);
    }
    const CappedSums sums = SumCapped(steps.data(), kinks.data(), end, kCaps);
    ExpectNearSums(sums, expected);
  }
}

}  // namespace
}  // namespace bvhmill
