// Rules about position channels, and about the skeleton and the ends of a clip:
// where they speak, and where they do not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/validate/rules.h"
#include "tests/support/clips.h"
#include "tests/validate/checked_parts.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kFrames = 40;

// Hips with six channels, a chest, and an arm on it, each with six channels.
// Bones are 10 long. Everything moves.
Clip SixChannelClip() {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int chest = builder.Joint(hips, "Chest", "XYZzxy", {0, 10, 0});
  builder.Joint(hips, "Leg", "XYZzxy", {0, -10, 0});
  builder.EndSite(builder.Joint(chest, "Arm", "XYZzxy", {10, 0, 0}));
  Clip clip = CountingClip(builder.Build(), kFrames);
  clip.motion.frame_time = 1.0 / 30;
  for (int64_t frame = 0; frame < kFrames; ++frame) {
    const auto wave = [&](double hertz) {
      return static_cast<float>(
          std::sin(6.28 * hertz * static_cast<double>(frame) / 30));
    };
    const float row[] = {wave(0.3F), 20,  wave(0.4F), wave(1), wave(0.9), 0,
                         0,          10,  0,          wave(1), wave(2),   0,
                         0,          -10, 0,          wave(1), wave(2),   0,
                         10,         0,   0,          wave(1), wave(2),   0};
    std::copy(std::begin(row), std::end(row),
              clip.motion.values.begin() + frame * 24);
  }
  return clip;
}

// For each channel, 1 if a row differs from the first one.
std::vector<uint8_t> MovingColumns(const Clip& clip) {
  const size_t width = clip.skeleton.channels.size();
  const std::span<const float> values = clip.motion.values;
  std::vector<uint8_t> moving(width);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != values[i % width]) moving[i % width] = 1;
  }
  return moving;
}

using Rule = void (*)(const CheckedClip&, IssueLog*);

// "CODE@joint", and " frame F" if there is one, of the rule's issues.
std::vector<std::string> IssuesBy(Rule rule, const Clip& clip,
                                  const MotionFacts& motion = {},
                                  const Conventions& conventions = {}) {
  CheckedParts parts(clip);
  parts.conventions = conventions;
  const std::vector<uint8_t> moving = MovingColumns(clip);
  parts.motion.moving_columns = moving;
  parts.motion.first_apart = motion.first_apart;
  parts.motion.last_apart = motion.last_apart;
  parts.motion.has_many_repeats = motion.has_many_repeats;
  parts.motion.has_global_positions = motion.has_global_positions;
  parts.motion.non_finite_rows = motion.non_finite_rows;
  IssueLog log({});
  rule(parts.checked(), &log);
  std::vector<std::string> out;
  for (const Issue& issue : log.Finish(true, true).issues) {
    out.push_back(issue.code + "@" +
                  std::to_string(issue.location.joint.value_or(-1)));
    const auto frame = issue.location.frame;
    if (frame) out.back() += " frame " + std::to_string(*frame);
  }
  return out;
}

struct RuleCase {
  const char* name;
  // Changes a value: frame, column, value.
  std::function<float(int64_t, int, float)> change;
  std::vector<std::string> issues;
  bool first_apart = false;
  bool last_apart = false;
};

const RuleCase kPositionCases[] = {
    {"as it is", [](int64_t, int, float x) { return x; }, {}},
    {"an arm that stretches by 6 %",
     [](int64_t t, int c, float x) { return c == 18 && t == 9 ? 10.6F : x; },
     {"DATA_BONE_LENGTH@3 frame 9"}},
    {"an arm that stretches by 4 %",
     [](int64_t t, int c, float x) { return c == 18 && t == 9 ? 10.4F : x; },
     {}},
    {"an arm that turns about the chest and keeps its length",
     [](int64_t t, int c, float x) {
       const double angle = 0.1 * static_cast<double>(t);
       if (c == 18) return static_cast<float>(10 * std::cos(angle));
       return c == 19 ? static_cast<float>(10 * std::sin(angle)) : x;
     },
     {}},
    {"an arm that stretches in the first frame, which stands apart",
     [](int64_t t, int c, float x) { return c == 18 && t == 0 ? 15.0F : x; },
     {},
     true},
    {"an arm that stretches in the last frame, which stands apart",
     [](int64_t t, int c, float x) {
       return c == 18 && t == kFrames - 1 ? 15.0F : x;
     },
     {},
     false,
     true},
    // The reach is 11.1: the bone is a position.
    {"a bone of less than a fiftieth of the reach that stretches",
     [](int64_t t, int c, float x) {
       return c != 18 ? x : t == 9 ? 0.21F : 0.1F;
     },
     {}},
    {"a bone of more than a fiftieth of the reach that stretches",
     [](int64_t t, int c, float x) {
       return c != 18 ? x : t == 9 ? 0.23F : 0.1F;
     },
     {"DATA_BONE_LENGTH@3 frame 9"}},
    {"legs of hips that stand still stretch",
     [](int64_t t, int c, float x) {
       if (c < 6) return 0.0F;
       return c == 13 && t == 9 ? -12.0F : x;
     },
     {}},
    {"a root that stands still",
     [](int64_t, int c, float x) { return c < 3 ? 1.0F : x; },
     {"DATA_ROOT_CONSTANT@0"}},
    {"nothing moves", [](int64_t, int, float) { return 1.0F; }, {}},
    {"a root that moves at 9 reaches a second",
     [](int64_t t, int c, float x) {
       return c == 2 ? 6.0F * static_cast<float>(t) : x;
     },
     {"DATA_ROOT_SCALE@0"}},
    {"a root that moves at 7 reaches a second",
     [](int64_t t, int c, float x) {
       return c == 2 ? 4.6F * static_cast<float>(t) : x;
     },
     {}},
    {"a root that moves far in one of its seven steps",
     [](int64_t t, int c, float x) {
       if (c < 2) return 0.0F;
       if (c > 2) return x;
       return t < 27 ? static_cast<float>(std::max<int64_t>(t - 20, 0)) : 600;
     },
     {"DATA_ROOT_SCALE@0"}},
    {"a root that moves far in one of its six steps",
     [](int64_t t, int c, float x) {
       if (c < 2) return 0.0F;
       if (c > 2) return x;
       return t < 27 ? static_cast<float>(std::max<int64_t>(t - 21, 0)) : 600;
     },
     {}},
    {"a root that moves far in one step",
     [](int64_t t, int c, float x) { return c == 2 && t > 20 ? 600.0F : x; },
     {}},
};

TEST(PositionRules, SpeakWhereTheyShould) {
  for (const RuleCase& c : kPositionCases) {
    Clip clip = SixChannelClip();
    for (int64_t t = 0; t < kFrames; ++t) {
      for (int column = 0; column < 24; ++column) {
        float& value = clip.motion.values[static_cast<size_t>(t * 24 + column)];
        value = c.change(t, column, value);
      }
    }
    MotionFacts motion;
    motion.first_apart = c.first_apart;
    motion.last_apart = c.last_apart;
    EXPECT_EQ(IssuesBy(CheckPositions, clip, motion), c.issues) << c.name;
  }
}

// A root at 9 reaches a second, if the clip had 30 frames a second.
TEST(PositionRules, DoNotJudgeTheSpeedOfARootAtASlowRate) {
  Clip clip = SixChannelClip();
  for (int64_t t = 0; t < kFrames; ++t) {
    clip.motion.values[static_cast<size_t>(t * 24 + 2)] =
        6.0F * static_cast<float>(t);
  }
  MotionFacts motion;
  EXPECT_THAT(IssuesBy(CheckPositions, clip, motion),
              ElementsAre("DATA_ROOT_SCALE@0"));
  clip.motion.frame_time = 0.5;
  EXPECT_THAT(IssuesBy(CheckPositions, clip, motion), IsEmpty());
}

// A root at 5 reaches a second, of which each place stands for two frames.
TEST(PositionRules, DoNotJudgeTheSpeedOfARootWhosePosesStand) {
  Clip clip = SixChannelClip();
  for (int64_t t = 0; t < kFrames; ++t) {
    clip.motion.values[static_cast<size_t>(t * 24 + 2)] =
        3.5F * static_cast<float>(t / 2 * 2);
  }
  MotionFacts motion;
  EXPECT_THAT(IssuesBy(CheckPositions, clip, motion),
              ElementsAre("DATA_ROOT_SCALE@0"));
  motion.has_many_repeats = true;
  EXPECT_THAT(IssuesBy(CheckPositions, clip, motion), IsEmpty());
}

// Places in the world have lengths that are no bones.
TEST(PositionRules, SayNothingOfBonesIfPositionsAreInTheWorld) {
  Clip clip = SixChannelClip();
  clip.motion.values[9 * 24 + 18] = 15;
  MotionFacts motion;
  EXPECT_THAT(IssuesBy(CheckPositions, clip, motion),
              ElementsAre("DATA_BONE_LENGTH@3 frame 9"));
  motion.has_global_positions = true;
  EXPECT_THAT(IssuesBy(CheckPositions, clip, motion), IsEmpty());
}

// The arm is 10 long. Its values stretch it by a half, or by a twentieth of
// that.
TEST(PositionRules, MeasureBonesAsTheCallerStates) {
  const Conventions added = {.joint_positions = JointPositions::kAddToOffset};
  const Conventions ignored = {.joint_positions = JointPositions::kIgnore};
  Clip clip = SixChannelClip();
  clip.motion.values[9 * 24 + 18] = 15;
  EXPECT_THAT(IssuesBy(CheckPositions, clip),
              ElementsAre("DATA_BONE_LENGTH@3 frame 9"));
  EXPECT_THAT(IssuesBy(CheckPositions, clip, {}, ignored), IsEmpty());
  // Small values that are added change no length, but would be bones.
  for (const float most : {0.4F, 1.0F}) {
    for (int64_t t = 0; t < kFrames; ++t) {
      float* row = &clip.motion.values[static_cast<size_t>(t * 24)];
      for (const int column : {6, 12, 18}) {
        std::fill_n(row + column, 3, 0.0F);
      }
      row[18] = t % 2 == 0 ? most : 0.1F;
    }
    EXPECT_EQ(IssuesBy(CheckPositions, clip, {}, added).size(),
              most < 0.5F ? 0 : 1)
        << most;
  }
  clip.motion.values[9 * 24 + 18] = 1.2F;
  EXPECT_THAT(IssuesBy(CheckPositions, clip),
              ElementsAre("DATA_BONE_LENGTH@3 frame 9"));
}

// The arm is a part of a face.
TEST(PositionRules, SayNothingOfAFaceThatMovesByPositions) {
  Clip clip = SixChannelClip();
  clip.motion.values[9 * 24 + 18] = 15;
  EXPECT_THAT(IssuesBy(CheckPositions, clip),
              ElementsAre("DATA_BONE_LENGTH@3 frame 9"));
  clip.skeleton.nodes[1].name = "mixamorig:Head";
  EXPECT_THAT(IssuesBy(CheckPositions, clip), IsEmpty());
}

// A bone is the position in the place of the OFFSET, if that keeps its length.
TEST(ReachOf, IsThatOfPoses) {
  Clip clip = SixChannelClip();
  const auto reach = [&](const Conventions& conventions = {}) {
    return ReachOf(clip.skeleton, conventions, kFrames, clip.motion.values);
  };
  EXPECT_NEAR(reach(), 21, 1e-5);
  // The OFFSET of the arm is 10, too; another one is replaced.
  for (const float offset : {0.0F, 2.0F, 500.0F}) {
    clip.skeleton.nodes[3].offset = {offset, 0, 0};
    EXPECT_NEAR(reach(), 21, 1e-5) << offset;
    EXPECT_NEAR(reach({.joint_positions = JointPositions::kIgnore}),
                11 + offset, 1e-3)
        << offset;
  }
  clip.skeleton.nodes[3].offset = {2, 0, 0};
  EXPECT_NEAR(reach({.joint_positions = JointPositions::kAddToOffset}),
              std::hypot(0, 20) + 12 + 1, 1e-3);
  // Places in the world are no bone.
  for (int64_t t = 0; t < kFrames; ++t) {
    clip.motion.values[static_cast<size_t>(t * 24 + 18)] =
        static_cast<float>(90 + 10 * t);
  }
  EXPECT_NEAR(reach(), 13, 1e-5);
}

// A joint that carries the whole body has no bone above it.
TEST(ReachOf, LeavesOutTheWayOfTheBody) {
  SkeletonBuilder builder;
  const int armature = builder.Root("Armature", "XYZzxy");
  const int hips = builder.Joint(armature, "Hips", "XYZzxy", {0, 700, 0});
  builder.EndSite(builder.Joint(hips, "Leg", "zxy", {0, -10, 0}));
  builder.EndSite(builder.Joint(hips, "Spine", "zxy", {0, 10, 0}));
  const Clip clip = CountingClip(builder.Build(), 9);
  EXPECT_NEAR(ReachOf(clip.skeleton, {}, 9, clip.motion.values), 11, 1e-5);
}

// Arms on a body of 100.
std::vector<std::string> IssuesOfArms(float left, float right = -10) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  builder.EndSite(builder.Joint(hips, "LeftArm", "zxy", {left, 0, 0}));
  builder.EndSite(builder.Joint(hips, "RightArm", "zxy", {right, 0, 0}));
  builder.Joint(hips, "Neck", "zxy", {0, 100, 0});
  return IssuesBy(CheckPoses, CountingClip(builder.Build(), 1));
}

TEST(Asymmetry, IsADifferenceOfMoreThanATenth) {
  EXPECT_THAT(IssuesOfArms(10), IsEmpty());
  EXPECT_THAT(IssuesOfArms(11), IsEmpty());
  EXPECT_THAT(IssuesOfArms(11.2F), ElementsAre("DATA_ASYMMETRY@1"));
  EXPECT_THAT(IssuesOfArms(8.8F), ElementsAre("DATA_ASYMMETRY@1"));
  EXPECT_THAT(IssuesOfArms(-10), IsEmpty());
  // Bones of less than a twentieth of the reach are fingers and toes.
  EXPECT_THAT(IssuesOfArms(4.9F, 3), IsEmpty());
  EXPECT_THAT(IssuesOfArms(5.1F, 3), ElementsAre("DATA_ASYMMETRY@1"));
}

// A clip of one joint that turns by angles about Z.
std::vector<std::string> IssuesOfAngles(const std::vector<float>& degrees,
                                        MotionFacts motion = {}) {
  SkeletonBuilder builder;
  builder.EndSite(builder.Root("Root", "z"));
  Clip clip =
      CountingClip(builder.Build(), static_cast<int64_t>(degrees.size()));
  std::copy(degrees.begin(), degrees.end(), clip.motion.values.begin());
  clip.motion.frame_time = 0.1;
  return IssuesBy(CheckPoses, clip, motion);
}

TEST(Loop, EndsWhereItBegins) {
  EXPECT_THAT(IssuesOfAngles({5, 20, 40, 20, 10}), IsEmpty());
  EXPECT_THAT(IssuesOfAngles({5, 20, 40, 20, 7}),
              ElementsAre("DATA_LOOP@-1 frame 4"));
  EXPECT_THAT(IssuesOfAngles({5, 20, 40, 20, 8.5F}), IsEmpty());
  // A full turn further is the same pose.
  EXPECT_THAT(IssuesOfAngles({5, 20, 40, 20, 365}),
              ElementsAre("DATA_LOOP@-1 frame 4"));
  // Too short, or without motion.
  EXPECT_THAT(IssuesOfAngles({5, 20, 5}), IsEmpty());
  EXPECT_THAT(IssuesOfAngles({5, 6, 5, 6, 5, 6}), IsEmpty());
}

// Between the ends, frames are looked at whose number is a power of two.
TEST(Loop, IsElsewhereInOneOfTwoFramesBetween) {
  EXPECT_THAT(IssuesOfAngles({5, 5.5F, 5, 5.5F, 40, 5.5F, 5}),
              ElementsAre("DATA_LOOP@-1 frame 6"));
  EXPECT_THAT(IssuesOfAngles({5, 5.5F, 40, 5.5F, 5, 5.5F, 5}),
              ElementsAre("DATA_LOOP@-1 frame 6"));
}

TEST(PoseRules, AClipThatIsNotFiniteIsNotJudged) {
  MotionFacts motion;
  motion.non_finite_rows = 1;
  EXPECT_THAT(IssuesOfAngles({0, 20, 40}, motion), IsEmpty());
  EXPECT_THAT(IssuesOfAngles({5, 20, 40, 20, 5}, motion), IsEmpty());
}

TEST(Loop, LeavesOutFramesThatStandApart) {
  MotionFacts motion;
  motion.first_apart = motion.last_apart = true;
  EXPECT_THAT(IssuesOfAngles({90, 5, 20, 40, 20, 5, 120}, motion),
              ElementsAre("DATA_LOOP@-1 frame 5"));
  EXPECT_THAT(IssuesOfAngles({90, 5, 20, 40, 20, 5, 120}), IsEmpty());
}

TEST(RestPose, IsFrame0AndNotFrame1) {
  EXPECT_THAT(IssuesOfAngles({0, 20, 40}),
              ElementsAre("DATA_REST_POSE@-1 frame 0"));
  EXPECT_THAT(IssuesOfAngles({0.9F, 20, 40}),
              ElementsAre("DATA_REST_POSE@-1 frame 0"));
  EXPECT_THAT(IssuesOfAngles({2, 20, 40}), IsEmpty());
  EXPECT_THAT(IssuesOfAngles({0, 0.5F, 40}), IsEmpty());
  EXPECT_THAT(IssuesOfAngles({0}), IsEmpty());
}

}  // namespace
}  // namespace bvhmill::testing
