// Figures stand upright: what the file of an .anim makes the avatar do, by
// places of its joints in the world, for a walk on the skeleton of every joint
// map.
//
// The skeletons have the names of the maps, and axes that make the rest pose
// that of the avatar (Axes::kWorld), or one in which all bones lie along X or
// point anywhere.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/edit/joint_map.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/anim/played_avatar.h"
#include "tests/anim/walk_names.h"
#include "tests/samples/rig.h"
#include "tests/samples/samples.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using Vector = Vec3<double>;

// `place` from the pelvis, in the axes of the pelvis.
Vector InPelvis(const PlayedAvatar& avatar, const Vector& place) {
  const Mat3<double>& turn = avatar.TurnOf("mPelvis");
  const Vector& pelvis = avatar.At("mPelvis");
  Vector out = {};
  for (size_t k = 0; k < 3; ++k) {
    for (size_t i = 0; i < 3; ++i)
      out[k] += turn[i][k] * (place[i] - pelvis[i]);
  }
  return out;
}

// Shares of the times that were looked at, from 0 to 1.
struct Upright {
  double pelvis_up = 0;
  double head_above = 0;
  double knees_ahead = 0;
  double hands_apart = 0;
};

bool IsKneeAhead(const PlayedAvatar& figure, const std::string& side) {
  const Vector hip = InPelvis(figure, figure.At("mHip" + side));
  const Vector knee = InPelvis(figure, figure.At("mKnee" + side));
  const Vector ankle = InPelvis(figure, figure.At("mAnkle" + side));
  // A straight leg has its knee between hip and ankle.
  constexpr double kMetres = 0.03;
  const double share = (hip[2] - knee[2]) / (hip[2] - ankle[2]);
  return knee[0] > hip[0] + share * (ankle[0] - hip[0]) - kMetres;
}

Upright Look(const AnimMotion& motion) {
  constexpr int kTimes = 60;
  Upright upright;
  const auto count = [](bool is_so) { return is_so ? 1.0 / kTimes : 0.0; };
  for (int i = 0; i < kTimes; ++i) {
    const PlayedAvatar figure(
        motion, motion.duration * static_cast<float>(i) / (kTimes - 1));
    upright.pelvis_up += count(figure.TurnOf("mPelvis")[2][2] > std::cos(0.6));
    upright.head_above +=
        count(figure.At("mHead")[2] > figure.At("mPelvis")[2] + 0.4);
    upright.knees_ahead +=
        count(IsKneeAhead(figure, "Left") && IsKneeAhead(figure, "Right"));
    upright.hands_apart +=
        count(InPelvis(figure, figure.At("mWristLeft"))[1] > 0.05 &&
              InPelvis(figure, figure.At("mWristRight"))[1] < -0.05);
  }
  return upright;
}

struct Converted {
  ConvertResult result;
  AnimMotion motion;

  bool Says(std::string_view code) const {
    return std::any_of(result.report.issues.begin(), result.report.issues.end(),
                       [&](const Issue& issue) { return issue.code == code; });
  }
  std::string Arg(std::string_view code, std::string_view name) const {
    for (const Issue& issue : result.report.issues) {
      if (issue.code != code) continue;
      for (const auto& [key, value] : issue.args) {
        if (key == name) return value;
      }
    }
    return "";
  }
};

Converted ConvertText(std::string_view text, const AnimFormat& format,
                      UpAxis up = UpAxis::kUnknown) {
  ConvertOptions options;
  options.edits.source.up_axis = up;
  options.outputs.push_back({"", format});
  StringReceiver receiver;
  Converted out;
  out.result = Convert(text, options, &receiver, nullptr);
  if (!out.result.status.ok()) return out;
  IssueLog log({});
  AnimReadResult read = ReadAnim(receiver.data()[0], {}, &log);
  EXPECT_TRUE(read.plays);
  out.motion = std::move(read.motion);
  return out;
}

std::string TextOf(const samples::Take& take) {
  std::ostringstream text;
  samples::WriteBvh(take, text);
  return text.str();
}

class UprightTest : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(EveryMap, UprightTest,
                         ::testing::ValuesIn(JointMapNames()),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

// The joints of this figure have the same names in both schemes of a pair.
std::string ShownName(std::string_view scheme) {
  if (scheme == "second_life") return "";
  return scheme == "cmu_max" ? "xsens" : std::string(scheme);
}

void ExpectUpright(const Converted& converted) {
  ASSERT_TRUE(converted.result.status.ok()) << converted.result.status;
  const Upright upright = Look(converted.motion);
  EXPECT_GT(upright.pelvis_up, 0.99);
  EXPECT_GT(upright.head_above, 0.99);
  EXPECT_GT(upright.knees_ahead, 0.99);
  EXPECT_GT(upright.hands_apart, 0.99);
}

TEST_P(UprightTest, AWalkStandsWithAnyRestPose) {
  for (const samples::Axes axes :
       {samples::Axes::kWorld, samples::Axes::kAlongBones,
        samples::Axes::kAny}) {
    // Also where a take is cut in the middle of a stride.
    for (const int first : {0, 37}) {
      SCOPED_TRACE(static_cast<int>(axes));
      SCOPED_TRACE(first);
      const samples::Take take =
          samples::OnRig(samples::From(samples::WalkCycle(), first),
                         WalkNames(GetParam()), axes);
      const Converted converted = ConvertText(TextOf(take), AnimFormat());
      ExpectUpright(converted);
      EXPECT_EQ(converted.Arg("TARGET_ANIM_MAP", "map"), ShownName(GetParam()));
      EXPECT_EQ(
          converted.Arg("ANIM_REFERENCE_CHOSEN", "pose") == "the rest pose",
          axes == samples::Axes::kWorld);
    }
  }
}

TEST(Upright, ARestPoseThatFoldsIsRefused) {
  const std::string text = TextOf(samples::OnRig(
      samples::WalkCycle(), WalkNames("lafan1"), samples::Axes::kAlongBones));
  AnimFormat format;
  format.reference = AnimReference::kRestPose;
  const Converted refused = ConvertText(text, format);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.result.status));
  EXPECT_TRUE(refused.Says("ANIM_POSE_ODD"));
  EXPECT_EQ(refused.Arg("ANIM_POSE_ODD", "map"), "");
  format.joint_map = "lafan1";
  EXPECT_EQ(ConvertText(text, format).Arg("ANIM_POSE_ODD", "map"),
            "; the stated joint map may be wrong");
  format.joint_map.clear();
  format.accept_odd = true;
  const Converted accepted = ConvertText(text, format);
  EXPECT_TRUE(accepted.result.status.ok()) << accepted.result.status;
  EXPECT_TRUE(accepted.Says("ANIM_ODD_ACCEPTED"));
}

// A walk whose axis Z is up, read as if it were Y.
samples::Take LyingWalk() {
  samples::Take take = samples::WalkCycle();
  take.pose = [pose = take.pose](double seconds) {
    samples::Pose now = pose(seconds);
    const samples::Mat3 turn = samples::RotateX(90);
    now.rotations[0] = turn * now.rotations[0];
    now.positions[0] = turn * now.positions[0];
    return now;
  };
  return take;
}

// Z is taken as the up axis of a figure whose poses show it.
TEST(Upright, AFigureThatLiesInEveryFrameIsRefusedIfYIsUp) {
  for (const samples::Axes axes :
       {samples::Axes::kWorld, samples::Axes::kAny}) {
    const std::string text =
        TextOf(samples::OnRig(LyingWalk(), WalkNames("mixamo"), axes));
    const Converted refused = ConvertText(text, AnimFormat(), UpAxis::kY);
    EXPECT_TRUE(absl::IsFailedPrecondition(refused.result.status));
    EXPECT_TRUE(refused.Says("ANIM_LIES_DOWN"));
    AnimFormat odd;
    odd.accept_odd = true;
    const Converted accepted = ConvertText(text, odd, UpAxis::kY);
    EXPECT_TRUE(accepted.result.status.ok()) << accepted.result.status;
    EXPECT_TRUE(accepted.Says("ANIM_ODD_ACCEPTED"));
    ExpectUpright(ConvertText(text, AnimFormat(), UpAxis::kZ));
    const Converted found = ConvertText(text, AnimFormat());
    // Y is up in the rest pose of the first: the clip does not show it clearly.
    const bool is_clear = axes == samples::Axes::kAny;
    EXPECT_EQ(found.Says("EDIT_UP_AXIS_GUESSED"), is_clear);
    EXPECT_EQ(found.Says("ANIM_LIES_DOWN"), !is_clear);
    if (is_clear) ExpectUpright(found);
  }
}

TEST(Upright, AFigureThatLeavesTheRangeIsRefused) {
  samples::Take take = samples::WalkCycle();
  take.frames = 900;
  AnimFormat format;
  format.scale_to_avatar = true;
  const Converted refused = ConvertText(TextOf(take), format);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused.result.status));
  EXPECT_TRUE(refused.Says("ANIM_POSITION_FAR"));
  format.accept_odd = true;
  const Converted accepted = ConvertText(TextOf(take), format);
  EXPECT_TRUE(accepted.result.status.ok()) << accepted.result.status;
  EXPECT_TRUE(accepted.Says("ANIM_POSITION_CLAMPED"));
}

TEST(Upright, RealTakesStandOrSayWhyNot) {
  if (RealData().empty()) {
    GTEST_SKIP() << "SKIPPED: set BVHMILL_DATA to read the files there";
  }
  int standing = 0;
  for (const std::string& path : FilesIn(RealData() + "/bvh", ".bvh")) {
    SCOPED_TRACE(path);
    const Converted converted = ConvertText(ReadFile(path), AnimFormat());
    if (!converted.result.status.ok()) {
      EXPECT_GT(converted.result.report.counts.errors, 0);
      continue;
    }
    const int64_t frames = converted.result.info.frames;
    if (converted.motion.joints.size() < 12 || frames < 2) continue;
    // Read with Y up, a take with Z up lies.
    if (converted.Says("DATA_UP_AXIS_GUESS")) continue;
    ++standing;
    const Upright upright = Look(converted.motion);
    // Some jump, bow and turn a cartwheel; one bows half of the time.
    EXPECT_GT(upright.head_above, 0.5);
    EXPECT_GT(upright.pelvis_up, 0.45);
    EXPECT_GT(upright.knees_ahead, 0.7);
    EXPECT_GT(upright.hands_apart, 0.5);
  }
  EXPECT_GT(standing, 20);
}

}  // namespace
}  // namespace bvhmill::testing
