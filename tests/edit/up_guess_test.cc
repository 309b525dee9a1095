// The up axis of a clip that is held in place, if it is not stated.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

// A figure of reach 170 that walks along X.
struct Figure {
  const char* about;
  // From the feet to the head in the rest pose.
  Offset rest;
  // The place of the hips at the start, and their rotation about X.
  Offset hips;
  float turn = 0;
  bool is_named = true;
  // "y", "z", or "" if the clip is refused; the issue that says so.
  std::string up;
  std::string evidence = {};
};

Clip ClipOf(const Figure& figure) {
  const auto along = [&](float length) {
    return Offset{length * figure.rest[0], length * figure.rest[1],
                  length * figure.rest[2]};
  };
  SkeletonBuilder builder;
  const auto name = [&](const char* known) {
    return figure.is_named ? known : "joint";
  };
  const int hips = builder.Root(name("Hips"), "XYZzyx");
  int at = builder.Joint(hips, name("Spine"), "zyx", along(30));
  at = builder.Joint(at, name("Neck"), "zyx", along(30));
  builder.Joint(at, name("Head"), "zyx", along(20));
  for (const std::string side : {"Left", "Right"}) {
    at = builder.Joint(hips, name((side + "UpLeg").c_str()), "zyx", along(-5));
    at = builder.Joint(at, name((side + "Leg").c_str()), "zyx", along(-45));
    at = builder.Joint(at, name((side + "Foot").c_str()), "zyx", along(-45));
    builder.EndSite(at, "", along(-75));
  }
  Clip clip = CountingClip(builder.Build(), 5);
  const size_t width = clip.skeleton.channels.size();
  for (size_t i = 0; i < clip.motion.values.size(); ++i) {
    clip.motion.values[i] = 0;
    const size_t column = i % width;
    if (column < 3) clip.motion.values[i] = figure.hips[column];
    if (column == 0) clip.motion.values[i] += static_cast<float>(i);
    if (column == 5) clip.motion.values[i] = figure.turn;
  }
  return clip;
}

constexpr Offset kAlongY = {0, 1, 0};
constexpr Offset kAlongZ = {0, 0, 1};

const Figure kFigures[] = {
    {"stands along Y", kAlongY, {0, 95, 0}, 0, true, "y"},
    {"stands along Y, at 0", kAlongY, {0, 0, 0}, 0, true, "y"},
    {"stands along Z",
     kAlongZ,
     {0, 0, 95},
     0,
     true,
     "z",
     "its poses, its rest pose, the height of its hips"},
    {"stands along Z, at 0",
     kAlongZ,
     {0, 0, 0},
     0,
     true,
     "z",
     "its poses, its rest pose"},
    {"lies along Z", kAlongY, {0, 12, 7}, 90, true, "y"},
    {"is turned to stand along Y", kAlongZ, {0, 95, 0}, -90, true, "y"},
    {"is turned to stand along Z", kAlongY, {0, 0, 95}, 90, true, ""},
    {"has no names, hips high along Y", kAlongY, {0, 95, 0}, 0, false, "y"},
    {"has no names, hips high along Z", kAlongZ, {0, 0, 95}, 0, false, ""},
    {"has no names, hips high along both", kAlongY, {0, 95, 95}, 0, false, ""},
    {"has no names, at 0", kAlongY, {0, 0, 0}, 0, false, ""},
};

TEST(UpGuess, IsTakenIfItIsClear) {
  for (const Figure& figure : kFigures) {
    SCOPED_TRACE(figure.about);
    const Clip before = ClipOf(figure);
    Clip clip = before;
    ClipEdits edits;
    edits.in_place = true;
    IssueLog log({});
    const absl::Status status =
        EditClip(edits, {}, {}, nullptr, &clip, &log, nullptr);
    const Report report = log.Finish(true, true);
    if (figure.up.empty()) {
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_EQ(status.message(),
                "options.edits.in_place: the up axis of the clip is not "
                "known, and the clip does not show it clearly; set "
                "options.read.up");
      ExpectSameClip(clip, before);
      continue;
    }
    ASSERT_TRUE(status.ok()) << status;
    const bool z = figure.up == "z";
    EXPECT_EQ(clip.motion.values[0], 0);
    EXPECT_EQ(clip.motion.values[1], z ? 0 : figure.hips[1]);
    EXPECT_EQ(clip.motion.values[2], z ? figure.hips[2] : 0);
    ASSERT_EQ(report.issues.size(), z ? 1u : 0u);
    if (!z) continue;
    EXPECT_EQ(report.issues[0].code, "EDIT_UP_AXIS_GUESSED");
    EXPECT_EQ(report.issues[0].message,
              "the up axis is not stated; Z is taken, by " + figure.evidence);
  }
}

TEST(UpGuess, IsNotMadeWithoutNeed) {
  const Clip clip = ClipOf(kFigures[std::size(kFigures) - 1]);
  ClipEdits edits;
  edits.at_origin = true;
  EXPECT_TRUE(StatusOfEdit(edits, clip).ok());
  edits.at_origin = false;
  edits.in_place = true;
  EXPECT_FALSE(StatusOfEdit(edits, clip).ok());
  edits.source.up_axis = UpAxis::kZ;
  EXPECT_TRUE(StatusOfEdit(edits, clip).ok());
}

}  // namespace
}  // namespace bvhmill::testing
