// Tests the issues and statuses of an output that cannot hold every clip.

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "bvhmill/pipeline/convert.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

// A chain whose first joint is the avatar's, at 30 frames a second.
std::string AvatarText(int64_t frames) {
  std::string text = ChainText(3, frames);
  const size_t root = text.find("ROOT ") + 5;
  text.replace(root, text.find('\n', root) - root, "hip");
  const size_t time = text.find("Frame Time:");
  text.replace(time, text.find('\n', time) - time, "Frame Time: 0.0333333");
  return text;
}

ConvertOptions AnimOptions(AnimProfile profile = AnimProfile::kBest) {
  ConvertOptions options;
  AnimFormat anim;
  anim.profile = profile;
  anim.accept_odd = true;
  options.outputs = {{"", CsvFormat{}}, {"", anim}};
  return options;
}

TEST(AnimOutput, IssuesOfItAreInTheReport) {
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(AvatarText(60), AnimOptions(), &receiver);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_TRUE(receiver.data()[1].starts_with(std::string_view("\1\0\0\0", 4)));
  EXPECT_TRUE(Lists(result.report, "ANIM_JOINT_LEFT_OUT"));
  EXPECT_TRUE(Lists(result.report, "ANIM_REFERENCE_CHOSEN"));
  EXPECT_EQ(result.report.counts.infos, 3);
}

// The .anim alone.
ConvertOptions AnimAlone(AnimProfile profile = AnimProfile::kBest) {
  ConvertOptions options = AnimOptions(profile);
  options.outputs.erase(options.outputs.begin());
  return options;
}

TEST(AnimOutput, ATargetThatCannotBeIsAFailedPrecondition) {
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(AvatarText(1803), AnimAlone(), &receiver);
  ExpectFailed(result, absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReasonOf(result.status), "TARGET_ANIM_DURATION");
  EXPECT_FALSE(MetadataOf(result.status, "seconds").empty());
  EXPECT_TRUE(Lists(result.report, "TARGET_ANIM_DURATION"));
  EXPECT_EQ(result.report.verdict, Verdict::kInvalid);
  EXPECT_TRUE(receiver.data().empty());
}

// It does not take the other outputs with it, nor the verdict of the clip.
TEST(AnimOutput, ATargetThatCannotBeLeavesTheOthers) {
  const ConvertOptions options = AnimOptions();
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(AvatarText(1803), options, &receiver);
  ASSERT_TRUE(result.status.ok()) << result.status;
  ASSERT_EQ(result.outputs.size(), 2);
  EXPECT_TRUE(result.outputs[0].status.ok());
  EXPECT_EQ(result.outputs[0].size_bytes, receiver.data()[0].size());
  EXPECT_GT(receiver.data()[0].size(), 0);
  EXPECT_EQ(ReasonOf(result.outputs[1].status), "TARGET_ANIM_DURATION");
  EXPECT_EQ(FirstFailure(result), result.outputs[1].status);
  EXPECT_EQ(result.outputs[1].size_bytes, 0);
  EXPECT_TRUE(receiver.data()[1].empty());
  EXPECT_TRUE(Lists(result.report, "TARGET_ANIM_DURATION"));
  EXPECT_EQ(result.report.counts.errors, 1);
  EXPECT_TRUE(IsGood(result.report.verdict));
}

// A check says that an output cannot be made.
TEST(AnimOutput, ACheckOfATargetThatCannotBeIsInvalid) {
  ConvertOptions options = AnimOptions();
  options.checks_only = true;
  const ConvertResult result = ConvertText(AvatarText(1803), options, nullptr);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.report.verdict, Verdict::kInvalid);
}

TEST(AnimOutput, RefusalsOfTheViewerNameTheJoint) {
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(ChainText(3, 9), AnimAlone(AnimProfile::kViewer), &receiver);
  ExpectFailed(result, absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReasonOf(result.status), "TARGET_ANIM_VIEWER");
  EXPECT_EQ(MetadataOf(result.status, "status"), "E_ST_BAD_ROOT");
  EXPECT_EQ(MetadataOf(result.status, "joint_index"), "0");
}

TEST(AnimOutput, AnIgnoredTargetFailsWhenItIsMade) {
  ConvertOptions options = AnimAlone();
  options.report.ignore = {"TARGET_ANIM_DURATION"};
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(AvatarText(1803), options, &receiver);
  ExpectFailed(result, absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReasonOf(result.status), "ANIM_DURATION_LONG");
  EXPECT_TRUE(Lists(result.report, "ANIM_DURATION_LONG"));
}

TEST(AnimOutput, TheEditedClipCounts) {
  ConvertOptions options = AnimOptions();
  options.edits.frames = {0, 300, 1};
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(AvatarText(1803), options, &receiver);
  EXPECT_TRUE(result.status.ok()) << result.status;
}

std::string TextOfIssue(const Report& report, std::string_view code) {
  for (const Issue& issue : report.issues) {
    if (issue.code == code) return issue.message;
  }
  return "";
}

TEST(AnimOutput, ALoopBeyondTheEndIsReported) {
  for (const AnimProfile profile : {AnimProfile::kBest, AnimProfile::kViewer}) {
    for (const float end : {1.5F, 9.25F}) {
      ConvertOptions options = AnimOptions(profile);
      auto& anim = std::get<AnimFormat>(options.outputs[1].format);
      anim.settings.loop_in = 0.5F;
      anim.settings.loop_out = end;
      StringReceiver receiver;
      const Report report =
          ConvertText(AvatarText(60), options, &receiver).report;
      const std::string message = TextOfIssue(report, "ANIM_LOOP_CLAMPED");
      EXPECT_EQ(message.starts_with("the loop was to go to 9.25 s;"), end > 2)
          << message;
    }
  }
}

TEST(AnimOutput, TheUnitCounts) {
  std::string bytes[2];
  for (int i = 0; i < 2; ++i) {
    ConvertOptions options = AnimOptions();
    options.edits.source.meters_per_unit = i == 0 ? 0.01 : 1;
    if (i == 0) options.edits.to_units = 1;
    StringReceiver receiver;
    ASSERT_TRUE(ConvertText(AvatarText(60), options, &receiver).status.ok());
    bytes[i] = receiver.data()[1];
  }
  EXPECT_NE(bytes[0], bytes[1]);
}

// The bytes of a root that rises from `first` above an OFFSET of 2, and turns.
std::string BytesOfRiser(int first, RootOffset root_offset) {
  std::string text =
      "HIERARCHY\nROOT hip\n{\nOFFSET 0 2 0\nCHANNELS 6 Xposition Yposition "
      "Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}"
      "\nMOTION\nFrames: 30\nFrame Time: 0.0333333\n";
  for (int i = 0; i < 30; ++i) {
    text +=
        "0 " + std::to_string(first + i) + " 0 0 0 " + std::to_string(i) + "\n";
  }
  ConvertOptions options = AnimOptions();
  options.conventions.root_offset = root_offset;
  options.edits.source.meters_per_unit = 0.01;
  std::get<AnimFormat>(options.outputs[1].format).reference =
      AnimReference::kRestPose;
  StringReceiver receiver;
  const ConvertResult result = ConvertText(text, options, &receiver);
  EXPECT_TRUE(result.status.ok()) << result.status;
  return receiver.data().at(1);
}

TEST(AnimOutput, TheConventionsCount) {
  const std::string added = BytesOfRiser(5, RootOffset::kAdded);
  EXPECT_TRUE(added == BytesOfRiser(7, RootOffset::kReplaced));
  EXPECT_TRUE(added != BytesOfRiser(5, RootOffset::kReplaced));
}

TEST(AnimOutput, ChecksMakeNothing) {
  ConvertOptions options = AnimOptions();
  options.checks_only = true;
  const ConvertResult good = Convert(AvatarText(60), options, nullptr, nullptr);
  EXPECT_TRUE(good.status.ok()) << good.status;
  EXPECT_TRUE(good.outputs.empty());
  EXPECT_TRUE(IsGood(good.report.verdict));
  const ConvertResult bad =
      Convert(AvatarText(1803), options, nullptr, nullptr);
  EXPECT_TRUE(bad.status.ok()) << bad.status;
  EXPECT_EQ(bad.report.verdict, Verdict::kInvalid);
  EXPECT_TRUE(Lists(bad.report, "TARGET_ANIM_DURATION"));
}

// A check passes an output that fails only if the report says so.
TEST(AnimOutput, ChecksFailIfTheReasonIsIgnored) {
  ConvertOptions options = AnimOptions();
  options.checks_only = true;
  options.report.only = {"DATA_NOT_FINITE"};
  const ConvertResult result =
      Convert(AvatarText(1803), options, nullptr, nullptr);
  EXPECT_TRUE(absl::IsFailedPrecondition(result.status)) << result.status;
  EXPECT_EQ(result.report.counts.errors, 0);
}

TEST(AnimOutput, ChecksOfABrokenClipAreAboutTheClip) {
  ConvertOptions options = AnimOptions();
  options.checks_only = true;
  const ConvertResult result =
      Convert(TextWithRows(1, "1 2 x\n"), options, nullptr, nullptr);
  EXPECT_TRUE(absl::IsInvalidArgument(result.status));
  EXPECT_FALSE(Lists(result.report, "TARGET_ANIM_NO_JOINTS"));
}

// In pieces, as from a stream.
class AnimStreamTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(AnimOutput, AnimStreamTest, ::testing::Bool());

TEST_P(AnimStreamTest, GivesTheSame) {
  for (const int64_t frames : {60, 1803}) {
    ConvertOptions options = AnimOptions();
    options.checks_only = GetParam();
    const std::string text = AvatarText(frames);
    StringReceiver whole;
    const ConvertResult expected = Convert(text, options, &whole, nullptr);
    StringReceiver streamed;
    ConvertResult result;
    Converter worker;
    Conversion clip(&worker, options, &streamed, nullptr, &result);
    for (size_t i = 0; i < text.size(); i += 1000) {
      clip.Add(std::string_view(text).substr(i, 1000));
    }
    clip.Finish();
    EXPECT_EQ(result.status, expected.status);
    EXPECT_EQ(ReasonOf(result.status), ReasonOf(expected.status));
    EXPECT_EQ(result.report.verdict, expected.report.verdict);
    EXPECT_EQ(result.report.issues.size(), expected.report.issues.size());
    EXPECT_TRUE(streamed.data() == whole.data());
  }
}

}  // namespace
}  // namespace bvhmill::testing
