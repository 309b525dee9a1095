// The five functions of bvhmill.h, against the oracle of the tests and against
// NumPy's format.

#include "bvhmill/bvhmill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/clips.h"
#include "tests/support/files.h"
#include "tests/support/oracle.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kLeg[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "JOINT Knee\n{\nOFFSET 0 -4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 -3 0\n}\n}\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.04\n"
    "0 8 0 0 0 0 0 0 0\n1 8 0 90 0 0 0 0 0\n2 8 5 0 0 0 0 90 0\n";

class Files : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, std::string_view text) {
    const std::string path = folder_.path() + "/" + name;
    WriteFile(path, text);
    return path;
  }

  TempDir folder_;
};

TEST_F(Files, ReadGivesTheClipThatTheFileHas) {
  const auto clip = Read(Write("leg.bvh", kLeg));
  ASSERT_TRUE(clip.ok()) << clip.status();
  EXPECT_EQ(clip->skeleton.nodes.size(), 3U);
  EXPECT_EQ(clip->motion.frames, 3);
  EXPECT_EQ(clip->motion.frame_time, 0.04);
  EXPECT_EQ(clip->motion.values.size(), 27U);
  EXPECT_EQ(clip->motion.values[9], 1.0F);
  const auto same = ReadBytes(kLeg);
  ASSERT_TRUE(same.ok()) << same.status();
  ExpectSameClip(*same, *clip);
}

TEST_F(Files, ReadNamesTheFileAndTheLine) {
  std::string text = kLeg;
  text.replace(text.find("1 8 0 90"), 1, "x");
  const std::string path = Write("bad.bvh", text);
  Report report;
  const auto clip = Read(path, {}, &report);
  EXPECT_EQ(clip.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(clip.status().message()),
              StartsWith(path + ":20:1: error: MOTION_NUMBER_INVALID: 'x'"));
  EXPECT_EQ(report.verdict, Verdict::kInvalid);
  EXPECT_THAT(std::string(ReadBytes(text).status().message()),
              StartsWith("20:1: error: MOTION_NUMBER_INVALID"));
}

TEST_F(Files, ReadSaysWhichFileIsMissingOrNoFile) {
  const std::string absent = folder_.path() + "/absent.bvh";
  const absl::Status missing = Read(absent).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), absent + ": No such file or directory");
  const absl::Status folder = Read(folder_.path()).status();
  EXPECT_EQ(folder.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(folder.message(), folder_.path() + ": Is a directory");
  EXPECT_THAT(std::string(Read(Write("empty.bvh", "")).status().message()),
              HasSubstr("empty.bvh"));
}

TEST_F(Files, ReadAppliesEditsAndRefusesOutputs) {
  ConvertOptions options;
  options.edits.frames = {1, 3};
  const auto cut = ReadBytes(kLeg, options);
  ASSERT_TRUE(cut.ok()) << cut.status();
  EXPECT_EQ(cut->motion.frames, 2);
  EXPECT_EQ(cut->motion.values[0], 1.0F);
  options.outputs = {{"", NpzFormat{}}};
  EXPECT_THAT(std::string(ReadBytes(kLeg, options).status().message()),
              StartsWith("options.outputs: must be empty"));
}

TEST(PosesTest, PositionsAreThoseOfTheOracleInAnyRange) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Clip clip = RandomClip({}, 7, seed);
    const OracleClip oracle = OracleOf(clip);
    const JointArray at = Positions(
        clip, {.first_frame = 2, .frames = 4, .with_end_sites = true});
    ASSERT_EQ(at.frames, 4);
    ASSERT_EQ(at.joints, static_cast<int64_t>(clip.skeleton.nodes.size()));
    for (int64_t frame = 0; frame < at.frames; ++frame) {
      const OraclePose pose =
          SolveOracle(oracle, static_cast<size_t>(frame + 2), {});
      const double size = SizeOf(oracle, pose);
      for (int64_t node = 0; node < at.joints; ++node) {
        const Matrix4& world = pose.world[static_cast<size_t>(node)];
        for (size_t axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(at(frame, node)[axis], world.at[axis][3],
                      1e-5 * (size + std::abs(world.at[axis][3])))
              << "seed " << seed << ", frame " << frame << ", node " << node;
        }
      }
    }
  }
}

TEST(PosesTest, RotationsAreThoseOfTheOracle) {
  const Clip clip = RandomClip({}, 5, 3);
  const OracleClip oracle = OracleOf(clip);
  for (const RotationSpace space :
       {RotationSpace::kLocal, RotationSpace::kWorld}) {
    const JointArray at =
        Rotations(clip, space, RotationKind::kMatrix, {.with_end_sites = true});
    ASSERT_EQ(at.width, 9);
    for (int64_t frame = 0; frame < at.frames; ++frame) {
      const OraclePose pose =
          SolveOracle(oracle, static_cast<size_t>(frame), {});
      for (int64_t node = 0; node < at.joints; ++node) {
        const auto i = static_cast<size_t>(node);
        const Matrix4& expected =
            space == RotationSpace::kLocal ? pose.local[i] : pose.world[i];
        for (size_t k = 0; k < 9; ++k) {
          EXPECT_NEAR(at(frame, node)[k], expected.at[k / 3][k % 3], 1e-5);
        }
      }
    }
  }
}

TEST(PosesTest, ARangeIsCutToTheClip) {
  const Clip clip = RandomClip({}, 5, 1);
  EXPECT_EQ(Positions(clip).frames, 5);
  EXPECT_EQ(Positions(clip, {.first_frame = 3, .frames = 9}).frames, 2);
  EXPECT_EQ(Positions(clip, {.first_frame = 9}).frames, 0);
  EXPECT_EQ(Positions(clip, {.first_frame = -4, .frames = 2}).frames, 0);
  EXPECT_EQ(Positions(clip, {.frames = -1}).values.size(), 0U);
}

TEST_F(Files, CheckAndEditAndEncodeWorkOnAClip) {
  const auto clip = ReadBytes(kLeg);
  ASSERT_TRUE(clip.ok());
  EXPECT_TRUE(IsGood(Check(*clip).verdict));

  ClipEdits edits;
  edits.source.up_axis = UpAxis::kY;
  edits.in_place = true;
  const auto edited = Edit(*clip, edits);
  ASSERT_TRUE(edited.ok()) << edited.status();
  EXPECT_EQ(edited->motion.values[18], 0.0F);
  edits.frames = {5, 6};
  EXPECT_EQ(Edit(*clip, edits).status().code(),
            absl::StatusCode::kInvalidArgument);

  const auto text = Encode(*clip, BvhFormat{});
  ASSERT_TRUE(text.ok()) << text.status();
  const auto again = ReadBytes(*text);
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectSameClip(*again, *clip);
  const auto npz = Encode(*clip, NpzFormat{});
  ASSERT_TRUE(npz.ok()) << npz.status();
  EXPECT_THAT(*npz, StartsWith("PK"));
}

TEST_F(Files, AClipWhosePartsDoNotFitIsRefused) {
  Clip clip = RandomClip({}, 5, 1);
  clip.motion.values.resize(clip.motion.values.size() - 1);
  EXPECT_EQ(Encode(clip, NpzFormat{}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Edit(clip, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace bvhmill::testing
