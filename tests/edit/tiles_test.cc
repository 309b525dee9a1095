// However rows are cut into tiles, the edited rows are the same; and edits one
// after the other are the edits at once.

#include <gtest/gtest.h>

#include <random>

#include "bvhmill/edit/clip_editor.h"
#include "bvhmill/skeletons/body_root.h"
#include "tests/edit/edits.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

ClipEdits RandomEdits(const Skeleton& skeleton, std::mt19937_64* random) {
  const auto chance = [random](int n) { return (*random)() % n == 0; };
  ClipEdits edits;
  for (const Node& node : skeleton.nodes) {
    if (!IsEndSite(node) && node.parent >= 0 && chance(6)) {
      edits.drop_joints.push_back(node.name);
    }
  }
  if (chance(2)) edits.rename_joints = {{skeleton.nodes[0].name, "Renamed"}};
  if (chance(2)) edits.frames = {3, 60, 1 + static_cast<int64_t>(chance(2))};
  if (chance(2)) edits.resample_fps = chance(2) ? 50 : 333;
  if (chance(2)) edits.interpolation = Interpolation::kLerpAngle;
  edits.source.up_axis = UpAxis::kZ;
  edits.source.meters_per_unit = 0.01;
  if (chance(2)) edits.up_axis = UpAxis::kY;
  if (chance(2)) edits.meters_per_unit = 1;
  if (chance(3)) edits.root_motion = RootMotion::kInPlace;
  if (chance(2)) edits.root_alignment = {"xzy", "-+-", {90, 180, 10}};
  return edits;
}

Clip InTiles(const ClipEdits& edits, const Clip& clip, bool frames_known,
             std::mt19937_64* random) {
  const int64_t frames = clip.motion.frames;
  const auto counted =
      frames_known ? std::optional<int64_t>(frames) : std::nullopt;
  const std::vector<uint8_t> moving =
      MovingColumns(clip.skeleton.channels.size(), clip.motion.values);
  auto editor =
      ClipEditor::Make(edits, {}, clip.skeleton, clip.motion.frame_time,
                       counted, {}, nullptr, nullptr, moving);
  EXPECT_TRUE(editor.ok()) << editor.status();
  EXPECT_EQ(editor->frames().has_value(), frames_known);
  const size_t columns = clip.skeleton.channels.size();
  EditedRows rows;
  for (int64_t done = 0; done < frames;) {
    const auto most = static_cast<uint64_t>(frames - done);
    const auto take = static_cast<int64_t>((*random)() % (most + 1));
    const auto tile = std::span<const float>(clip.motion.values)
                          .subspan(static_cast<size_t>(done) * columns,
                                   static_cast<size_t>(take) * columns);
    EXPECT_TRUE(editor->Push(take, tile, &rows).ok());
    done += take;
  }
  EXPECT_TRUE(editor->Finish().ok());
  if (frames_known) {
    EXPECT_EQ(*editor->frames(), rows.frames);
  }
  Clip out;
  out.skeleton = editor->skeleton();
  out.motion = {rows.frames, editor->frame_time(), rows.values};
  return out;
}

TEST(Tiles, EveryCutGivesTheSameClip) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Clip clip = RandomClip({.scales = true}, 70, seed);
    const ClipEdits edits = RandomEdits(clip.skeleton, &random);
    const Clip whole = Edited(edits, clip);
    ExpectSameClip(InTiles(edits, clip, true, &random), whole);
    ExpectSameClip(InTiles(edits, clip, false, &random), whole);
  }
}

// Tiles of any size, down to one frame, give the same result.
TEST(Tiles, AFewFramesAtATime) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Clip clip = RandomClip({.scales = true}, 70, seed);
    const ClipEdits edits = RandomEdits(clip.skeleton, &random);
    const std::vector<uint8_t> moving =
        MovingColumns(clip.skeleton.channels.size(), clip.motion.values);
    auto editor =
        ClipEditor::Make(edits, {}, clip.skeleton, clip.motion.frame_time,
                         std::nullopt, {}, nullptr, nullptr, moving);
    ASSERT_TRUE(editor.ok()) << editor.status();
    Clip out;
    std::span<const float> rows = clip.motion.values;
    for (int64_t left = clip.motion.frames; left > 0 || editor->has_more();) {
      const auto most = static_cast<int64_t>(random() % 5) + 1;
      EditedRows some;
      int64_t taken = 0;
      ASSERT_TRUE(editor->PushSome(left, rows, most, &some, &taken).ok());
      ASSERT_LE(some.frames, most);
      left -= taken;
      rows =
          rows.last(static_cast<size_t>(left) * clip.skeleton.channels.size());
      out.motion.frames += some.frames;
      out.motion.values.append(some.values.begin(), some.values.end());
      ASSERT_GE(editor->FramesOfTaken(), out.motion.frames);
    }
    EXPECT_TRUE(editor->Finish().ok());
    EXPECT_EQ(editor->FramesOfTaken(), out.motion.frames);
    out.skeleton = editor->skeleton();
    out.motion.frame_time = editor->frame_time();
    ExpectSameClip(out, Edited(edits, clip));
  }
}

// The number of frames that a row completes is known before they are made.
TEST(Tiles, FramesOfTakenRowsAreKnown) {
  ClipEdits edits;
  edits.resample_fps = 1e6;
  const Clip clip = SmallLeg(3);
  auto editor = ClipEditor::Make(edits, {}, clip.skeleton,
                                 clip.motion.frame_time, std::nullopt, {});
  ASSERT_TRUE(editor.ok());
  EditedRows rows;
  int64_t taken = 0;
  ASSERT_TRUE(editor->PushSome(3, clip.motion.values, 10, &rows, &taken).ok());
  EXPECT_EQ(taken, 2);
  EXPECT_EQ(rows.frames, 10);
  const double frames = 1e6 * clip.motion.frame_time;
  EXPECT_NEAR(static_cast<double>(editor->FramesOfTaken()), frames, 2);
}

TEST(Tiles, EditsOneAfterTheOtherAreTheEditsAtOnce) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Clip clip = RandomClip({}, 70, seed);
    ClipEdits edits = RandomEdits(clip.skeleton, &random);
    // Values between the steps are rounded, so no lengths are scaled here.
    edits.meters_per_unit = 0;
    std::vector<ClipEdits> steps(6);
    for (ClipEdits& step : steps) step.source.up_axis = UpAxis::kZ;
    steps[0].drop_joints = edits.drop_joints;
    steps[1].rename_joints = edits.rename_joints;
    steps[2].frames = edits.frames;
    steps[3].resample_fps = edits.resample_fps;
    steps[3].interpolation = edits.interpolation;
    steps[4].up_axis = edits.up_axis;
    steps[5].root_motion = edits.root_motion;
    if (edits.up_axis == UpAxis::kY) steps[5].source.up_axis = UpAxis::kY;
    // A root that is held in place may be no body root any more.
    steps[5].root_alignment = edits.root_alignment;
    const Clip at_once = Edited(edits, clip);
    for (const ClipEdits& step : steps) clip = Edited(step, clip);
    ASSERT_EQ(clip.skeleton.channels, at_once.skeleton.channels);
    ASSERT_EQ(clip.motion.values.size(), at_once.motion.values.size());
    EXPECT_EQ(clip.motion.frame_time, at_once.motion.frame_time);
    for (size_t i = 0; i < clip.motion.values.size(); ++i) {
      ASSERT_NEAR(clip.motion.values[i], at_once.motion.values[i], 1e-3);
    }
  }
}

TEST(Tiles, ARangeThatBeginsAfterTheEndOfAStream) {
  ClipEdits edits;
  edits.frames.begin = 5;
  const Clip clip = SmallLeg(5);
  auto editor = ClipEditor::Make(edits, {}, clip.skeleton,
                                 clip.motion.frame_time, std::nullopt, {});
  ASSERT_TRUE(editor.ok());
  EditedRows rows;
  EXPECT_TRUE(editor->Push(5, clip.motion.values, &rows).ok());
  EXPECT_EQ(editor->Finish(), StatusOfEdit(edits, clip));
  EXPECT_FALSE(editor->Finish().ok());
}

TEST(Tiles, LimitsHoldForStreams) {
  ClipEdits edits;
  edits.resample_fps = 1e6;
  Limits limits;
  limits.max_frames = 1000;
  const Clip clip = SmallLeg(5);
  auto editor = ClipEditor::Make(edits, {}, clip.skeleton,
                                 clip.motion.frame_time, std::nullopt, limits);
  ASSERT_TRUE(editor.ok());
  EditedRows rows;
  EXPECT_EQ(editor->Push(5, clip.motion.values, &rows).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(rows.frames, 1000);
}

}  // namespace
}  // namespace bvhmill::testing
