// Each repair on a clip with a fault that the test puts in, at a known frame
// and joint; all else must stay the same, bit for bit.

#include "bvhmill/edit/repair.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/edit/repair_clips.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Expects that `clip` is `expected` within `tolerance` in `changed` frames and
// columns, and is the same elsewhere.
void ExpectRepaired(const Clip& clip, const Clip& expected, float tolerance,
                    const std::function<bool(int64_t, size_t)>& changed) {
  const size_t width = clip.skeleton.channels.size();
  ASSERT_EQ(clip.motion.frames, expected.motion.frames);
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    const auto frame = static_cast<int64_t>(i / width);
    const float got = clip.motion.values[i];
    const float want = expected.motion.values[i];
    if (changed(frame, i % width)) {
      EXPECT_TRUE(std::abs(got - want) <= tolerance)
          << frame << " " << i % width << ": " << got << " " << want;
    } else {
      EXPECT_EQ(got, want) << frame << " " << i % width;
    }
  }
}

bool IsKnee(size_t column) { return column >= kKnee && column < kFoot; }

TEST(RepairTest, NothingIsRepairedUnlessItIsAsked) {
  Clip clip = SwingingLeg(50);
  At(&clip, 20, kKnee) = kNan;
  At(&clip, 30, kFoot) += 90;
  clip.motion.frame_time = 0.033;
  Clip same = clip;
  EXPECT_THAT(Repaired({}, &same), IsEmpty());
  ExpectSameClip(same, clip);
}

TEST(RepairTest, ACleanClipStaysTheSame) {
  const Clip clip = SwingingLeg(200);
  Clip same = clip;
  EXPECT_THAT(Repaired({true, true, 9, true, true}, &same), IsEmpty());
  ExpectSameClip(same, clip);
}

// The knee turns on, over several turns; the file has it within 180 degrees.
TEST(RepairTest, AnglesThatWrapGoOn) {
  Clip expected = SwingingLeg(400);
  for (int64_t t = 0; t < 400; ++t) {
    At(&expected, t, kKnee) = static_cast<float>(3 * t);
    At(&expected, t, kKnee + 1) = 0;
    At(&expected, t, kKnee + 2) = 0;
  }
  Clip clip = expected;
  for (int64_t t = 0; t < 400; ++t) {
    float& angle = At(&clip, t, kKnee);
    angle = std::remainder(angle, 360.0F);
  }
  EXPECT_THAT(Repaired({.unwrap = true}, &clip),
              ElementsAre("REPAIR_UNWRAPPED@1:61 to 399 x1"));
  ExpectRepaired(clip, expected, 1e-3F,
                 [](int64_t t, size_t c) { return c == kKnee && t > 60; });
}

// The largest numbers of a file are no turns that can be counted.
TEST(RepairTest, HugeAnglesStay) {
  Clip clip = SwingingLeg(4);
  const float angles[] = {0, 3e38F, -3e38F, 0};
  for (int64_t t = 0; t < 4; ++t) At(&clip, t, kKnee) = angles[t];
  const Clip before = clip;
  EXPECT_THAT(Repaired({.unwrap = true}, &clip), IsEmpty());
  ExpectSameClip(clip, before);
}

// The angle that is left of a row goes on as the rows around it.
TEST(RepairTest, AnglesBesideAGapGoOn) {
  Clip clip = SwingingLeg(4);
  const float angles[] = {178, -179, -178, -177};
  for (int64_t t = 0; t < 4; ++t) {
    At(&clip, t, kKnee) = angles[t];
    At(&clip, t, kKnee + 1) = At(&clip, t, kKnee + 2) = 0;
  }
  At(&clip, 2, kKnee + 1) = kNan;
  EXPECT_THAT(Repaired({.unwrap = true}, &clip),
              ElementsAre("REPAIR_UNWRAPPED@1:1 to 3 x1"));
  for (int64_t t = 1; t < 4; ++t) {
    EXPECT_EQ(At(&clip, t, kKnee), static_cast<float>(180 + t));
  }
}

// A wheel turns for minutes: its angle begins again before single precision
// would change the pose.
TEST(RepairTest, AWheelKeepsItsPoses) {
  Clip clip = SwingingLeg(20'000);
  for (int64_t t = 0; t < 20'000; ++t) {
    At(&clip, t, kKnee) =
        static_cast<float>(std::remainder(30.0 * static_cast<double>(t), 360));
    At(&clip, t, kKnee + 1) = At(&clip, t, kKnee + 2) = 0;
  }
  const Clip before = clip;
  Repaired({.unwrap = true}, &clip);
  for (int64_t t = 0; t < 20'000; ++t) {
    const double was =
        before.motion.values[static_cast<size_t>(t) * 12 + kKnee];
    const double off = std::remainder(At(&clip, t, kKnee) - was, 360.0);
    EXPECT_TRUE(std::abs(off) <= 0.002) << t << " " << off;
  }
}

// A joint next to a gap is not known to be elsewhere.
TEST(RepairTest, ASpikeBesideAGapStays) {
  Clip clip = SwingingLeg(60);
  for (size_t c = kKnee; c < kFoot; ++c) At(&clip, 24, c) = kNan;
  At(&clip, 25, kKnee) += 60;
  const Clip before = clip;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip), IsEmpty());
  ExpectSameClip(clip, before);
}

// A still at the end says nothing of the motion before.
TEST(RepairTest, ASpikeBeforeAStillIsReplaced) {
  Clip clip = SwingingLeg(100);
  for (int64_t t = 70; t < 100; ++t) {
    for (size_t c = 0; c < 12; ++c) At(&clip, t, c) = At(&clip, 69, c);
  }
  At(&clip, 25, kKnee) += 40;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip),
              ElementsAre("REPAIR_SPIKE_REPLACED@1:25 x1"));
}

// The log keeps one issue for a joint: it states both kinds, and all frames.
TEST(RepairTest, PositionAndRotationOfOneJointAreOneIssue) {
  Clip clip = SwingingLeg(60);
  At(&clip, 5, kHipX) = kNan;
  for (int64_t t = 50; t < 53; ++t) At(&clip, t, 3) = kNan;
  IssueLog log({});
  ASSERT_TRUE(RepairClip({.fill_gaps = 3}, {}, nullptr, &clip, &log).ok());
  const Report report = log.Finish(true, true);
  ASSERT_EQ(report.issues.size(), 1u);
  EXPECT_EQ(report.issues[0].location.frame, 5);
  EXPECT_EQ(report.issues[0].location.last_frame, 52);
  EXPECT_EQ(report.issues[0].occurrences, 2);
  EXPECT_THAT(report.issues[0].message,
              ::testing::HasSubstr("position and rotation of 'Hips' was "
                                   "interpolated in 4 frames, in 2 gaps"));
}

// A frame without numbers in between must not hide the wrap.
TEST(RepairTest, AnglesWrapAcrossAGap) {
  Clip clip = SwingingLeg(4);
  const float angles[] = {178, kNan, -179, -178};
  for (int64_t t = 0; t < 4; ++t) {
    At(&clip, t, kKnee) = angles[t];
    At(&clip, t, kKnee + 1) = At(&clip, t, kKnee + 2) = 0;
  }
  EXPECT_THAT(Repaired({.unwrap = true}, &clip),
              ElementsAre("REPAIR_UNWRAPPED@1:2 to 3 x1"));
  EXPECT_EQ(At(&clip, 2, kKnee), 181);
  EXPECT_EQ(At(&clip, 3, kKnee), 182);
  EXPECT_TRUE(std::isnan(At(&clip, 1, kKnee)));
}

// A real turn by 200 degrees in a frame is no wrap: the pose says so.
TEST(RepairTest, AFastTurnIsNoWrap) {
  Clip clip = SwingingLeg(3);
  const float angles[] = {-100, 100, 110};
  for (int64_t t = 0; t < 3; ++t) {
    At(&clip, t, kKnee) = angles[t];
    At(&clip, t, kKnee + 1) = At(&clip, t, kKnee + 2) = 0;
  }
  const Clip before = clip;
  EXPECT_THAT(Repaired({.unwrap = true}, &clip), IsEmpty());
  ExpectSameClip(clip, before);
}

TEST(RepairTest, ASpikeOfARotationGetsThePoseBetween) {
  const Clip expected = SwingingLeg(60);
  Clip clip = expected;
  At(&clip, 25, kKnee) += 40;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip),
              ElementsAre("REPAIR_SPIKE_REPLACED@1:25 x1"));
  ExpectRepaired(clip, expected, 0.02F,
                 [](int64_t t, size_t c) { return t == 25 && IsKnee(c); });
}

TEST(RepairTest, ASpikeOfAPositionLeavesTheAngles) {
  const Clip expected = SwingingLeg(60);
  Clip clip = expected;
  At(&clip, 25, kHipX) += 50;
  At(&clip, 40, kHipX) -= 50;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip),
              ElementsAre("REPAIR_SPIKE_REPLACED@0:25 to 40 x2"));
  ExpectRepaired(clip, expected, 0.001F, [](int64_t t, size_t c) {
    return (t == 25 || t == 40) && c < 3;
  });
}

// A joint that jumps and stays is no spike.
TEST(RepairTest, AJumpIsNoSpike) {
  Clip clip = SwingingLeg(60);
  for (int64_t t = 30; t < 60; ++t) At(&clip, t, kKnee) += 40;
  const Clip before = clip;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip), IsEmpty());
  ExpectSameClip(clip, before);
}

TEST(RepairTest, GapsUpToTheLengthAreFilled) {
  const Clip expected = SwingingLeg(60);
  Clip clip = expected;
  for (size_t c = kKnee; c < kFoot; ++c) {
    for (const int64_t t : {0, 20, 21, 22, 40, 41, 42, 43, 59}) {
      At(&clip, t, c) = kNan;
    }
  }
  EXPECT_THAT(Repaired({.fill_gaps = 3}, &clip),
              ElementsAre("REPAIR_GAP_LEFT@1:0 to 59 x3",
                          "REPAIR_GAP_FILLED@1:20 to 22 x1"));
  for (const int64_t t : {0, 40, 43, 59}) {
    EXPECT_TRUE(std::isnan(At(&clip, t, kKnee))) << t;
  }
  for (const int64_t t : {20, 21, 22}) {
    EXPECT_NEAR(At(&clip, t, kKnee), At(&clip, t - 1, kKnee), 1);
    const Clip& want = expected;
    EXPECT_NEAR(At(&clip, t, kKnee),
                want.motion.values[static_cast<size_t>(t) * 12 + kKnee], 0.05);
  }
}

TEST(RepairTest, AGapOfOneAngleKeepsTheOthers) {
  const Clip expected = SwingingLeg(60);
  Clip clip = expected;
  At(&clip, 20, kKnee + 1) = std::numeric_limits<float>::infinity();
  EXPECT_THAT(Repaired({.fill_gaps = 1}, &clip),
              ElementsAre("REPAIR_GAP_FILLED@1:20 x1"));
  ExpectRepaired(clip, expected, 0.02F,
                 [](int64_t t, size_t c) { return t == 20 && c == kKnee + 1; });
}

TEST(RepairTest, RepeatedFramesAreDropped) {
  struct Row {
    int64_t stride, first, last;
  };
  for (const Row& row :
       {Row{2, 2, 2}, Row{2, 1, 1}, Row{5, 3, 1}, Row{20, 20, 20}}) {
    SCOPED_TRACE(row.stride);
    Clip expected = SwingingLeg(9);
    Clip clip = Repeating(expected, row.stride, row.first, row.last);
    clip.motion.frame_time = 0.01;
    EXPECT_THAT(Repaired({.drop_repeated = true}, &clip),
                ElementsAre("REPAIR_FRAMES_DROPPED x1"));
    expected.motion.frame_time = 0.01 * static_cast<double>(row.stride);
    ExpectSameClip(clip, expected);
  }
}

TEST(RepairTest, RepeatedFramesThatLackValuesAreDropped) {
  Clip expected = SwingingLeg(9);
  At(&expected, 4, kKnee) = kNan;
  Clip clip = Repeating(expected, 3, 3, 3);
  EXPECT_THAT(Repaired({.drop_repeated = true}, &clip),
              ElementsAre("REPAIR_FRAMES_DROPPED x1"));
  expected.motion.frame_time *= 3;
  ExpectSameClip(clip, expected);
}

// A pose is never lost: one that stands longer or shorter than the others says
// that there is no pattern.
TEST(RepairTest, AnotherPatternOfRepeatsStays) {
  const Clip poses = SwingingLeg(9);
  Clip held = Repeating(poses, 1, 1, 4);
  Clip mixed = Repeating(poses, 2, 2, 2);
  const size_t width = mixed.skeleton.channels.size();
  mixed.motion.values.resize(mixed.motion.values.size() - width);
  At(&mixed, 8, kKnee) += 1;
  --mixed.motion.frames;
  Clip few = Repeating(SwingingLeg(3), 2, 2, 2);
  for (Clip* clip : {&held, &few}) {
    const Clip before = *clip;
    EXPECT_THAT(Repaired({.drop_repeated = true}, clip), IsEmpty());
    ExpectSameClip(*clip, before);
  }
  const Clip before = mixed;
  EXPECT_THAT(Repaired({.drop_repeated = true}, &mixed),
              ElementsAre("REPAIR_REPEATS_LEFT x1"));
  ExpectSameClip(mixed, before);
}

// 24 frames a second written as 30, and as 60.
TEST(RepairTest, RepeatedFramesThatAreLeftAreNamed) {
  const Clip poses = SwingingLeg(200);
  const size_t width = poses.skeleton.channels.size();
  for (const auto& [kept, of] : {std::pair(4, 5), std::pair(2, 5)}) {
    Clip clip = poses;
    for (int64_t t = 0; t < clip.motion.frames; ++t) {
      std::copy_n(
          poses.motion.values.begin() +
              static_cast<ptrdiff_t>(width) * (t * kept / of),
          width,
          clip.motion.values.begin() + static_cast<ptrdiff_t>(width) * t);
    }
    const Clip before = clip;
    EXPECT_THAT(Repaired({.drop_repeated = true}, &clip),
                ElementsAre("REPAIR_REPEATS_LEFT x1"));
    ExpectSameClip(clip, before);
  }
}

// Faults after dropped frames are placed in the frames of the source.
// The pattern does not count a first pose that stands shorter.
TEST(RepairTest, PlacesAreThoseOfTheSource) {
  const struct {
    int64_t first;
    const char* spike;
  } kCases[] = {{3, "REPAIR_SPIKE_REPLACED@1:75 x1"},
                {1, "REPAIR_SPIKE_REPLACED@1:73 x1"}};
  for (const auto& c : kCases) {
    Clip poses = SwingingLeg(60);
    At(&poses, 25, kKnee) += 40;
    Clip clip = Repeating(poses, 3, c.first, 3);
    EXPECT_THAT(
        Repaired({.drop_repeated = true, .replace_spikes = true}, &clip),
        ElementsAre("REPAIR_FRAMES_DROPPED x1", c.spike));
  }
}

TEST(RepairTest, FrameTimesAreSnapped) {
  struct Row {
    double time;
    double snapped;
  };
  const Row rows[] = {{0.033, 1.0 / 30},
                      {0.0333333, 1.0 / 30},
                      {0.0083, 1.0 / 120},
                      {0.03337, 1.001 / 30},
                      {0.041708, 1 / (24 / 1.001)},
                      // The digits of whole rates, rounded.
                      {0.0167, 1.0 / 60},
                      {0.0417, 1.0 / 24},
                      {0.0042, 1.0 / 240},
                      {0.016667, 1.0 / 60},
                      {0.016683, 1.001 / 60},
                      {0.01668, 1.001 / 60},
                      {1.0 / 60, 1.0 / 60},
                      {0.029167, 0.029167},
                      {0, 0},
                      {-1, -1}};
  for (const Row& row : rows) {
    Clip clip = SwingingLeg(3);
    clip.motion.frame_time = row.time;
    const auto changes = Repaired({.snap_rate = true}, &clip);
    EXPECT_EQ(clip.motion.frame_time, row.snapped) << row.time;
    EXPECT_EQ(changes.size(), row.time == row.snapped ? 0 : 1) << row.time;
  }
}

TEST(RepairTest, ARateOfFilmsIsStatedWithItsDigits) {
  Clip clip = SwingingLeg(3);
  clip.motion.frame_time = 0.041708;
  IssueLog log({});
  ASSERT_TRUE(RepairClip({.snap_rate = true}, {}, nullptr, &clip, &log).ok());
  const Report report = log.Finish(true, true);
  ASSERT_EQ(report.issues.size(), 1u);
  EXPECT_EQ(report.issues[0].message,
            "the frame time 0.041708 was snapped to 23.976 frames a second");
}

TEST(RepairTest, MemoryAndWorkAreDrawn) {
  Clip clip = SwingingLeg(10'000);
  Limits limits;
  limits.max_clip_memory_bytes = 100'000;
  Budget budget(limits, nullptr);
  IssueLog log({});
  const absl::Status status =
      RepairClip({.replace_spikes = true}, {}, &budget, &clip, &log);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace bvhmill::testing
