// Poses between frames, new rates, ranges of frames.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "bvhmill/edit/sample_pose.h"
#include "bvhmill/math/euler.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

std::vector<float> PoseAt(const Clip& clip, double seconds,
                          Interpolation interpolation) {
  std::vector<float> out(clip.skeleton.channels.size());
  SamplePose(clip.skeleton, clip.motion.values, clip.motion.frames,
             clip.motion.frame_time, seconds, interpolation, out);
  return out;
}

std::vector<float> RowOf(const Clip& clip, size_t frame) {
  const size_t columns = clip.skeleton.channels.size();
  const auto begin =
      clip.motion.values.begin() + static_cast<std::ptrdiff_t>(frame * columns);
  return {begin, begin + static_cast<std::ptrdiff_t>(columns)};
}

constexpr Interpolation kBoth[] = {Interpolation::kSlerp,
                                   Interpolation::kLerpAngle};

TEST(SamplePose, FramesAreThemselvesAndEndsHold) {
  const Clip clip = RandomClip({}, 5, 1);
  for (const Interpolation how : kBoth) {
    for (size_t frame = 0; frame < 5; ++frame) {
      const double time = static_cast<double>(frame) * clip.motion.frame_time;
      EXPECT_EQ(PoseAt(clip, time, how), RowOf(clip, frame));
    }
    EXPECT_EQ(PoseAt(clip, -1, how), RowOf(clip, 0));
    EXPECT_EQ(PoseAt(clip, 1e9, how), RowOf(clip, 4));
  }
}

// Two frames of one joint, the way between them by channel.
TEST(SamplePose, AnglesGoTheShortestWay) {
  SkeletonBuilder builder;
  builder.Root("Hips", "XYZzxyi");
  Clip clip = CountingClip(builder.Build(), 2);
  clip.motion.frame_time = 1;
  const float values[] = {0,  10, -4, 170,  350, 10, 1,
                          10, 10, 4,  -170, 10,  30, 2};
  clip.motion.values.assign(std::begin(values), std::end(values));
  EXPECT_EQ(PoseAt(clip, 0.25, Interpolation::kLerpAngle),
            (std::vector<float>{2.5, 10, -2, 175, 355, 15, 1.25}));
}

// Along the way the joint turns about one axis, evenly.
void ExpectEvenTurn(const char* order, const EulerAngles& from,
                    const EulerAngles& to) {
  SkeletonBuilder builder;
  builder.Root("Hips", order);
  Clip clip = CountingClip(builder.Build(), 2);
  clip.motion.frame_time = 1;
  clip.motion.values.clear();
  for (const EulerAngles& angles : {from, to}) {
    for (const double angle : angles) {
      clip.motion.values.push_back(static_cast<float>(angle));
    }
  }
  EulerAxes axes;
  for (int i = 0; i < 3; ++i) axes[i] = order[i] - 'x';
  const Quat<double> a = QuatFromEuler(axes, from);
  const Quat<double> b = QuatFromEuler(axes, to);
  const double all =
      std::acos(std::abs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w));
  for (const double u : {0.1, 0.25, 0.5, 0.9}) {
    const auto row = PoseAt(clip, u, Interpolation::kSlerp);
    const Quat<double> q = QuatFromEuler(axes, {row[0], row[1], row[2]});
    const auto way = [&](const Quat<double>& end) {
      return std::acos(
          std::abs(q.x * end.x + q.y * end.y + q.z * end.z + q.w * end.w));
    };
    EXPECT_NEAR(way(a), u * all, 1e-6) << order;
    EXPECT_NEAR(way(b), (1 - u) * all, 1e-6) << order;
  }
}

TEST(SamplePose, SlerpTurnsEvenly) {
  for (const char* order : {"zxy", "xyz", "yzx", "xzx", "zyz", "yxz"}) {
    ExpectEvenTurn(order, {20, 40, -60}, {-70, 100, 130});
    // 210 degrees one way, 150 the other.
    ExpectEvenTurn(order, {-100, 0, 0}, {110, 0, 0});
  }
}

TEST(SamplePose, EqualPosesStayAsTheyAre) {
  Clip clip = RandomClip({}, 2, 4);
  const auto first = RowOf(clip, 0);
  std::copy(
      first.begin(), first.end(),
      clip.motion.values.begin() + static_cast<std::ptrdiff_t>(first.size()));
  for (const Interpolation how : kBoth) {
    EXPECT_EQ(PoseAt(clip, 0.3 * clip.motion.frame_time, how), first);
  }
}

ClipEdits Rate(double fps, Interpolation how = Interpolation::kSlerp) {
  ClipEdits edits;
  edits.resample_fps = fps;
  edits.interpolation = how;
  return edits;
}

TEST(Resample, TheSameRateIsTheSameClip) {
  for (const double frame_time : {1.0 / 120, 1.0 / 30, 0.0083333, 0.5, 1e-9}) {
    Clip clip = RandomClip({}, 50, 2);
    clip.motion.frame_time = frame_time;
    ExpectSameClip(Edited(Rate(1 / frame_time), clip), clip);
  }
}

TEST(Resample, EveryRowIsTheSampleOfItsTime) {
  for (const Interpolation how : kBoth) {
    for (const double fps : {7.0, 29.97, 60.0, 119.0, 240.0, 1000.0}) {
      const Clip clip = RandomClip({}, 40, 7);
      const Clip after = Edited(Rate(fps, how), clip);
      EXPECT_EQ(after.motion.frame_time, 1 / fps);
      for (int64_t k = 0; k < after.motion.frames; ++k) {
        ASSERT_EQ(RowOf(after, static_cast<size_t>(k)),
                  PoseAt(clip, static_cast<double>(k) / fps, how))
            << fps << " " << k;
      }
    }
  }
}

// Frame times are rounded in files; no frame is lost or blended for that.
TEST(Resample, TheRateThatWasRoundedIsTheSameRate) {
  for (const auto& [frame_time, fps] :
       {std::pair{0.008333, 120.}, {0.0333333, 30.}, {0.016667, 60.}}) {
    Clip clip = RandomClip({}, 50, 3);
    clip.motion.frame_time = frame_time;
    const Clip after = Edited(Rate(fps), clip);
    EXPECT_EQ(after.motion.frame_time, 1 / fps);
    clip.motion.frame_time = 1 / fps;
    ExpectSameClip(after, clip);
  }
  Clip clip = RandomClip({}, 1002, 3);
  clip.motion.frame_time = 1 / 29.97;
  EXPECT_EQ(Edited(Rate(30), clip).motion.frames, 1003);
}

TEST(Resample, HalfTheRateTakesEveryOtherRow) {
  const Clip clip = RandomClip({}, 41, 7);
  const Clip after = Edited(Rate(60), clip);
  ASSERT_EQ(after.motion.frames, 21);
  for (size_t k = 0; k < 21; ++k) {
    EXPECT_EQ(RowOf(after, k), RowOf(clip, 2 * k));
  }
}

// Frames k with k / fps <= (frames - 1) * frame_time.
TEST(Resample, EndRule) {
  const struct {
    int64_t frames;
    double from;
    double to;
    int64_t expected;
  } kCases[] = {
      {0, 30, 60, 0},     {1, 30, 60, 1},      {2, 30, 60, 3},
      {3, 30, 60, 5},     {31, 30, 24, 25},    {30, 30, 24, 24},
      {121, 120, 30, 31}, {120, 120, 30, 30},  {100, 30, 1, 4},
      {2, 30, 29, 1},     {61, 59.94, 60, 61}, {1001, 1000, 7, 8},
  };
  for (const auto& c : kCases) {
    Clip clip = RandomClip({}, c.frames, 9);
    clip.motion.frame_time = 1 / c.from;
    const Clip after = Edited(Rate(c.to), clip);
    EXPECT_EQ(after.motion.frames, c.expected) << c.frames << " " << c.to;
    if (c.frames == 0) continue;
    const double end = static_cast<double>(c.frames - 1) / c.from;
    EXPECT_LE(static_cast<double>(after.motion.frames - 1) / c.to, end + 1e-9);
    EXPECT_GT(static_cast<double>(after.motion.frames) / c.to, end);
  }
}

TEST(Resample, CountsAreByTheRuleAlone) {
  for (int64_t frames = 1; frames < 60; ++frames) {
    for (const double fps : {1.0, 23.976, 24.0, 25.0, 30.0, 59.94, 120.0}) {
      const Resampling rate = {fps, 0.0083333};
      int64_t count = 0;
      while (IsWithin(rate, count, frames)) ++count;
      EXPECT_EQ(ResampledFrames(rate, frames, 1000), count);
      EXPECT_EQ(ResampledFrames(rate, frames, count), count);
      EXPECT_EQ(ResampledFrames(rate, frames, count - 1), std::nullopt);
    }
  }
}

TEST(Frames, Ranges) {
  const struct {
    FrameRange range;
    std::vector<int> rows;
  } kCases[] = {
      {{0, 0, 0}, {0, 1, 2, 3, 4, 5, 6}},
      {{2, 0, 1}, {2, 3, 4, 5, 6}},
      {{0, 3, 1}, {0, 1, 2}},
      {{0, 100, 1}, {0, 1, 2, 3, 4, 5, 6}},
      {{1, 6, 2}, {1, 3, 5}},
      {{1, 7, 5}, {1, 6}},
      {{1, 6, 5}, {1}},
      {{6, 0, 1}, {6}},
      {{0, 0, 1000}, {0}},
  };
  const Clip clip = CountingClip(SmallLeg(0).skeleton, 7);
  for (const auto& c : kCases) {
    ClipEdits edits;
    edits.frames = c.range;
    const Clip after = Edited(edits, clip);
    ASSERT_EQ(after.motion.frames, static_cast<int64_t>(c.rows.size()));
    for (size_t i = 0; i < c.rows.size(); ++i) {
      EXPECT_EQ(RowOf(after, i), RowOf(clip, static_cast<size_t>(c.rows[i])));
    }
    const auto step = static_cast<double>(std::max<int64_t>(1, c.range.step));
    EXPECT_EQ(after.motion.frame_time, clip.motion.frame_time * step);
  }
}

// The range comes first: times count from its first frame.
TEST(Frames, ComeBeforeResampling) {
  ClipEdits both = Rate(50);
  both.frames = {3, 20, 2};
  ClipEdits range;
  range.frames = both.frames;
  const Clip clip = RandomClip({}, 30, 11);
  ExpectSameClip(Edited(both, clip), Edited(Rate(50), Edited(range, clip)));
}

}  // namespace
}  // namespace bvhmill::testing
