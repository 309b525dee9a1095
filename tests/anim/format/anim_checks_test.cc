// Values that the viewer refuses or changes: their issues and their places.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bvhmill/anim/format/anim_file.h"
#include "tests/anim/anim_support.h"
#include "tests/anim/format/judged_anim.h"

namespace bvhmill::testing {
namespace {

struct Case {
  std::string name;
  std::function<void(AnimMotion*)> change;
  Verdict verdict;
  std::string codes;
};

std::vector<Case> HeaderCases() {
  return {
      {"nothing", [](AnimMotion*) {}, kUploads, ""},
      {"base -1", [](AnimMotion* m) { m->base_priority = -1; }, kUploads, ""},
      {"base -2", [](AnimMotion* m) { m->base_priority = -2; }, kRefused,
       "ANIM_PRIORITY_INVALID"},
      {"base 7", [](AnimMotion* m) { m->base_priority = 7; }, kUploads,
       "ANIM_PRIORITY_HIGH"},
      {"60 s", [](AnimMotion* m) { m->duration = 60; }, kUploads, ""},
      {"more", [](AnimMotion* m) { m->duration = std::nextafter(60.F, 61.F); },
       kRefused, "ANIM_DURATION_LONG"},
      {"0 s", [](AnimMotion* m) { m->duration = 0; }, kUploads,
       "ANIM_DURATION_ODD"},
      {"-1 s", [](AnimMotion* m) { m->duration = -1; }, kRefused,
       "ANIM_KEY_TIME ANIM_DURATION_ODD"},
      {"nan s", [](AnimMotion* m) { m->duration = kNan; }, kRefused,
       "ANIM_NOT_FINITE ANIM_KEY_TIME"},
      {"inf s", [](AnimMotion* m) { m->duration = kInfinity; }, kRefused,
       "ANIM_NOT_FINITE ANIM_DURATION_LONG"},
      {"emote", [](AnimMotion* m) { m->emote = "Express_Smile"; }, kUploads,
       ""},
      {"mouth", [](AnimMotion* m) { m->emote = "Closed_Mouth"; }, kUploads,
       "ANIM_EMOTE_IGNORED"},
      {"emote?", [](AnimMotion* m) { m->emote = "closed_mouth"; }, kUploads,
       "ANIM_EMOTE_UNKNOWN"},
      {"in", [](AnimMotion* m) { m->loop_in = kNan; }, kRefused,
       "ANIM_NOT_FINITE"},
      {"out", [](AnimMotion* m) { m->loop_out = kInfinity; }, kRefused,
       "ANIM_NOT_FINITE"},
      {"no loop", [](AnimMotion* m) { m->loop_in = 9; }, kUploads, ""},
      {"loop",
       [](AnimMotion* m) {
         m->loop = -7;
         m->loop_in = 1;
       },
       kUploads, ""},
      {"odd loop",
       [](AnimMotion* m) {
         m->loop = 1;
         m->loop_in = 2;
       },
       kUploads, "ANIM_LOOP_ODD"},
      {"eases",
       [](AnimMotion* m) {
         m->ease_in = kNan;
         m->ease_out = kInfinity;
       },
       kRefused, "ANIM_NOT_FINITE"},
      {"ease -1", [](AnimMotion* m) { m->ease_in = -1; }, kUploads, ""},
      {"hand 13", [](AnimMotion* m) { m->hand_pose = 13; }, kUploads, ""},
      {"hand 14", [](AnimMotion* m) { m->hand_pose = 14; }, kUploads,
       "ANIM_HAND_POSE_UNKNOWN"},
      {"hand 15", [](AnimMotion* m) { m->hand_pose = 15; }, kRefused,
       "ANIM_HAND_POSE_INVALID"},
  };
}

std::vector<Case> JointCases() {
  return {
      {"none",
       [](AnimMotion* m) {
         m->joints.clear();
         m->constraints.clear();
       },
       kRefused, "ANIM_NO_JOINTS"},
      {"216",
       [](AnimMotion* m) {
         m->joints.resize(216, {"mHead", 0, {}, {}});
       },
       kUploads, "ANIM_JOINT_REPEATED"},
      {"217", [](AnimMotion* m) { m->joints.resize(217); }, kUnread,
       "ANIM_JOINT_COUNT"},
      {"mRoot", [](AnimMotion* m) { m->joints[1].name = "mRoot"; }, kRefused,
       "ANIM_JOINT_FORBIDDEN"},
      {"mScreen", [](AnimMotion* m) { m->joints[1].name = "mScreen"; },
       kRefused, "ANIM_JOINT_FORBIDDEN"},
      {"unknown", [](AnimMotion* m) { m->joints[1].name = "mspine"; }, kPlays,
       "ANIM_JOINT_UNKNOWN"},
      {"alias", [](AnimMotion* m) { m->joints[1].name = "abdomen"; }, kUploads,
       ""},
      {"volume", [](AnimMotion* m) { m->joints[1].name = "BELLY"; }, kUploads,
       ""},
      {"twice", [](AnimMotion* m) { m->joints[1].name = "hip"; }, kUploads,
       "ANIM_JOINT_REPEATED"},
      {"-2", [](AnimMotion* m) { m->joints[0].priority = -2; }, kRefused,
       "ANIM_PRIORITY_INVALID"},
      {"7", [](AnimMotion* m) { m->joints[0].priority = 7; }, kUploads,
       "ANIM_PRIORITY_HIGH"},
      {"sorted", [](AnimMotion* m) { m->joints[0].rotations[1].time = 0; },
       kUploads, "ANIM_KEYS_REPEATED"},
      {"back", [](AnimMotion* m) { m->joints[0].positions[0].time = 65535; },
       kUploads, "ANIM_KEYS_REPEATED"},
      {"unsorted",
       [](AnimMotion* m) {
         m->joints[0].rotations[1].time = 0;
         m->joints[0].rotations[0].time = 9;
       },
       kUploads, "ANIM_KEYS_UNSORTED"},
      {"long",
       [](AnimMotion* m) {
         m->joints[1].rotations[0] = {0, 0, 0, 9};
       },
       kUploads, "ANIM_ROTATION_LONG"},
      {"a square of 1.0009",
       [](AnimMotion* m) {
         m->joints[1].rotations[0] = {0, 65535, 33750, 32767};
       },
       kUploads, ""},
      {"a square of 1.0012",
       [](AnimMotion* m) {
         m->joints[1].rotations[0] = {0, 65535, 33901, 32767};
       },
       kUploads, "ANIM_ROTATION_LONG"},
      {"large", [](AnimMotion* m) { m->joints[1].positions.resize(31'250); },
       kPlays, "ANIM_UPLOAD_SIZE ANIM_KEYS_REPEATED"},
  };
}

AnimConstraint& FirstOf(AnimMotion* m) { return m->constraints[0]; }

std::vector<Case> ConstraintCases() {
  return {
      {"chain 3", [](AnimMotion* m) { FirstOf(m).chain_length = 3; }, kRefused,
       "ANIM_CONSTRAINT_CHAIN ANIM_CONSTRAINT_UNREACHED"},
      {"chain 1", [](AnimMotion* m) { FirstOf(m).chain_length = 1; }, kRefused,
       "ANIM_CONSTRAINT_UNREACHED"},
      {"chain 3 of four",
       [](AnimMotion* m) {
         FirstOf(m).chain_length = 3;
         FirstOf(m).source_volume = "CHEST";
         m->joints = {{"mChest", 0, {}, {}},
                      {"mSpine4", 0, {}, {}},
                      {"mSpine3", 0, {}, {}},
                      {"mTorso", 0, {}, {}}};
       },
       kUploads, ""},
      {"chain 4",
       [](AnimMotion* m) {
         FirstOf(m).chain_length = 4;
         FirstOf(m).source_volume = "CHEST";
         m->joints = {{"mChest", 0, {}, {}},  {"mSpine4", 0, {}, {}},
                      {"mSpine3", 0, {}, {}}, {"mTorso", 0, {}, {}},
                      {"mSpine2", 0, {}, {}}, {"wing", 0, {}, {}}};
       },
       kPlays, "ANIM_JOINT_UNKNOWN ANIM_CONSTRAINT_CHAIN_LONG"},
      {"unknown first",
       [](AnimMotion* m) {
         m->joints.insert(m->joints.begin(), {"wing", 0, {}, {}});
       },
       kRefused, "ANIM_CONSTRAINT_UNREACHED ANIM_JOINT_UNKNOWN"},
      {"plane", [](AnimMotion* m) { FirstOf(m).type = 1; }, kUploads, ""},
      {"type 2", [](AnimMotion* m) { FirstOf(m).type = 2; }, kRefused,
       "ANIM_CONSTRAINT_TYPE"},
      {"bone", [](AnimMotion* m) { FirstOf(m).source_volume = "mPelvis"; },
       kRefused, "ANIM_CONSTRAINT_VOLUME"},
      {"ground", [](AnimMotion* m) { FirstOf(m).source_volume = "GROUND"; },
       kRefused, "ANIM_CONSTRAINT_VOLUME"},
      {"target", [](AnimMotion* m) { FirstOf(m).target_volume = "R_FOOT"; },
       kUploads, ""},
      {"case", [](AnimMotion* m) { FirstOf(m).target_volume = "Ground"; },
       kRefused, "ANIM_CONSTRAINT_VOLUME"},
      {"direction",
       [](AnimMotion* m) { FirstOf(m).target_direction[2] = kNan; }, kRefused,
       "ANIM_NOT_FINITE"},
      {"ease", [](AnimMotion* m) { FirstOf(m).ease_out_stop = kInfinity; },
       kRefused, "ANIM_NOT_FINITE"},
      {"11",
       [](AnimMotion* m) { m->constraints.resize(11, m->constraints[0]); },
       kUploads, "ANIM_CONSTRAINTS_IGNORED"},
  };
}

TEST(AnimReader, ChecksValuesAsTheViewerDoes) {
  for (const auto& cases : {HeaderCases(), JointCases(), ConstraintCases()}) {
    for (const Case& c : cases) {
      SCOPED_TRACE(c.name);
      AnimMotion motion = SmallMotion();
      c.change(&motion);
      const Judged judged = Judge(BytesOf(motion));
      EXPECT_EQ(VerdictOf(judged.result), c.verdict);
      EXPECT_EQ(CodesOf(judged.report), c.codes);
      IssueLog log({});
      AnimReadResult again;
      ASSERT_TRUE(CheckAnim(motion, &again, &log).ok());
      EXPECT_EQ(VerdictOf(again), c.verdict);
    }
  }
}

TEST(AnimReader, GivesThePlace) {
  AnimMotion motion = SmallMotion();
  motion.emote = "oh";
  motion.joints[1].name = "mspine";
  motion.hand_pose = 99;
  const Report report = Judge(BytesOf(motion)).report;
  ASSERT_EQ(report.issues.size(), 3);
  EXPECT_EQ(RenderIssue(report.issues[0]),
            "byte 35: error: ANIM_HAND_POSE_INVALID: 99 is no hand pose");
  EXPECT_EQ(report.issues[1].location.byte_offset, 12);
  EXPECT_EQ(report.issues[2].location.byte_offset, 95);
  EXPECT_EQ(report.issues[2].location.joint, 1);
  EXPECT_EQ(report.issues[2].location.joint_name, "mspine");
}

// Where the field stands that an issue is about, by the layout of the format.
TEST(AnimReader, GivesThePlaceOfEachField) {
  struct PlaceCase {
    const char* code;
    std::function<void(AnimMotion*)> change;
    int64_t at;
    // `at` counts from the begin of the last constraint instead of the file.
    bool is_in_constraint = false;
  };
  const PlaceCase cases[] = {
      {"ANIM_PRIORITY_HIGH", [](auto* m) { m->base_priority = 7; }, 4},
      {"ANIM_DURATION_ODD", [](auto* m) { m->duration = 0; }, 8},
      {"ANIM_NOT_FINITE", [](auto* m) { m->duration = kNan; }, 8},
      {"ANIM_EMOTE_IGNORED", [](auto* m) { m->emote = "Closed_Mouth"; }, 12},
      {"ANIM_NOT_FINITE", [](auto* m) { m->loop_in = kNan; }, 13},
      {"ANIM_NOT_FINITE", [](auto* m) { m->loop_out = kNan; }, 17},
      {"ANIM_NOT_FINITE", [](auto* m) { m->ease_in = kNan; }, 25},
      {"ANIM_NOT_FINITE", [](auto* m) { m->ease_out = kNan; }, 29},
      {"ANIM_HAND_POSE_UNKNOWN", [](auto* m) { m->hand_pose = 14; }, 33},
      {"ANIM_NO_JOINTS", [](auto* m) { m->joints.clear(); }, 37},
      {"ANIM_CONSTRAINT_CHAIN", [](auto* m) { FirstOf(m).chain_length = 9; }, 0,
       true},
      {"ANIM_CONSTRAINT_TYPE", [](auto* m) { FirstOf(m).type = 2; }, 1, true},
      {"ANIM_CONSTRAINT_VOLUME",
       [](auto* m) { FirstOf(m).source_volume = "mPelvis"; }, 2, true},
      {"ANIM_NOT_FINITE", [](auto* m) { FirstOf(m).source_offset[0] = kNan; },
       18, true},
      {"ANIM_CONSTRAINT_VOLUME",
       [](auto* m) { FirstOf(m).target_volume = "mPelvis"; }, 30, true}};
  constexpr int64_t kConstraintBytes = 86;
  for (const PlaceCase& c : cases) {
    SCOPED_TRACE(std::string(c.code) + " at " + std::to_string(c.at));
    AnimMotion motion = SmallMotion();
    ASSERT_EQ(motion.constraints.size(), 1);
    c.change(&motion);
    const std::string bytes = BytesOf(motion);
    const int64_t begin =
        c.is_in_constraint
            ? static_cast<int64_t>(bytes.size()) - kConstraintBytes
            : 0;
    const Report report = Judge(bytes).report;
    const auto issue =
        std::find_if(report.issues.begin(), report.issues.end(),
                     [&](const Issue& i) { return i.code == c.code; });
    ASSERT_NE(issue, report.issues.end());
    EXPECT_EQ(issue->location.byte_offset, begin + c.at);
  }
}

}  // namespace
}  // namespace bvhmill::testing
