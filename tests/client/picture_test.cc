// Pictures of clips: what is kept of a clip of any length.

#include "client/cli/picture/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace bvhmill::client {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

// The slow twin of TurnCurves: from all values at once.
TurnCurve CurveOfAll(const std::vector<float>& values, int64_t per_value) {
  TurnCurve curve;
  const auto step = static_cast<size_t>(per_value);
  for (size_t begin = 0; begin < values.size(); begin += step) {
    float low = kNoValue;
    float high = kNoValue;
    for (size_t i = begin; i < std::min(begin + step, values.size()); ++i) {
      low = std::fmin(low, values[i]);
      high = std::fmax(high, values[i]);
    }
    curve.low.push_back(low);
    curve.high.push_back(high);
  }
  return curve;
}

void ExpectSame(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
        << i << ": " << a[i] << " and " << b[i];
  }
}

// A spike of one frame in a calm series with gaps.
float ValueAt(int64_t frame, int64_t spike) {
  if (frame == spike) return 170;
  return frame % 7 == 3 ? kNoValue : static_cast<float>(frame % 5);
}

TEST(TurnCurvesTest, AClipOfAnyLengthGivesWhatItsSlowTwinGives) {
  for (const int64_t frames :
       {1, 2, 127, 128, 129, 255, 256, 257, 1000, 9999}) {
    TurnCurves curves(2);
    std::vector<float> first;
    std::vector<float> second;
    for (int64_t frame = 0; frame < frames; ++frame) {
      first.push_back(ValueAt(frame, frames / 2));
      second.push_back(ValueAt(frame, frames - 1));
      const float values[] = {first.back(), second.back()};
      curves.Add(values);
    }
    const int64_t step = curves.frames_per_value();
    EXPECT_LE(frames, step * static_cast<int64_t>(TurnCurves::kMaxValues));
    EXPECT_TRUE(step == 1 || frames > 64 * step) << frames;
    const TurnCurve want = CurveOfAll(second, step);
    ExpectSame(curves.CurveOf(0).high, CurveOfAll(first, step).high);
    ExpectSame(curves.CurveOf(1).high, want.high);
    ExpectSame(curves.CurveOf(1).low, want.low);
    // The spike is the last frame: it stays visible.
    EXPECT_EQ(curves.CurveOf(1).high.back(), 170) << frames;
  }
}

TEST(SampledPosesTest, PosesAreSpreadOverTheClip) {
  for (const int64_t frames : {1, 31, 32, 33, 64, 65, 5000}) {
    SampledPoses poses({1});
    for (int64_t frame = 0; frame < frames; ++frame) {
      const auto at = static_cast<float>(frame);
      const float positions[] = {0, 0, 0, at, 2 * at, -at};
      poses.Add(positions);
    }
    ASSERT_EQ(poses.frames(), frames);
    const auto& kept = poses.poses();
    ASSERT_LE(kept.size(), SampledPoses::kMaxPoses);
    ASSERT_GE(kept.size(), std::min<size_t>(static_cast<size_t>(frames), 16));
    const int64_t step = kept.size() > 1 ? kept[1].frame : 1;
    for (size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(kept[i].frame, static_cast<int64_t>(i) * step);
      const auto at = static_cast<float>(kept[i].frame);
      EXPECT_EQ(kept[i].points, std::vector<Point3>({{at, 2 * at, -at}}));
    }
    EXPECT_GE((kept.back().frame + step), frames);
  }
}

TEST(FrameCutterTest, PiecesOfAnySizeGiveTheSameFrames) {
  std::vector<float> numbers(30);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5F + float(i);
  const std::string bytes(reinterpret_cast<const char*>(numbers.data()),
                          numbers.size() * sizeof(float));
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameCutter cutter(6);
    std::vector<float> all;
    int frames = 0;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      cutter.Add(std::string_view(bytes).substr(at, piece),
                 [&](std::span<const float> frame) {
                   all.insert(all.end(), frame.begin(), frame.end());
                   ++frames;
                 });
    }
    EXPECT_EQ(frames, 5) << piece;
    EXPECT_EQ(all, numbers) << piece;
  }
}

JointInfo Joint(int32_t parent, float length) {
  JointInfo joint;
  joint.parent = parent;
  joint.offset = {0, length, 0};
  return joint;
}

TEST(DrawnJointsTest, ShortBonesAndCarriersAreLeftOut) {
  struct Case {
    const char* what;
    std::vector<JointInfo> joints;
    size_t most;
    std::vector<int32_t> drawn;
    std::vector<int32_t> parents;
  };
  const Case cases[] = {
      {"no joint", {}, 5, {}, {}},
      {"a chain is drawn", {Joint(-1, 0), Joint(0, 1)}, 5, {0, 1}, {-1, 0}},
      {"carriers of a figure are not",
       {Joint(-1, 0), Joint(0, 9), Joint(1, 1), Joint(1, 1)},
       5,
       {1, 2, 3},
       {-1, 0, 0}},
      {"a second root has its own figure",
       {Joint(-1, 0), Joint(0, 1), Joint(0, 1), Joint(-1, 0), Joint(3, 1)},
       5,
       {0, 1, 2, 3, 4},
       {-1, 0, 0, -1, 3}},
      {"the shortest bones are joined to their parents",
       {Joint(-1, 9), Joint(0, 1), Joint(1, 5), Joint(0, 7)},
       3,
       {0, 2, 3},
       {-1, 0, 0}},
      {"a root without a length is drawn before bones",
       {Joint(-1, 0), Joint(0, 0), Joint(1, 1), Joint(0, 0), Joint(3, 1)},
       3,
       {0, 2, 4},
       {-1, 0, 0}},
      {"the joint below carriers is drawn before bones",
       {Joint(-1, 9), Joint(0, 0), Joint(1, 1), Joint(1, 2), Joint(1, 3)},
       3,
       {1, 3, 4},
       {-1, 0, 0}},
  };
  for (const Case& row : cases) {
    const DrawnJoints got = ChooseDrawnJoints(JointList(row.joints), row.most);
    EXPECT_EQ(got.joints, row.drawn) << row.what;
    EXPECT_EQ(got.parents, row.parents) << row.what;
  }
}

// A flat figure of height 2 in the plane of `wide` and `up`.
SampledPose Figure(const Point3& wide, const Point3& up) {
  SampledPose pose;
  for (const auto& [x, y] : {std::pair{-1.0F, 1.0F},
                             {1.0F, 1.0F},
                             {0.0F, 2.0F},
                             {-0.1F, 0.0F},
                             {0.1F, 0.0F}}) {
    Point3 point = {100, 200, 300};
    for (size_t i = 0; i < 3; ++i) point[i] += x * wide[i] + y * up[i];
    pose.points.push_back(point);
  }
  return pose;
}

TEST(PoseViewTest, FiguresAreSeenWhereTheyAreWide) {
  const Point3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Point3& up : axes) {
    for (const Point3& wide : axes) {
      if (wide == up) continue;
      std::vector<SampledPose> poses = {Figure(wide, up)};
      poses[0].points.push_back({kNoValue, 0, 0});
      const PoseView view = ChooseView(poses, up);
      const PosePicture seen = Project(poses[0], view);
      // Turned by 20 degrees.
      EXPECT_NEAR(std::abs(seen.points[1][0] - seen.points[0][0]), 1.879, 1e-3);
      EXPECT_NEAR(seen.points[2][1] - seen.points[3][1], 2, 1e-4);
      EXPECT_TRUE(std::isnan(seen.points[5][0]));
      EXPECT_NEAR(MedianHeight(poses, up), 2, 1e-4);
    }
  }
  EXPECT_EQ(MedianHeight({}, {0, 1, 0}), 0);
}

TEST(UpOfTest, StatedAxesComeBeforeGuesses) {
  const auto guess = [](const IssueArgs& args) {
    Report report;
    Issue& issue = report.issues.emplace_back();
    issue.code = "DATA_UP_AXIS_GUESS";
    issue.args = args;
    return report;
  };
  ClipEdits none;
  ClipEdits y_up;
  y_up.source.up_axis = UpAxis::kY;
  ClipEdits turned = y_up;
  turned.to_up = UpAxis::kZ;
  EXPECT_EQ(UpOf(none, {}), (Point3{0, 1, 0}));
  EXPECT_EQ(UpOf(none, guess({})), (Point3{0, 0, 1}));
  EXPECT_EQ(UpOf(none, guess({{"axis", "-Y"}})), (Point3{0, -1, 0}));
  EXPECT_EQ(UpOf(none, guess({{"axis", "+X"}})), (Point3{1, 0, 0}));
  EXPECT_EQ(UpOf(none, guess({{"axis", "XY"}})), (Point3{0, 0, 1}));
  EXPECT_EQ(UpOf(y_up, guess({})), (Point3{0, 1, 0}));
  EXPECT_EQ(UpOf(turned, {}), (Point3{0, 0, 1}));
}

}  // namespace
}  // namespace bvhmill::client
