// The sample takes: whole files, written by code that the library does not
// share.

#include "tests/samples/samples.h"

#include <gtest/gtest.h>

#include <sstream>

#include "bvhmill/bvh/reader.h"
#include "tests/kinematics/compare.h"

namespace bvhmill::testing {
namespace {

Clip ClipOf(const samples::Take& take) {
  std::ostringstream text;
  samples::WriteBvh(take, text);
  IssueLog log({});
  ReadResult result = ReadBvh(text.str(), {}, &log);
  EXPECT_TRUE(result.motion_read) << take.name;
  return std::move(result.clip);
}

TEST(Samples, AllAreSolvedAsTheOracleDoes) {
  for (const samples::Take& take : samples::AllTakes()) {
    SCOPED_TRACE(take.name);
    ASSERT_NO_FATAL_FAILURE(CheckAllSolvers(ClipOf(take), {}));
  }
}

// JOINT positions that repeat the OFFSETs change nothing.
TEST(Samples, SixChannelsIsTheSameWithIgnoredPositions) {
  const Clip clip = ClipOf(samples::SixChannels());
  const Solved replaced = Solve(clip, {}, true, Solver::kRun);
  const Solved ignored = Solve(
      clip, {.joint_positions = JointPositions::kIgnore}, true, Solver::kRun);
  for (size_t i = 0; i < replaced.positions.size(); ++i) {
    ASSERT_NEAR(replaced.positions[i], ignored.positions[i], 1e-3) << i;
  }
}

}  // namespace
}  // namespace bvhmill::testing
