// Poses between frames, new rates, ranges of frames.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "bvhmill/base/status.h"
#include "bvhmill/edit/joint_pose.h"
#include "bvhmill/math/euler.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

std::vector<float> PoseAt(const Clip& clip, double place,
                          Interpolation interpolation) {
  std::vector<float> out(clip.skeleton.channels.size());
  SamplePose(clip.skeleton, clip.motion.values, clip.motion.frames, place,
             interpolation, out);
  return out;
}

std::vector<float> RowOf(const Clip& clip, size_t frame) {
  const size_t columns = clip.skeleton.channels.size();
  const auto begin =
      clip.motion.values.begin() + static_cast<std::ptrdiff_t>(frame * columns);
  return {begin, begin + static_cast<std::ptrdiff_t>(columns)};
}

constexpr Interpolation kBoth[] = {Interpolation::kSlerp, Interpolation::kLerp};

TEST(SamplePose, FramesAreThemselvesAndEndsHold) {
  const Clip clip = RandomClip({}, 5, 1);
  for (const Interpolation how : kBoth) {
    for (size_t frame = 0; frame < 5; ++frame) {
      const auto place = static_cast<double>(frame);
      EXPECT_EQ(PoseAt(clip, place, how), RowOf(clip, frame));
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
  const float values[] = {0,  10, -4, 170,  350, 10, 1,
                          10, 10, 4,  -170, 10,  30, 2};
  clip.motion.values.assign(std::begin(values), std::end(values));
  EXPECT_EQ(PoseAt(clip, 0.25, Interpolation::kLerp),
            (std::vector<float>{2.5, 10, -2, 175, 355, 15, 1.25}));
}

// Along the way the joint turns about one axis, evenly.
void ExpectEvenTurn(const char* order, const EulerAngles& from,
                    const EulerAngles& to) {
  SkeletonBuilder builder;
  builder.Root("Hips", order);
  Clip clip = CountingClip(builder.Build(), 2);
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
    EXPECT_EQ(PoseAt(clip, 0.3, how), first);
  }
}

ClipEdits Rate(double fps, Interpolation how = Interpolation::kSlerp) {
  ClipEdits edits;
  edits.fps = fps;
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
    for (const double fps : {7.0, 60.0, 119.0, 240.0, 1000.0}) {
      const Clip clip = RandomClip({}, 40, 7);
      const Clip after = Edited(Rate(fps, how), clip);
      EXPECT_EQ(after.motion.frame_time, 1 / fps);
      for (size_t k = 0; k < static_cast<size_t>(after.motion.frames); ++k) {
        const double place = static_cast<double>(k) * 120 / fps;
        ASSERT_EQ(RowOf(after, k), PoseAt(clip, place, how)) << fps << " " << k;
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

// Frame k of the result is at frame k * from / to of the source. The rates are
// those that people mean by the frame times and rates that they write.
struct RateCase {
  double frame_time;
  double fps;
  int64_t from;
  int64_t to;
  int64_t frames;
  double new_frame_time;
};

constexpr RateCase kRateCases[] = {
    {0.0083333, 30, 4, 1, 121, 1.0 / 30},
    {0.008333, 30, 4, 1, 5204, 1.0 / 30},
    {0.0083, 60, 2, 1, 1001, 1.0 / 60},
    {0.0083333, 23.976, 1001, 200, 2003, 1.001 / 24},
    {0.0333333, 60, 1, 2, 1301, 1.0 / 60},
    {0.033333, 60, 1, 2, 1301, 1.0 / 60},
    {0.0333, 60, 1, 2, 1301, 1.0 / 60},
    {0.0333, 30, 1, 1, 1301, 1.0 / 30},
    // As float, and cut instead of rounded.
    {0.03333333507180214, 120, 1, 4, 301, 1.0 / 120},
    {0.016666, 30, 2, 1, 1001, 1.0 / 30},
    {0.0166667, 24, 5, 2, 61, 1.0 / 24},
    {0.0417, 24, 1, 1, 1301, 1.0 / 24},
    {0.0417, 48, 1, 2, 1301, 1.0 / 48},
    {0.0416667, 60, 2, 5, 1001, 1.0 / 60},
    {0.0416667, 24, 1, 1, 1001, 1.0 / 24},
    {0.0333667, 30, 1000, 1001, 1002, 1.0 / 30},
    {0.0333667, 29.97, 1, 1, 1002, 1.001 / 30},
    {0.0333333, 29.97, 1001, 1000, 1002, 1.001 / 30},
    {0.0333333, 59.94, 1001, 2000, 1002, 1.001 / 60},
    {0.0400000, 12.5, 2, 1, 40, 1 / 12.5},
    // Near 240, but the rounded time of no rate in common use: 1 / 0.004184.
    {0.004184, 240, 3125, 3138, 101, 1.0 / 240},
    {0.004184, 30, 12500, 1569, 12501, 1.0 / 30},
};

TEST(Resample, FramesAtAFrameOfTheSourceAreThatFrame) {
  for (const RateCase& c : kRateCases) {
    SCOPED_TRACE(std::to_string(c.frame_time) + " at " + std::to_string(c.fps));
    Clip clip = CountingClip(SmallLeg(0).skeleton, c.frames);
    clip.motion.frame_time = c.frame_time;
    const Clip after = Edited(Rate(c.fps), clip);
    EXPECT_DOUBLE_EQ(after.motion.frame_time, c.new_frame_time);
    ASSERT_EQ(after.motion.frames, (c.frames - 1) * c.to / c.from + 1);
    for (int64_t k = 0; k < after.motion.frames; ++k) {
      const auto row = RowOf(after, static_cast<size_t>(k));
      const double place =
          static_cast<double>(k * c.from) / static_cast<double>(c.to);
      const auto expected =
          k * c.from % c.to == 0
              ? RowOf(clip, static_cast<size_t>(k * c.from / c.to))
              : PoseAt(clip, place, Interpolation::kSlerp);
      for (size_t i = 0; i < row.size(); ++i) {
        ASSERT_FLOAT_EQ(row[i], expected[i]) << k;
      }
      if (k * c.from % c.to == 0) {
        ASSERT_EQ(row, expected) << k;
      }
    }
  }
}

// A step of the range divides the rate that the file means.
TEST(Resample, FramesOfARangeAtAFrameOfTheSourceAreThatFrame) {
  Clip clip = CountingClip(SmallLeg(0).skeleton, 4001);
  clip.motion.frame_time = 0.0083333;
  ClipEdits edits = Rate(10);
  edits.frames.step = 3;
  const Clip after = Edited(edits, clip);
  ASSERT_EQ(after.motion.frames, 334);
  for (size_t k = 0; k < 334; ++k) {
    ASSERT_EQ(RowOf(after, k), RowOf(clip, 12 * k));
  }
}

TEST(StateRate, ChangesOnlyTheFrameTime) {
  constexpr double kRates[][2] = {
      {120, 1.0 / 120}, {29.97, 1.001 / 30}, {0.5, 2}, {7, 1.0 / 7}};
  for (const double frame_time : {1.0 / 24, 0.0, -1.0, double{NAN}}) {
    for (const auto& [rate, stated] : kRates) {
      Clip clip = RandomClip({}, 20, 5);
      clip.motion.frame_time = frame_time;
      ClipEdits edits;
      edits.state_fps = rate;
      const Clip after = Edited(edits, clip);
      clip.motion.frame_time = after.motion.frame_time;
      ExpectSameClip(after, clip);
      EXPECT_DOUBLE_EQ(after.motion.frame_time, stated) << rate;
    }
  }
  ClipEdits edits;
  edits.state_fps = 60;
  edits.frames = {0, 0, 2};
  const Clip after = Edited(edits, RandomClip({}, 21, 5));
  EXPECT_EQ(after.motion.frames, 11);
  EXPECT_DOUBLE_EQ(after.motion.frame_time, 1.0 / 60);
}

TEST(StateRate, MustBeARateAndTheOnlyOne) {
  const struct {
    double fps;
    double state_fps;
    const char* message;
  } kCases[] = {
      {1e-320, 0, "fps: is not above 0 with a finite frame time"},
      {0, 1e-320, "state_fps: is not above 0 with a finite frame time"},
      {30, 30, "state_fps: cannot be used together with options.edits.fps"},
  };
  for (const auto& c : kCases) {
    ClipEdits edits = Rate(c.fps);
    edits.state_fps = c.state_fps;
    EXPECT_FALSE(IsEmpty(edits));
    EXPECT_EQ(MessageOf(CheckEdits(edits)),
              std::string("options.edits.") + c.message);
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
      const Resampling rate = ResamplingOf(1 / 0.0084, fps);
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
