// A clip in memory gives what its text gives.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "tests/support/clips.h"
#include "tests/support/converted.h"
#include "tests/support/odd_clips.h"
#include "tests/support/option_choices.h"

namespace bvhmill::testing {
namespace {

// The skeleton and the rows of a clip, by the output "values".
Converted ReadRows(std::string_view text, const ClipEdits& edits = {}) {
  ConvertOptions options;
  options.edits = edits;
  options.with_skeleton = true;
  options.outputs = {{"values", ValuesFormat{}}};
  return ConvertWhole(text, options);
}

std::vector<float> FloatsOf(const std::string& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  if (!floats.empty()) std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

TEST(ClipRows, OfOddClipsGiveTheOutputsOfTheirText) {
  Converter converter;
  int clips = 0;
  for (const OddClip& clip : OddClips()) {
    SCOPED_TRACE(clip.name);
    const Converted read = ReadRows(clip.text);
    if (!read.result.status.ok()) {
      EXPECT_EQ(read.result.skeleton, nullptr);
      continue;
    }
    ++clips;
    ConvertOptions options;
    options.outputs = OneOfEachFormat();
    // Not every clip has a rate.
    if (read.result.info.frames_per_second == 0) options.outputs.resize(5);
    const Converted text = ConvertWhole(clip.text, options);
    const std::vector<float> values = FloatsOf(read.outputs[0]);
    StringReceiver outputs;
    const ConvertResult rows =
        converter.ConvertClip({read.result.skeleton, read.result.info.frames,
                               read.result.info.frame_time, values},
                              options, &outputs, nullptr);
    ASSERT_EQ(rows.status, text.result.status);
    EXPECT_EQ(outputs.data(), text.outputs);
  }
  EXPECT_GT(clips, 100);
}

TEST(ClipRows, OfAnEditedClipHaveTheEditedSkeleton) {
  const Clip clip = RandomClip({}, 20, 7);
  StringReceiver text;
  ConvertOptions options;
  options.outputs = {{"", BvhFormat{}}};
  const SharedSkeleton skeleton =
      std::make_shared<SourceSkeleton>(SourceSkeleton{clip.skeleton, {}});
  const ClipRows rows = {skeleton, clip.motion.frames, 0.01,
                         clip.motion.values};
  ASSERT_TRUE(
      Converter().ConvertClip(rows, options, &text, nullptr).status.ok());
  for (const bool repair : {false, true}) {
    ClipEdits edits;
    edits.frames = {5, 15, 1};
    edits.drop = {clip.skeleton.nodes[1].name};
    edits.repairs.fill_gaps = repair ? 1 : 0;
    const Converted edited = ReadRows(text.data()[0], edits);
    ASSERT_TRUE(edited.result.status.ok()) << edited.result.status;
    ASSERT_NE(edited.result.skeleton, nullptr);
    const Skeleton& dropped = edited.result.skeleton->skeleton;
    EXPECT_LT(dropped.nodes.size(), clip.skeleton.nodes.size());
    EXPECT_EQ(dropped.nodes.size(), edited.result.info.joints.size());
    EXPECT_EQ(edited.outputs[0].size(),
              10 * dropped.channels.size() * sizeof(float));
  }
}

TEST(ClipRows, ReportValuesThatAreNotFinite) {
  Clip clip = SmallLeg(4);
  const size_t width = clip.skeleton.channels.size();
  ASSERT_EQ(width, 12u);
  clip.motion.values[1 * width + 7] = NAN;
  clip.motion.values[2 * width + 6] = -INFINITY;
  clip.motion.values[3 * width] = -INFINITY;
  const ClipRows rows = {
      std::make_shared<SourceSkeleton>(SourceSkeleton{clip.skeleton, {}}),
      clip.motion.frames, 0.01, clip.motion.values};
  const ConvertResult result =
      Converter().ConvertClip(rows, {}, nullptr, nullptr);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.report.verdict, Verdict::kAccepted);
  std::vector<const Issue*> found;
  for (const Issue& issue : result.report.issues) {
    if (issue.code == "DATA_NOT_FINITE") found.push_back(&issue);
  }
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->location.joint, 0);
  EXPECT_EQ(found[0]->location.frame, 3);
  EXPECT_EQ(found[0]->location.channel, 0);
  EXPECT_EQ(found[0]->message,
            "the value is '-inf'; not finite in the whole clip: 3 of 48 values "
            "(6 %) in 3 "
            "frames, 1 run; the motion is not judged");
  EXPECT_EQ(found[1]->location.joint, 1);
  EXPECT_EQ(found[1]->location.joint_name, "Knee");
  EXPECT_EQ(found[1]->location.frame, 1);
  EXPECT_EQ(found[1]->location.channel, 1);
  EXPECT_EQ(found[1]->occurrences, 2);
  EXPECT_EQ(found[1]->args[0].second, "'nan'");
}

TEST(ClipRows, ThatDoNotFitTheirSkeletonAreRefused) {
  const Clip clip = SmallLeg(4);
  const auto skeleton =
      std::make_shared<SourceSkeleton>(SourceSkeleton{clip.skeleton, {}});
  const std::span<const float> values = clip.motion.values;
  const struct {
    ClipRows rows;
    const char* message;
  } kCases[] = {
      {{nullptr, 4, 0.01, values}, "skeleton: is missing"},
      {{skeleton, -1, 0.01, {}}, "frames: is negative"},
      {{skeleton, 5, 0.01, values}, "values: has the wrong size"},
      {{skeleton, 3, 0.01, values}, "values: has the wrong size"},
      {{skeleton, 4, 0.01, values.first(47)}, "values: has the wrong size"},
      {{skeleton, 4, 0.01, {}}, "values: has the wrong size"},
  };
  for (const auto& row : kCases) {
    const ConvertResult result =
        Converter().ConvertClip(row.rows, {}, nullptr, nullptr);
    EXPECT_EQ(result.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(result.status.message(), row.message);
  }
  EXPECT_TRUE(
      Converter()
          .ConvertClip({skeleton, 4, 0.01, values}, {}, nullptr, nullptr)
          .status.ok());
}

TEST(ClipRows, AreCheckedAgainstTheLimits) {
  const Clip clip = RandomClip({}, 20, 7);
  ConvertOptions options;
  options.limits.max_frames = 19;
  const ClipRows rows = {
      std::make_shared<SourceSkeleton>(SourceSkeleton{clip.skeleton, {}}),
      clip.motion.frames, 0.01, clip.motion.values};
  const ConvertResult result =
      Converter().ConvertClip(rows, options, nullptr, nullptr);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CallErrorOf(result.status).limit_name, "max_frames");
}

}  // namespace
}  // namespace bvhmill::testing
