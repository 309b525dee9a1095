// Tests the results of Convert for good and broken clips.

#include "bvhmill/pipeline/convert.h"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "bvhmill/pipeline/converter_pool.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

ConvertOptions WithOutput() {
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}};
  return options;
}

// The rows begin in line 14.
const std::string& NumberFault() {
  static const std::string* text =
      new std::string(TextWithRows(2, "1 2 3\n4 5,5 6\n"));
  return *text;
}

const std::string& Commented() {
  static const std::string* text =
      new std::string("# made by hand\n" + TextWithRows(1, "1 2 3\n"));
  return *text;
}

TEST(Convert, ReportsAGoodClip) {
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(ChainText(3, 4), WithOutput(), &receiver);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(ReasonOf(result.status), "");
  EXPECT_TRUE(PartsOf(result.status).metadata.empty());
  EXPECT_TRUE(IsGood(result.report.verdict));
  EXPECT_EQ(result.info.frames, 4);
  EXPECT_EQ(result.info.joint_count, 3);
  EXPECT_EQ(result.info.joints.size(), 4u);
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_EQ(result.outputs[0].id, "positions");
  EXPECT_EQ(result.outputs[0].size_bytes, 4 * 3 * 12);
  EXPECT_EQ(receiver.data()[0].size(), 4u * 3 * 12);
}

TEST(Convert, OptionsThatAreRefusedLeaveNothingOfTheClipBefore) {
  Converter converter;
  StringReceiver receiver;
  ConvertResult result;
  converter.ConvertInto(ChainText(3, 4), WithOutput(), &receiver, nullptr,
                        &result);
  ASSERT_EQ(result.outputs.size(), 1u);
  ConvertOptions bad = WithOutput();
  bad.report.ignore = {"NO_SUCH_CODE"};
  converter.ConvertInto(ChainText(3, 4), bad, &receiver, nullptr, &result);
  ExpectFailed(result, kInvalid);
  EXPECT_EQ(result.info.frames, 0);
  EXPECT_TRUE(result.info.joints.empty());
}

// The status of a result and the fields of its outputs, as text.
std::string OutputOf(const ConvertResult& result) {
  std::string text = std::to_string(result.status.ok());
  for (const OutputInfo& output : result.outputs) {
    text += " " + output.id + " " + output.media_type + " " +
            std::to_string(output.size_bytes);
    if (!output.tensor) continue;
    for (const int64_t size : output.tensor->shape) {
      text += "," + std::to_string(size);
    }
    for (const std::string& axis : output.tensor->axes) text += "," + axis;
  }
  return text;
}

TEST(Convert, AResultThatIsUsedAgainIsThatOfTheNewOutput) {
  const std::string text = ChainText(3, 4);
  std::vector<OutputRequest> requests = EveryOutput();
  AnimFormat anim;
  anim.accept_odd = true;
  anim.joint_map_rows = {{"J0", "mPelvis"}};
  requests.push_back({"anim", anim});
  for (const OutputRequest& request : requests) {
    Converter converter;
    StringReceiver receiver;
    ConvertResult result;
    ConvertOptions options = WithOutput();
    converter.ConvertInto(text, options, &receiver, nullptr, &result);
    ASSERT_TRUE(result.outputs.at(0).tensor.has_value());
    options.outputs = {request};
    converter.ConvertInto(text, options, &receiver, nullptr, &result);
    StringReceiver fresh;
    EXPECT_EQ(OutputOf(result), OutputOf(ConvertText(text, options, &fresh)))
        << request.id;
    EXPECT_EQ(result.outputs.size(), 1u);
  }
}

TEST(ConverterPool, GivesConvertersThatItKeeps) {
  ConverterPool pool(Parallelism::None());
  const std::string text = ChainText(3, 4);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<ConverterPool::Lease>> leases;
    // More than it keeps.
    for (size_t i = 0; i < ConverterPool::kMaxKept + 2; ++i) {
      leases.push_back(std::make_unique<ConverterPool::Lease>(&pool));
      StringReceiver receiver;
      const ConvertResult result =
          (*leases.back())->Convert(text, WithOutput(), &receiver, nullptr);
      EXPECT_TRUE(result.status.ok()) << result.status;
      EXPECT_EQ(receiver.data()[0].size(), 4u * 3 * 12);
    }
  }
}

struct BrokenClip {
  const char* name;
  std::string text;
  const char* reason;
  // Null where it is not looked at.
  const char* line;
  const char* column;
};

void PrintTo(const BrokenClip& clip, std::ostream* out) { *out << clip.name; }

const BrokenClip kBrokenClips[] = {
    {"Empty", "", "TEXT_EMPTY", nullptr, nullptr},
    {"Blank", " \n\n", "TEXT_EMPTY", nullptr, nullptr},
    {"Number", NumberFault(), "MOTION_NUMBER_INVALID", "15", "3"},
    {"ShortRow", TextWithRows(2, "1 2\n4 5 6\n"), "MOTION_ROW_TOO_SHORT", "14",
     nullptr},
    {"LongRow", TextWithRows(2, "1 2 3\n4 5 6 7\n"), "MOTION_ROW_TOO_LONG",
     "15", "7"},
    {"NoRoot", "HIERARCHY\nMOTION\nFrames: 0\n", "HIERARCHY_NO_ROOT", "2", "1"},
    {"FrameCount", TextWithRows(-1, ""), "MOTION_FRAMES_INVALID", "12", "9"},
};

class BrokenTest : public ::testing::TestWithParam<BrokenClip> {};

INSTANTIATE_TEST_SUITE_P(Convert, BrokenTest, ::testing::ValuesIn(kBrokenClips),
                         [](const auto& info) { return info.param.name; });

TEST_P(BrokenTest, IsAnInvalidArgumentWithItsPlace) {
  StringReceiver receiver;
  const ConvertResult result =
      ConvertText(GetParam().text, WithOutput(), &receiver);
  ExpectFailed(result, kInvalid);
  EXPECT_EQ(ReasonOf(result.status), GetParam().reason) << result.status;
  if (GetParam().line != nullptr) {
    EXPECT_EQ(MetadataOf(result.status, "line"), GetParam().line);
  }
  if (GetParam().column != nullptr) {
    EXPECT_EQ(MetadataOf(result.status, "column"), GetParam().column);
  }
}

TEST_P(BrokenTest, IsReportedEvenWithoutOutputs) {
  const ConvertResult result = ConvertText(GetParam().text, {}, nullptr);
  ExpectFailed(result, kInvalid);
  ASSERT_NE(FirstError(result.report), nullptr);
  EXPECT_EQ(FirstError(result.report)->code, GetParam().reason);
  EXPECT_FALSE(IsGood(result.report.verdict));
}

// To leave an error out of the report is not to repair the file.
TEST_P(BrokenTest, StaysBrokenWhenItsCodeIsIgnored) {
  ConvertOptions options = WithOutput();
  options.report.ignore = {GetParam().reason};
  StringReceiver receiver;
  const ConvertResult result = ConvertText(GetParam().text, options, &receiver);
  ExpectFailed(result, kInvalid);
  EXPECT_FALSE(Lists(result.report, GetParam().reason));
}

TEST(Convert, NamesTheVariablePartsOfTheFault) {
  const ConvertResult result = ConvertText(NumberFault(), {}, nullptr);
  EXPECT_NE(MetadataOf(result.status, "word").find("5,5"), std::string::npos);
  EXPECT_EQ(MetadataOf(result.status, "frame"), "1");
  EXPECT_EQ(MetadataOf(result.status, "joint_name"), "Hips");
  EXPECT_EQ(MetadataOf(result.status, "joint_index"), "0");
  EXPECT_EQ(MetadataOf(result.status, "channel"), "1");
  EXPECT_NE(MetadataOf(result.status, "byte_offset"), "");
}

TEST(Convert, KeepsFactsOfABrokenMotion) {
  const ConvertResult result = ConvertText(NumberFault(), {}, nullptr);
  EXPECT_EQ(result.report.verdict, Verdict::kInvalid);
  EXPECT_EQ(result.info.joint_count, 1);
  const ConvertResult unread = ConvertText("", {}, nullptr);
  EXPECT_EQ(unread.report.verdict, Verdict::kUnreadable);
  EXPECT_TRUE(unread.info.joints.empty());
}

TEST(Convert, RepairsUnlessItIsStrict) {
  StringReceiver lenient;
  const ConvertResult repaired =
      ConvertText(Commented(), WithOutput(), &lenient);
  EXPECT_TRUE(repaired.status.ok()) << repaired.status;
  EXPECT_EQ(repaired.report.verdict, Verdict::kAccepted);
  EXPECT_EQ(repaired.report.counts.warnings, 1);

  ConvertOptions options = WithOutput();
  options.report.strict = true;
  StringReceiver strict;
  const ConvertResult refused = ConvertText(Commented(), options, &strict);
  ExpectFailed(refused, kInvalid);
  EXPECT_EQ(ReasonOf(refused.status), "TEXT_COMMENT");
  EXPECT_EQ(MetadataOf(refused.status, "line"), "1");
  EXPECT_EQ(refused.report.verdict, Verdict::kInvalid);
}

TEST(Convert, TakesARepairWhoseCodeIsIgnored) {
  ConvertOptions options = WithOutput();
  options.report.strict = true;
  options.report.ignore = {"TEXT_COMMENT"};
  StringReceiver receiver;
  const ConvertResult result = ConvertText(Commented(), options, &receiver);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.report.verdict, Verdict::kValid);
  EXPECT_FALSE(Lists(result.report, "TEXT_COMMENT"));
}

TEST(Convert, RefusesAWarningThatIsMadeAnError) {
  ConvertOptions options = WithOutput();
  options.report.severities = {{"TEXT_COMMENT", Severity::kError}};
  StringReceiver receiver;
  const ConvertResult result = ConvertText(Commented(), options, &receiver);
  ExpectFailed(result, kInvalid);
  EXPECT_EQ(ReasonOf(result.status), "TEXT_COMMENT");
}

TEST(Convert, WithoutOutputsOnlyReports) {
  const ConvertResult result = ConvertText(ChainText(2, 3), {}, nullptr);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_TRUE(result.outputs.empty());
  EXPECT_EQ(result.info.frames, 3);
  EXPECT_TRUE(IsGood(result.report.verdict));
}

TEST(Convert, StopsWhenItIsCancelled) {
  CancelToken cancel;
  cancel.Cancel();
  StringReceiver receiver;
  const ConvertResult result =
      Convert(ChainText(2, 3), WithOutput(), &receiver, &cancel);
  ExpectFailed(result, absl::StatusCode::kCancelled);
  const ConvertResult report =
      Convert(ChainText(2, 3), ConvertOptions{}, nullptr, &cancel);
  EXPECT_EQ(report.status.code(), absl::StatusCode::kCancelled);
}

TEST(Convert, TimesItsStages) {
  StringReceiver receiver;
  ConvertOptions options;
  options.outputs = EveryOutput();
  const StageTimes times =
      ConvertText(ChainText(9, 200), options, &receiver).times;
  EXPECT_EQ(times.queued.count(), 0);
  EXPECT_GT(times.read.count(), 0);
  EXPECT_GE(times.validate.count(), 0);
  EXPECT_GT(times.solve.count(), 0);
  EXPECT_GT(times.encode.count(), 0);
}

}  // namespace
}  // namespace bvhmill::testing
