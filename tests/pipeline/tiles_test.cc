// Clips are solved tile by tile. The results equal those of one job.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "bvhmill/bvh/reader.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

using Floats = std::vector<float>;

// A clip, solved at once.
struct Solved {
  int64_t joints = 0;
  int64_t nodes = 0;
  Floats positions;
  Floats node_positions;
  Floats rotations;
};

Clip Read(const std::string& text) {
  IssueLog log(ReportOptions{});
  ReadResult read = ReadBvh(text, {}, &log);
  EXPECT_TRUE(read.motion_read);
  return std::move(read.clip);
}

void Run(const Plan& plan, const Clip& clip, bool with_end_sites,
         Floats* positions, Floats* rotations) {
  const auto rows =
      static_cast<size_t>(RowsOf(plan, with_end_sites) * clip.motion.frames);
  positions->resize(rows * 3);
  rotations->resize(rows * 4);
  FkJob job;
  job.plan = &plan;
  job.frames = clip.motion.frames;
  job.values = clip.motion.values;
  job.with_end_sites = with_end_sites;
  job.positions = *positions;
  job.local_rotations = *rotations;
  ASSERT_TRUE(job.Validate().ok()) << job.Validate();
  job.Run();
}

Solved SolveAtOnce(const std::string& text) {
  const Clip clip = Read(text);
  const Plan plan = MakePlan(clip.skeleton, Conventions{});
  Solved out;
  Floats ignored;
  out.joints = RowsOf(plan, false);
  out.nodes = RowsOf(plan, true);
  Run(plan, clip, false, &out.positions, &out.rotations);
  Run(plan, clip, true, &out.node_positions, &ignored);
  return out;
}

std::string Bytes(const Floats& values) {
  std::string out(values.size() * sizeof(float), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

// (frame, joint, component) as (joint, frame, component).
Floats JointMajor(const Floats& values, int64_t joints, int64_t width) {
  const auto frames = static_cast<int64_t>(values.size()) / (joints * width);
  Floats out;
  out.reserve(values.size());
  for (int64_t joint = 0; joint < joints; ++joint) {
    for (int64_t frame = 0; frame < frames; ++frame) {
      const auto row = values.begin() + (frame * joints + joint) * width;
      out.insert(out.end(), row, row + width);
    }
  }
  return out;
}

std::string MakeOne(const std::string& text, const FormatOptions& format) {
  ConvertOptions options;
  options.outputs = {{"", format}};
  StringReceiver receiver;
  const ConvertResult result = ConvertText(text, options, &receiver);
  EXPECT_TRUE(result.status.ok()) << result.status;
  return receiver.data().empty() ? "" : receiver.data()[0];
}

class TilesTest : public ::testing::TestWithParam<std::tuple<int, int>> {
 protected:
  TilesTest()
      : text_(ChainText(std::get<0>(GetParam()), std::get<1>(GetParam()))),
        solved_(SolveAtOnce(text_)) {}

  std::string text_;
  Solved solved_;
};

INSTANTIATE_TEST_SUITE_P(JointsAndFrames, TilesTest,
                         ::testing::Combine(::testing::Values(1, 40),
                                            ::testing::Values(1, 15, 16, 17,
                                                              1023, 1024, 1025,
                                                              3000)));

TEST_P(TilesTest, PositionsAreThoseOfOneJob) {
  EXPECT_TRUE(MakeOne(text_, PositionsFormat{}) == Bytes(solved_.positions));
  EXPECT_TRUE(
      MakeOne(text_, PositionsFormat{TensorLayout::kJointMajor, false}) ==
      Bytes(JointMajor(solved_.positions, solved_.joints, 3)));
}

TEST_P(TilesTest, PositionsOfEndSitesAreThoseOfOneJob) {
  EXPECT_TRUE(
      MakeOne(text_, PositionsFormat{TensorLayout::kFrameMajor, true}) ==
      Bytes(solved_.node_positions));
  EXPECT_TRUE(
      MakeOne(text_, PositionsFormat{TensorLayout::kJointMajor, true}) ==
      Bytes(JointMajor(solved_.node_positions, solved_.nodes, 3)));
}

TEST_P(TilesTest, RotationsAreThoseOfOneJob) {
  EXPECT_TRUE(MakeOne(text_, RotationsFormat{}) == Bytes(solved_.rotations));
  const RotationsFormat joint_major{RotationKind::kQuaternion,
                                    TensorLayout::kJointMajor};
  EXPECT_TRUE(MakeOne(text_, joint_major) ==
              Bytes(JointMajor(solved_.rotations, solved_.joints, 4)));
}

// The archive holds the arrays uncompressed.
TEST_P(TilesTest, ArchiveHoldsTheArraysOfOneJob) {
  const std::string archive = MakeOne(text_, NpzFormat{});
  EXPECT_NE(archive.find(Bytes(solved_.positions)), std::string::npos);
  EXPECT_NE(archive.find(Bytes(solved_.rotations)), std::string::npos);
}

TEST_P(TilesTest, TextReadsBackTheSame) {
  const Clip clip = Read(text_);
  const Clip again = Read(MakeOne(text_, BvhFormat{}));
  EXPECT_TRUE(clip.motion.values == again.motion.values);
  EXPECT_EQ(clip.motion.frames, again.motion.frames);
}

}  // namespace
}  // namespace bvhmill::testing
