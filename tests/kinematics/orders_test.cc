// Every order of channels that a joint can list.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kinematics/compare.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// All words of `length` letters x, y, z: with repeats, so XYX and XXY, too.
std::vector<std::string> RotationOrders(int length) {
  std::vector<std::string> words = {""};
  for (int i = 0; i < length; ++i) {
    std::vector<std::string> longer;
    for (const std::string& word : words) {
      for (const char axis : {'x', 'y', 'z'}) longer.push_back(word + axis);
    }
    words = longer;
  }
  return words;
}

// A chain of three joints which all list `channels`.
Clip ChainOf(std::string_view channels, uint64_t seed) {
  SkeletonBuilder builder;
  const int root = builder.Root("Root", channels, {1, 2, 3});
  const int joint = builder.Joint(root, "Joint", channels, {0.5f, -2, 1});
  const int tip = builder.Joint(joint, "Tip", channels, {-1, 1.5f, 0.25f});
  builder.EndSite(tip, "", {0.1f, 0.2f, 3});
  Clip clip = CountingClip(builder.Build(), 7);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> angle(-360, 360);
  std::uniform_real_distribution<float> distance(-4, 4);
  const auto& listed = clip.skeleton.channels;
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const bool rotation = IsRotation(listed[i % listed.size()]);
    clip.motion.values[i] = rotation ? angle(random) : distance(random);
  }
  return clip;
}

TEST(Orders, EverySequenceOfOneTwoAndThreeRotations) {
  uint64_t seed = 0;
  for (int length = 0; length <= 3; ++length) {
    for (const std::string& order : RotationOrders(length)) {
      SCOPED_TRACE(order);
      CheckAllSolvers(ChainOf(order, ++seed), {});
    }
  }
}

TEST(Orders, PositionsBeforeBetweenAndAfterRotations) {
  uint64_t seed = 100;
  for (const std::string& order : RotationOrders(3)) {
    for (size_t place = 0; place <= 3; ++place) {
      for (const char* positions : {"XYZ", "ZXY", "Y"}) {
        std::string channels = order;
        channels.insert(place, positions);
        SCOPED_TRACE(channels);
        CheckAllSolvers(ChainOf(channels, ++seed), {});
      }
    }
  }
}

TEST(Orders, PositionsAmongRotationsOneByOne) {
  uint64_t seed = 1000;
  for (const char* channels : {"XxYyZz", "xXyYzZ", "zXxZyY", "XzYxZy"}) {
    SCOPED_TRACE(channels);
    CheckAllSolvers(ChainOf(channels, ++seed), {});
  }
}

TEST(Orders, PartialPositionsInEveryReading) {
  uint64_t seed = 2000;
  for (const char* positions :
       {"X", "Y", "Z", "XY", "YX", "XZ", "ZY", "XYZ", "ZYX"}) {
    for (const Conventions& conventions : AllConventions()) {
      SCOPED_TRACE(positions);
      CheckAllSolvers(ChainOf(positions + std::string("zxy"), ++seed),
                      conventions);
    }
  }
}

TEST(Orders, RepeatedPositionsTheLastCounts) {
  for (const Conventions& conventions : AllConventions()) {
    CheckAllSolvers(ChainOf("XXzYxXy", 3000), conventions);
  }
}

TEST(Orders, ScalesAreSkipped) {
  uint64_t seed = 4000;
  for (const char* channels : {"ijkzxy", "zixjyk", "XYZzxyijk", "ijk"}) {
    SCOPED_TRACE(channels);
    CheckAllSolvers(ChainOf(channels, ++seed), {});
  }
}

TEST(Orders, MoreThanThreeRotationsCompose) {
  uint64_t seed = 5000;
  for (const char* channels : {"xyzxyz", "zzzz", "xyxyxyxyx"}) {
    SCOPED_TRACE(channels);
    CheckAllSolvers(ChainOf(channels, ++seed), {});
  }
}

// Numbers that can be checked by hand: Z by 90 and then, inside, X by 90 takes
// Y first to Z and then leaves it; the other order takes it to -X.
TEST(Orders, FirstListedIsOutermost) {
  for (const auto& [order, expected] :
       std::vector<std::pair<std::string, Offset>>{{"zx", {0, 0, 1}},
                                                   {"xz", {-1, 0, 0}}}) {
    SkeletonBuilder builder;
    const int root = builder.Root("Root", order);
    builder.Joint(root, "Joint", "", {0, 1, 0});
    Clip clip = CountingClip(builder.Build(), 1);
    clip.motion.values = {90, 90};
    const Solved solved = Solve(clip, {}, false, Solver::kRun);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(solved.positions[3 + axis], expected[axis], 1e-6) << order;
    }
  }
}

TEST(Orders, QuaternionOfAQuarterTurn) {
  SkeletonBuilder builder;
  builder.Root("Root", "y");
  Clip clip = CountingClip(builder.Build(), 2);
  clip.motion.values = {90, 270};
  const Solved solved = Solve(clip, {}, false, Solver::kRun);
  const float h = std::sqrt(0.5f);
  const float expected[] = {0, h, 0, h, 0, -h, 0, h};
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(solved.world_rotations[i], expected[i], 1e-6) << i;
    EXPECT_NEAR(solved.local_rotations[i], expected[i], 1e-6) << i;
  }
}

}  // namespace
}  // namespace bvhmill::testing
