// Tests properties of the sample takes: they are valid, bodies move as the
// motions that made them, and feet stay on the floor.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "bvhmill/bvh/reader.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/kinematics/compare.h"
#include "tests/samples/samples.h"

namespace bvhmill::testing {
namespace {

using samples::Take;

std::string TextOf(const Take& take) {
  std::ostringstream out;
  samples::WriteBvh(take, out);
  return out.str();
}

// World positions by name; for each name those of all frames.
using Tracks = std::map<std::string, std::vector<Vec3<double>>>;

Tracks SolveTake(const Take& take) {
  IssueLog log({});
  const Clip clip = ReadBvh(TextOf(take), {}, &log).clip;
  const Solved solved = Solve(clip, {}, true, Solver::kRun);
  const size_t nodes = clip.skeleton.nodes.size();
  Tracks tracks;
  for (size_t i = 0; i < solved.positions.size() / 3; ++i) {
    const auto node = static_cast<int32_t>(i % nodes);
    const float* p = &solved.positions[3 * i];
    tracks[DisplayName(clip.skeleton, node)].push_back({p[0], p[1], p[2]});
  }
  return tracks;
}

// Where the motion itself puts the joints at `seconds`.
std::vector<samples::Vec3> PosedJoints(const Take& take, double seconds) {
  const samples::Pose pose = take.pose(seconds);
  std::vector<samples::Vec3> places;
  std::vector<samples::Mat3> turns;
  for (size_t i = 0; i < take.joints.size(); ++i) {
    const int parent = take.joints[i].parent;
    if (parent < 0) {
      places.push_back(pose.positions[i]);
      turns.push_back(pose.rotations[i]);
      continue;
    }
    const auto above = static_cast<size_t>(parent);
    places.push_back(places[above] + turns[above] * pose.positions[i]);
    turns.push_back(turns[above] * pose.rotations[i]);
  }
  return places;
}

TEST(Takes, AllAreValid) {
  const auto takes = samples::AllTakes();
  EXPECT_EQ(takes.size(), 7);
  for (const Take& take : takes) {
    SCOPED_TRACE(take.name);
    const ConvertResult result = Convert(TextOf(take), {}, nullptr, nullptr);
    EXPECT_EQ(result.report.verdict, Verdict::kValid);
    for (const Issue& issue : result.report.issues) {
      EXPECT_NE(issue.severity, Severity::kError) << RenderIssue(issue);
      EXPECT_NE(issue.severity, Severity::kWarning) << RenderIssue(issue);
    }
    EXPECT_EQ(result.info.joint_count, take.joints.size());
    EXPECT_EQ(result.info.frames, take.frames);
    EXPECT_EQ(result.info.frame_time,
              std::strtod(take.layout.frame_time.c_str(), nullptr));
  }
}

TEST(Takes, JointsAreWhereTheMotionPutsThem) {
  for (const Take& take : samples::AllTakes()) {
    SCOPED_TRACE(take.name);
    // The error of rounded decimals of angles and lengths, added up over a
    // body, and the error of single precision: 1e-6 of two metres.
    const int decimals =
        std::min(take.layout.row_decimals, take.layout.offset_decimals);
    const double allowed = 4 * std::pow(10, -decimals) + 2e-4;
    const Tracks tracks = SolveTake(take);
    for (int frame = 0; frame < take.frames; ++frame) {
      const auto places = PosedJoints(take, frame * take.frame_time);
      for (size_t i = 0; i < places.size(); ++i) {
        const std::string& name = take.joints[i].name;
        const auto& at = tracks.at(name).at(static_cast<size_t>(frame));
        ASSERT_NEAR(at[0], places[i].x, allowed) << name << ", " << frame;
        ASSERT_NEAR(at[1], places[i].y, allowed) << name << ", " << frame;
        ASSERT_NEAR(at[2], places[i].z, allowed) << name << ", " << frame;
      }
    }
  }
}

TEST(Takes, MixedOrdersIsTheWalkByName) {
  const Tracks walk = SolveTake(samples::WalkCycle());
  const Tracks mixed = SolveTake(samples::MixedOrders());
  ASSERT_EQ(mixed.size(), walk.size());
  for (const auto& [name, track] : mixed) {
    ASSERT_EQ(track.size(), 60) << name;
    for (size_t frame = 0; frame < track.size(); ++frame) {
      for (size_t axis = 0; axis < 3; ++axis) {
        ASSERT_NEAR(track[frame][axis], walk.at(name)[frame][axis], 0.001)
            << name << ", frame " << frame;
      }
    }
  }
}

TEST(Takes, TheWalkStaysOnTheFloorAndUpright) {
  const Tracks walk = SolveTake(samples::WalkCycle());
  for (const char* foot : {"LeftFoot", "LeftToeBase", "LeftToeBase_End",
                           "RightFoot", "RightToeBase", "RightToeBase_End"}) {
    for (const Vec3<double>& at : walk.at(foot)) EXPECT_GT(at[1], -2) << foot;
  }
  const auto& hips = walk.at("Hips");
  const auto& head = walk.at("Head");
  for (size_t frame = 0; frame < hips.size(); ++frame) {
    EXPECT_GT(head[frame][1], hips[frame][1] + 40) << frame;
  }
  // Two strides of 124 cm along +Z.
  EXPECT_NEAR(hips.back()[2] - hips.front()[2], 2 * 124, 5);
}

}  // namespace
}  // namespace bvhmill::testing
