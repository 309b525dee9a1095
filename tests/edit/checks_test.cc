// Tests that impossible edits are refused.

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/edit/joint_map.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using Code = absl::StatusCode;

struct Case {
  const char* what;
  std::function<void(ClipEdits*)> set;
  Code code;
  const char* message;
};

TEST(ClipEdits, NothingIsEmptyAndChangesNothing) {
  EXPECT_TRUE(IsEmpty(ClipEdits{}));
  const Clip clip = RandomClip({}, 7, 3);
  ExpectSameClip(Edited({}, clip), clip);
}

TEST(ClipEdits, WhatIsEmpty) {
  const std::pair<bool, std::function<void(ClipEdits*)>> kCases[] = {
      {true, [](ClipEdits* e) { e->source.up_axis = UpAxis::kZ; }},
      {true, [](ClipEdits* e) { e->source.meters_per_unit = 2; }},
      {true, [](ClipEdits* e) { e->frames.step = 0; }},
      {true,
       [](ClipEdits* e) {
         e->root_alignment = {"xyz", "+++", {}};
       }},
      {true, [](ClipEdits* e) { e->to_up = e->source.up_axis = UpAxis::kZ; }},
      {true, [](ClipEdits* e) { e->to_units = e->source.meters_per_unit = 1; }},
      {true, [](ClipEdits* e) { e->interpolation = Interpolation::kLerp; }},
      {false, [](ClipEdits* e) { e->to_up = UpAxis::kZ; }},
      {false, [](ClipEdits* e) { e->to_units = 1; }},
      {false, [](ClipEdits* e) { e->drop = {"a"}; }},
      {false, [](ClipEdits* e) { e->keep = {"a"}; }},
      {false,
       [](ClipEdits* e) {
         e->rename = {{"a", "b"}};
       }},
      {false, [](ClipEdits* e) { e->figure = 1; }},
      {false, [](ClipEdits* e) { e->joint_map = "cmu"; }},
      {false,
       [](ClipEdits* e) {
         e->joint_map_rows = {{"a", "b"}};
       }},
      {false, [](ClipEdits* e) { e->frames.begin = 1; }},
      {false, [](ClipEdits* e) { e->frames.end = 1; }},
      {false, [](ClipEdits* e) { e->frames.step = 2; }},
      {false, [](ClipEdits* e) { e->fps = 30; }},
      {false, [](ClipEdits* e) { e->in_place = true; }},
      {false, [](ClipEdits* e) { e->root_alignment.position_axes = "xzy"; }},
      {false, [](ClipEdits* e) { e->root_alignment.position_signs = "-++"; }},
      {false,
       [](ClipEdits* e) {
         e->root_alignment.correction_degrees = {0, 1, 0};
       }},
  };
  for (size_t i = 0; i < std::size(kCases); ++i) {
    ClipEdits edits;
    kCases[i].second(&edits);
    EXPECT_EQ(IsEmpty(edits), kCases[i].first) << "case " << i;
  }
}

const Case kCases[] = {
    {"no such joint", [](ClipEdits* e) { e->drop = {"Hip"}; },
     Code::kInvalidArgument,
     "options.edits.drop: no joint of the clip is 'Hip'; did you mean "
     "'Hips'?"},
    {"end sites have no name", [](ClipEdits* e) { e->drop = {""}; },
     Code::kInvalidArgument, "options.edits.drop: no joint of the clip is ''"},
    {"no such pattern",
     [](ClipEdits* e) {
       e->keep = {"Hips", "X*"};
     },
     Code::kInvalidArgument,
     "options.edits.keep: no joint of the clip is 'X*'"},
    {"no such number", [](ClipEdits* e) { e->drop = {"Knee#2"}; },
     Code::kInvalidArgument,
     "options.edits.drop: no joint of the clip is 'Knee#2'; did you mean "
     "'Knee'?"},
    {"numbers start at one", [](ClipEdits* e) { e->drop = {"Knee#0"}; },
     Code::kInvalidArgument,
     "options.edits.drop: no joint of the clip is 'Knee#0'; did you mean "
     "'Knee'?"},
    {"no number", [](ClipEdits* e) { e->drop = {"Knee#1st"}; },
     Code::kInvalidArgument,
     "options.edits.drop: no joint of the clip is 'Knee#1st'"},
    {"a number of a whole name", [](ClipEdits* e) { e->drop = {"Kne#1"}; },
     Code::kInvalidArgument,
     "options.edits.drop: no joint of the clip is 'Kne#1'; did you mean "
     "'Knee'?"},
    {"all dropped", [](ClipEdits* e) { e->drop = {"*"}; },
     Code::kInvalidArgument, "options.edits.drop: no joint would be left"},
    {"rename nothing",
     [](ClipEdits* e) {
       e->rename = {{"A", "B"}};
     },
     Code::kInvalidArgument,
     "options.edits.rename: no joint of the clip is 'A'"},
    {"rename by pattern",
     [](ClipEdits* e) {
       e->rename = {{"H*", "B"}};
     },
     Code::kInvalidArgument,
     "options.edits.rename: no joint of the clip is 'H*'"},
    {"empty name",
     [](ClipEdits* e) {
       e->rename = {{"Hips", ""}};
     },
     Code::kInvalidArgument, "options.edits.rename: a new name is empty"},
    {"name with a line end",
     [](ClipEdits* e) {
       e->rename = {{"Hips", "a\nb"}};
     },
     Code::kInvalidArgument,
     "options.edits.rename: 'a\\x0Ab' cannot be the name of a joint"},
    {"name with a brace",
     [](ClipEdits* e) {
       e->joint_map_rows = {{"Hips", "a {"}};
     },
     Code::kInvalidArgument,
     "options.edits.joint_map_rows: 'a {' cannot be the name of a joint"},
    {"no such map", [](ClipEdits* e) { e->joint_map = "no"; },
     Code::kInvalidArgument,
     "options.edits.joint_map: 'no' is not built in; there are acclaim, "
     "azure_kinect, bandai_namco, biped, cmu, cmu_blender, cmu_max, "
     "daz, deepmotion, human36m, iclone, kinect, lafan1, makehuman, "
     "mixamo, mocapnet, mocopi, optitrack, perception_neuron, poser, "
     "rigify, rigify_old, rokoko, second_life, smpl, soma, unity, "
     "unreal, unreal_5, vrm, vroid, xsens, xsens_segments"},
    {"no such scheme", [](ClipEdits* e) { e->names_to = "no"; },
     Code::kInvalidArgument,
     "options.edits.names_to: 'no' is no naming scheme; there are "
     "acclaim, azure_kinect, bandai_namco, biped, cmu, cmu_blender, "
     "cmu_max, daz, deepmotion, human36m, iclone, kinect, lafan1, "
     "makehuman, mixamo, mocapnet, mocopi, optitrack, "
     "perception_neuron, poser, rigify, rigify_old, rokoko, "
     "second_life, smpl, soma, unity, unreal, unreal_5, vrm, vroid, "
     "xsens, xsens_segments"},
    {"two maps",
     [](ClipEdits* e) {
       e->joint_map = "cmu";
       e->joint_map_rows = {{"Hips", "a"}};
     },
     Code::kInvalidArgument,
     "options.edits.joint_map_rows: cannot be used together with joint_map"},
    {"map without a match",
     [](ClipEdits* e) {
       e->joint_map_rows = {{"Hip", "a"}};
     },
     Code::kInvalidArgument,
     "options.edits.joint_map: no joint of the clip is in the map"},
    {"an unknown naming scheme",
     [](ClipEdits* e) {
       e->rename = {{"Hips", "a"}};
       e->names_to = "mixamo";
     },
     Code::kInvalidArgument,
     "options.edits.names_to: the naming scheme of the clip is not known"},
    {"negative frames", [](ClipEdits* e) { e->frames.begin = -1; },
     Code::kInvalidArgument,
     "options.edits.frames: a bound or the step is negative"},
    {"empty range",
     [](ClipEdits* e) {
       e->frames = {3, 3, 1};
     },
     Code::kInvalidArgument,
     "options.edits.frames: ends at 3, not after its begin at 3"},
    {"range after the clip", [](ClipEdits* e) { e->frames.begin = 5; },
     Code::kInvalidArgument,
     "options.edits.frames: begins at 5, but the clip has 5 frames"},
    {"negative rate", [](ClipEdits* e) { e->fps = -30; },
     Code::kInvalidArgument,
     "options.edits.fps: is not above 0 with a finite frame time"},
    {"rate that is no number", [](ClipEdits* e) { e->fps = NAN; },
     Code::kInvalidArgument,
     "options.edits.fps: is not above 0 with a finite frame time"},
    {"rate without end", [](ClipEdits* e) { e->fps = 1e300; },
     Code::kResourceExhausted,
     "options.edits.fps: the clip would have more values than 64 "
     "times its own"},
    {"unknown up axis", [](ClipEdits* e) { e->to_up = UpAxis::kY; },
     Code::kFailedPrecondition,
     "options.edits.to_up: the up axis of the source is not known; set "
     "options.read.up"},
    {"unknown units", [](ClipEdits* e) { e->to_units = 1; },
     Code::kFailedPrecondition,
     "options.edits.to_units: the unit of the source is not known; set "
     "options.read.units"},
    {"units too far apart",
     [](ClipEdits* e) {
       e->source.meters_per_unit = 1e7;
       e->to_units = 1e-6;
     },
     absl::StatusCode::kInvalidArgument,
     "options.edits.to_units: is more than 10^12 times the unit of the "
     "source, or less than a 10^12th"},
    {"axes twice",
     [](ClipEdits* e) { e->root_alignment.position_axes = "xyy"; },
     Code::kInvalidArgument,
     "options.edits.root_axes: 'xyy' is not an order of the "
     "letters xyz"},
    {"two signs", [](ClipEdits* e) { e->root_alignment.position_signs = "-+"; },
     Code::kInvalidArgument,
     "options.edits.root_signs: '-+' is not three of + and "
     "-"},
    {"no angle",
     [](ClipEdits* e) {
       e->root_alignment.correction_degrees = {0, INFINITY, 0};
     },
     Code::kInvalidArgument,
     "options.edits.root_correction: is not a finite "
     "number"},
};

TEST(ClipEdits, ImpossibleEditsAreRefused) {
  for (const Case& c : kCases) {
    ClipEdits edits;
    c.set(&edits);
    const absl::Status status = StatusOfEdit(edits, SmallLeg(5));
    EXPECT_EQ(status.code(), c.code) << c.what << ": " << status;
    EXPECT_EQ(MessageOf(status), c.message) << c.what;
  }
}

// 20,000 equal rows on 20,000 equal names would be 400 million new names.
TEST(ClipEdits, AMapNamesEachSourceOnce) {
  ClipEdits edits;
  edits.joint_map_rows = {{"a", "b"}, {"c", "b"}, {"a", "d"}};
  const absl::Status status = CheckEdits(edits);
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(MessageOf(status), "options.edits.joint_map_rows: maps 'a' twice");
  EXPECT_EQ(MessageOf(ParseJointMap("source,target\na,b\nc,b\na,d\n").status()),
            "line 4: 'a' is mapped twice");
}

TEST(ClipEdits, ResamplingNeedsARate) {
  ClipEdits edits;
  edits.fps = 30;
  for (const double frame_time : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    Clip clip = SmallLeg(3);
    clip.motion.frame_time = frame_time;
    EXPECT_EQ(StatusOfEdit(edits, clip).code(), Code::kFailedPrecondition);
  }
}

// 5 frames of 12 values may grow to 4 million values, but not beyond.
TEST(ClipEdits, SmallClipsDoNotGrowOutOfProportion) {
  Limits limits;
  limits.max_frames = limits.max_clip_bytes = 0;
  ClipEdits edits;
  edits.fps = 120 * 80000;
  EXPECT_TRUE(StatusOfEdit(edits, SmallLeg(5), limits).ok());
  edits.fps = 120 * 100000;
  EXPECT_EQ(StatusOfEdit(edits, SmallLeg(5), limits).code(),
            Code::kResourceExhausted);
}

// A clip that comes in pieces reaches the lower bound first, so that is the one
// that a whole clip must be refused for.
TEST(ClipEdits, TheLowerOfTwoBoundsIsNamed) {
  ClipEdits edits;
  edits.fps = 1e9;
  Limits limits;
  // 4 million values of 12 columns: 349,525 frames.
  limits.max_frames = 349'525;
  EXPECT_THAT(StatusOfEdit(edits, SmallLeg(5), limits).message(),
              HasSubstr("max_frames = 349525"));
  limits.max_frames = 349'526;
  EXPECT_THAT(StatusOfEdit(edits, SmallLeg(5), limits).message(),
              HasSubstr("64 times its own"));
}

TEST(ClipEdits, LimitsHoldBeforeMemoryIsTaken) {
  ClipEdits edits;
  edits.fps = 1e6;
  Limits limits;
  // 5 frames at 120 Hz: 33334 at 1 MHz.
  limits.max_frames = 33334;
  EXPECT_TRUE(StatusOfEdit(edits, SmallLeg(5), limits).ok());
  limits.max_frames = 33333;
  EXPECT_EQ(StatusOfEdit(edits, SmallLeg(5), limits).code(),
            Code::kResourceExhausted);
  limits = {};
  limits.max_clip_bytes = 1000;
  EXPECT_EQ(StatusOfEdit(edits, SmallLeg(5), limits).code(),
            Code::kResourceExhausted);
  limits = {};
  limits.max_frames = 0;
  edits.fps = 1e300;
  EXPECT_EQ(StatusOfEdit(edits, SmallLeg(5), limits).code(),
            Code::kResourceExhausted);
  limits.max_name_bytes = 3;
  edits = {};
  edits.rename = {{"Hips", "Hip"}};
  EXPECT_TRUE(StatusOfEdit(edits, SmallLeg(5), limits).ok());
  edits.rename = {{"Hips", "Hips"}};
  EXPECT_EQ(StatusOfEdit(edits, SmallLeg(5), limits).code(),
            Code::kInvalidArgument);
}

TEST(ClipEdits, CanBeCancelled) {
  CancelToken cancel;
  cancel.Cancel();
  ClipEdits edits;
  edits.fps = 1000;
  Clip clip = SmallLeg(5);
  Budget budget({}, &cancel);
  EXPECT_EQ(EditClip(edits, {}, {}, &budget, &clip, nullptr).code(),
            Code::kCancelled);
}

}  // namespace
}  // namespace bvhmill::testing
