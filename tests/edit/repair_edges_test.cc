// Repairs that are just made, or just not made.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "bvhmill/edit/repair.h"
#include "tests/edit/repair_clips.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A spike by the rule DATA_SPIKE, in one frame.
struct SpikeCase {
  const char* name;
  int64_t frames;
  double frame_time;
  std::function<void(Clip*)> change;
  std::vector<std::string> issues;
};

void TurnKnee(float degrees_a_frame, Clip* clip) {
  for (int64_t t = 0; t < clip->motion.frames; ++t) {
    At(clip, t, kKnee) = degrees_a_frame * static_cast<float>(t);
    At(clip, t, kKnee + 1) = At(clip, t, kKnee + 2) = 0;
  }
}

// Spikes of joints that are calm, or that turn.
std::vector<SpikeCase> SpikesOfJoints() {
  return {
      {"a slow spike of a calm joint",
       300,
       1.0 / 30,
       [](Clip* c) { At(c, 150, kKnee) += 20; },
       {"REPAIR_SPIKE_REPLACED@1:150 x1"}},
      {"slow spikes side by side: the joint is not calm",
       300,
       1.0 / 30,
       [](Clip* c) {
         At(c, 148, kKnee) += 15;
         At(c, 150, kKnee) += 20;
       },
       {}},
      {"half a turn for one frame",
       300,
       1.0 / 60,
       [](Clip* c) {
         for (int64_t t = 50; t < 250; t += 25) At(c, t, kKnee) += 180;
       },
       {"REPAIR_SPIKE_REPLACED@1:50 to 225 x8"}},
      {"a spike on a fast turn",
       60,
       1.0 / 120,
       [](Clip* c) {
         TurnKnee(30, c);
         At(c, 25, kKnee) += 20;
       },
       {"REPAIR_SPIKE_REPLACED@1:25 x1"}},
      {"a spike on a turn that is restless",
       60,
       1.0 / 120,
       [](Clip* c) {
         TurnKnee(15, c);
         At(c, 23, kKnee) += 5.6F;
         At(c, 25, kKnee) += 20;
       },
       {}},
  };
}

// The knee swings up to frame 134 and moves slowly after that, with a spike.
void SpikeWhereItIsCalm(float degrees, Clip* clip) {
  TurnKnee(0.05F, clip);
  for (int64_t t = 0; t < 135; ++t) {
    At(clip, t, kKnee) += 24 * std::sin(0.41888F * static_cast<float>(t));
  }
  At(clip, 220, kKnee) += degrees;
}

// Spikes that are compared with the frames near by, and poses that stand first.
std::vector<SpikeCase> SpikesOfPlaces() {
  return {
      {"a spike where the joint is calm",
       300,
       1.0 / 30,
       [](Clip* c) { SpikeWhereItIsCalm(9.5F, c); },
       {"REPAIR_SPIKE_REPLACED@1:220 x1"}},
      {"a smaller spike where the joint is calm",
       300,
       1.0 / 30,
       [](Clip* c) { SpikeWhereItIsCalm(8.5F, c); },
       {}},
      {"such a spike at 24 frames a second",
       300,
       1.0 / 24,
       [](Clip* c) { SpikeWhereItIsCalm(11.5F, c); },
       {}},
      {"the second frame of a fast turn",
       60,
       1.0 / 60,
       [](Clip* c) {
         TurnKnee(3, c);
         At(c, 2, kKnee) += 12;
       },
       {"REPAIR_SPIKE_REPLACED@1:2 x1"}},
      {"the second frame after a pose that stands first",
       60,
       1.0 / 60,
       [](Clip* c) {
         TurnKnee(0, c);
         At(c, 0, kKnee) = -85;
         At(c, 1, kKnee) = -37;
         At(c, 3, kKnee) = 5;
         for (int64_t t = 4; t < 60; ++t) At(c, t, kKnee) = -1;
       },
       {}},
  };
}

std::vector<SpikeCase> SpikesOfRates() {
  return {
      {"two spikes with a frame between them",
       60,
       1.0 / 120,
       [](Clip* c) {
         At(c, 25, kKnee) += 60;
         At(c, 27, kKnee) += 60;
       },
       {"REPAIR_SPIKE_REPLACED@1:25 to 27 x2"}},
      {"a rate that is too slow counts as 30 frames a second",
       60,
       1,
       [](Clip* c) { At(c, 25, kHipX) += 2; },
       {"REPAIR_SPIKE_REPLACED@0:25 x1"}},
      // Twelve frames that stand are a still, not frames that repeat.
      {"a still of a tenth of a second of a rounded rate",
       100,
       0.008333,
       [](Clip* c) {
         for (int64_t t = 70; t < 82; ++t) {
           for (size_t k = 0; k < 12; ++k) At(c, t, k) = At(c, 69, k);
         }
         At(c, 25, kKnee) += 40;
       },
       {"REPAIR_SPIKE_REPLACED@1:25 x1"}},
  };
}

TEST(RepairEdges, SpikesAreThoseOfTheRule) {
  std::vector<SpikeCase> cases = SpikesOfJoints();
  for (SpikeCase& c : SpikesOfPlaces()) cases.push_back(std::move(c));
  for (SpikeCase& c : SpikesOfRates()) cases.push_back(std::move(c));
  for (const SpikeCase& c : cases) {
    Clip clip = SwingingLeg(c.frames);
    clip.motion.frame_time = c.frame_time;
    c.change(&clip);
    EXPECT_EQ(Repaired({.replace_spikes = true}, &clip), c.issues) << c.name;
  }
}

// Fewer than eight frames are poses rather than a motion.
TEST(RepairEdges, PosesHaveNoSpikes) {
  for (const int64_t frames : {3, 7, 8}) {
    Clip clip = SwingingLeg(frames);
    clip.motion.frame_time = 1.0 / 30;
    At(&clip, 1, kKnee) += 70;
    EXPECT_EQ(Repaired({.replace_spikes = true}, &clip).size(),
              frames < 8 ? 0 : 1)
        << frames;
  }
}

TEST(RepairEdges, FourPosesAreAPatternIfNoneStandsLonger) {
  const struct {
    int64_t poses;
    int64_t last;
    bool is_pattern;
  } kCases[] = {{4, 2, true}, {3, 2, false}, {9, 2, true}, {9, 3, false}};
  for (const auto& c : kCases) {
    Clip clip = Repeating(SwingingLeg(c.poses), 2, 2, c.last);
    const int64_t frames = clip.motion.frames;
    Repaired({.drop_repeated = true}, &clip);
    EXPECT_EQ(clip.motion.frames, c.is_pattern ? c.poses : frames)
        << c.poses << " poses";
  }
}

// Also if the gap of the position comes after that of the rotation.
TEST(RepairEdges, TheFramesOfBothKindsAreStatedInAnyOrder) {
  Clip clip = SwingingLeg(60);
  At(&clip, 5, 3) = kNan;
  for (int64_t t = 50; t < 53; ++t) At(&clip, t, kHipX) = kNan;
  IssueLog log({});
  ASSERT_TRUE(RepairClip({.fill_gaps = 3}, {}, nullptr, &clip, &log).ok());
  const Report report = log.Finish(true, true);
  ASSERT_EQ(report.issues.size(), 1u);
  EXPECT_EQ(report.issues[0].location.frame, 5);
  EXPECT_EQ(report.issues[0].location.last_frame, 52);
}

// Rows without any values are gaps of both kinds, and one fault.
TEST(RepairEdges, FramesOfBothKindsCountOnce) {
  Clip clip = SwingingLeg(60);
  for (int64_t t = 20; t < 23; ++t) {
    for (size_t c = 0; c < kKnee; ++c) At(&clip, t, c) = kNan;
  }
  for (int64_t t = 40; t < 42; ++t) At(&clip, t, kHipX) = kNan;
  for (int64_t t = 41; t < 44; ++t) At(&clip, t, 3) = kNan;
  At(&clip, 44, kHipX) = kNan;
  IssueLog log({});
  ASSERT_TRUE(RepairClip({.fill_gaps = 3}, {}, nullptr, &clip, &log).ok());
  const Report report = log.Finish(true, true);
  ASSERT_EQ(report.issues.size(), 1u);
  // 20 to 22; 40 to 43; 44.
  EXPECT_EQ(report.issues[0].message,
            "the position and rotation of 'Hips' was interpolated in 8 frames, "
            "in 3 gaps");
  EXPECT_EQ(report.issues[0].occurrences, 3);
  EXPECT_EQ(report.issues[0].location.frame, 20);
  EXPECT_EQ(report.issues[0].location.last_frame, 44);
}

TEST(RepairEdges, ASpikeOfBothKindsIsOneFrame) {
  Clip clip = SwingingLeg(60);
  At(&clip, 25, kHipX) += 50;
  At(&clip, 25, 3) += 40;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip),
              ElementsAre("REPAIR_SPIKE_REPLACED@0:25 x1"));
}

TEST(RepairEdges, AFaultIsOneByTheThresholdsInForce) {
  const auto changes = [](std::vector<ThresholdChoice> choices) {
    Clip clip = SwingingLeg(60);
    At(&clip, 25, kKnee) += 40;
    clip.motion.frame_time = 0.033;
    return Repaired({.snap_rate = true, .replace_spikes = true}, &clip,
                    Thresholds(choices))
        .size();
  };
  EXPECT_EQ(changes({}), 2u);
  EXPECT_EQ(changes({{"DATA_SPIKE", "degrees", 60},
                     {"DATA_SPIKE", "calm_degrees", 60},
                     {"DATA_SPIKE", "local_degrees", 60}}),
            1u);
  EXPECT_EQ(changes({{"DATA_FRAME_TIME_ODD", "difference", 0.001}}), 1u);
}

// Their channels move nothing. A gap in them is filled all the same, since a
// value that is not finite is a fault of the file.
TEST(RepairEdges, EndSitesHaveGapsButNoSpikesAndNoWraps) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "zxy");
  builder.EndSite(hips, "", {0, 1, 0}, "XYZzxy");
  Clip clip = CountingClip(builder.Build(), 60);
  clip.motion.frame_time = 1.0 / 120;
  std::fill(clip.motion.values.begin(), clip.motion.values.end(), 0.0F);
  for (int64_t t = 0; t < 60; ++t) {
    At(&clip, t, 0) = static_cast<float>(t);
    At(&clip, t, 6) = t < 40 ? 179.0F : -179.0F;
  }
  At(&clip, 25, 3) = 9;
  At(&clip, 30, 7) = 60;
  const Clip before = clip;
  EXPECT_THAT(Repaired({.replace_spikes = true, .unwrap = true}, &clip),
              IsEmpty());
  ExpectSameClip(clip, before);
  At(&clip, 10, 4) = kNan;
  EXPECT_THAT(Repaired({.fill_gaps = 1}, &clip),
              ElementsAre("REPAIR_GAP_FILLED@1:10 x1"));
  ExpectSameClip(clip, before);
}

// The way between the poses would give another angle.
TEST(RepairEdges, AnAngleBesideOthersTakesItsOwnWay) {
  Clip clip = SwingingLeg(3);
  const float rows[3][3] = {{0, 0, 0}, {85, kNan, 0}, {170, 40, 0}};
  for (int64_t t = 0; t < 3; ++t) {
    for (size_t k = 0; k < 3; ++k) At(&clip, t, kKnee + k) = rows[t][k];
  }
  EXPECT_THAT(Repaired({.fill_gaps = 1}, &clip),
              ElementsAre("REPAIR_GAP_FILLED@1:1 x1"));
  EXPECT_FLOAT_EQ(At(&clip, 1, kKnee), 85);
  EXPECT_FLOAT_EQ(At(&clip, 1, kKnee + 1), 20);
}

// Each frame is a new pose there.
TEST(RepairEdges, NoSpikesAreReplacedWherePosesRepeat) {
  Clip clip = SwingingLeg(60);
  for (int64_t t = 30; t < 60; t += 2) {
    for (size_t c = 0; c < 12; ++c) At(&clip, t, c) = At(&clip, t - 1, c);
  }
  At(&clip, 15, kKnee) += 40;
  const Clip before = clip;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip), IsEmpty());
  ExpectSameClip(clip, before);
}

// The rows that repeat lack a value.
TEST(RepairEdges, NoSpikesAreReplacedWherePosesThatLackValuesRepeat) {
  Clip clip = SwingingLeg(60);
  for (int64_t t = 30; t < 60; t += 2) {
    At(&clip, t - 1, kFoot) = kNan;
    for (size_t c = 0; c < 12; ++c) At(&clip, t, c) = At(&clip, t - 1, c);
  }
  At(&clip, 15, kKnee) += 40;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip), IsEmpty());
}

// Poses stand long enough to be taken for stills.
TEST(RepairEdges, NoSpikesAreReplacedWherePosesStandLong) {
  Clip clip = Repeating(SwingingLeg(60), 8, 8, 8);
  clip.motion.frame_time = 1.0 / 60;
  At(&clip, 100, kKnee) += 40;
  const Clip before = clip;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip), IsEmpty());
  ExpectSameClip(clip, before);
}

// A figure of no size has no share of it.
TEST(RepairEdges, PositionsWithoutASizeHaveNoSpikes) {
  SkeletonBuilder builder;
  builder.Root("Hips", "XYZ");
  Clip clip = CountingClip(builder.Build(), 60);
  At(&clip, 25, 0) += 1e6F;
  const Clip before = clip;
  EXPECT_THAT(Repaired({.replace_spikes = true}, &clip), IsEmpty());
  ExpectSameClip(clip, before);
}

TEST(RepairEdges, TheMemoryIsGivenBack) {
  Clip clip = SwingingLeg(200);
  At(&clip, 20, kKnee) = kNan;
  At(&clip, 90, kKnee) += 40;
  Budget budget;
  IssueLog log({});
  ASSERT_TRUE(
      RepairClip({true, true, 9, true, true}, {}, &budget, &clip, &log).ok());
  EXPECT_EQ(log.Finish(true, true).issues.size(), 2u);
  EXPECT_EQ(budget.held(), 0);
}

}  // namespace
}  // namespace bvhmill::testing
