// Each limit of a clip, at the limit and one below it.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

constexpr absl::StatusCode kExhausted = absl::StatusCode::kResourceExhausted;

// The chain of 4 joints and 5 frames: what it has of each kind.
struct LimitCase {
  const char* name;
  int64_t Limits::*field;
  const char* reason;
  int64_t has;
};

void PrintTo(const LimitCase& limit, std::ostream* out) { *out << limit.name; }

constexpr int kJoints = 4;
constexpr int kFrames = 5;

const std::string& Text() {
  static const std::string* text = new std::string(ChainText(kJoints, kFrames));
  return *text;
}

int64_t LongestLine() {
  size_t longest = 0;
  for (size_t at = 0; at < Text().size();) {
    const size_t end = Text().find('\n', at);
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  return static_cast<int64_t>(longest);
}

int64_t EndOfFirstRow() {
  const std::string text = Text();
  const size_t header = text.find('\n', text.find("Frame Time"));
  return static_cast<int64_t>(text.find('\n', header + 1)) + 1;
}

std::vector<LimitCase> Cases() {
  return {
      {"max_clip_bytes", &Limits::max_clip_bytes, "LIMIT_CLIP_BYTES",
       static_cast<int64_t>(Text().size())},
      {"max_header_bytes", &Limits::max_header_bytes, "LIMIT_HEADER_BYTES",
       EndOfFirstRow()},
      {"max_line_bytes", &Limits::max_line_bytes, "LIMIT_LINE_BYTES",
       LongestLine()},
      {"max_name_bytes", &Limits::max_name_bytes, "LIMIT_NAME_BYTES", 2},
      {"max_joints", &Limits::max_joints, "LIMIT_JOINTS", kJoints + 1},
      {"max_depth", &Limits::max_depth, "LIMIT_DEPTH", kJoints},
      {"max_channels", &Limits::max_channels, "LIMIT_CHANNELS",
       3 + 3 * kJoints},
      {"max_frames", &Limits::max_frames, "LIMIT_FRAMES", kFrames},
  };
}

class LimitTest : public ::testing::TestWithParam<LimitCase> {
 protected:
  ConvertResult ConvertWith(int64_t limit) {
    ConvertOptions options;
    options.outputs = {{"", PositionsFormat{}}};
    options.limits.*GetParam().field = limit;
    return ConvertText(Text(), options, &receiver_);
  }

 private:
  StringReceiver receiver_;
};

INSTANTIATE_TEST_SUITE_P(Limits, LimitTest, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

TEST_P(LimitTest, TakesWhatIsAtTheLimit) {
  const ConvertResult result = ConvertWith(GetParam().has);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(ReasonOf(result.status), "");
}

TEST_P(LimitTest, RefusesWhatIsOneAbove) {
  const int64_t limit = GetParam().has - 1;
  const ConvertResult result = ConvertWith(limit);
  ExpectFailed(result, kExhausted);
  EXPECT_EQ(ReasonOf(result.status), GetParam().reason);
  EXPECT_EQ(MetadataOf(result.status, "limit_name"), GetParam().name);
  EXPECT_EQ(MetadataOf(result.status, "limit"), std::to_string(limit));
  EXPECT_NE(result.status.ToString().find(GetParam().name), std::string::npos);
}

// All but the size of the text are faults of the file, too.
TEST_P(LimitTest, ReportsIt) {
  const ConvertResult result = ConvertWith(GetParam().has - 1);
  EXPECT_TRUE(Lists(result.report, GetParam().reason));
  EXPECT_EQ(result.report.counts.errors, 1);
  EXPECT_FALSE(IsGood(result.report.verdict));
}

TEST_P(LimitTest, ZeroIsNoLimit) { EXPECT_TRUE(ConvertWith(0).status.ok()); }

// To leave a limit out of the report is not to lift it.
TEST_P(LimitTest, HoldsWhenItsCodeIsIgnored) {
  ConvertOptions options;
  options.limits.*GetParam().field = GetParam().has - 1;
  options.report.ignore = {GetParam().reason};
  const ConvertResult result = ConvertText(Text(), options, nullptr);
  EXPECT_FALSE(result.status.ok());
  EXPECT_TRUE(result.outputs.empty());
  EXPECT_FALSE(Lists(result.report, GetParam().reason));
}

TEST(OutputLimits, Outputs) {
  ConvertOptions options;
  options.outputs = {{"a", CsvFormat{}}, {"b", CsvFormat{}}};
  options.limits.max_outputs_per_clip = 1;
  StringReceiver receiver;
  const ConvertResult result = ConvertText(Text(), options, &receiver);
  ExpectFailed(result, kExhausted);
  EXPECT_TRUE(MetadataOf(result.status, "limit_name")
                  .starts_with("max_outputs_per_clip"))
      << MetadataOf(result.status, "limit_name");
  EXPECT_TRUE(receiver.data().empty());
}

class OutputBytesTest : public ::testing::TestWithParam<OutputRequest> {};

INSTANTIATE_TEST_SUITE_P(Limits, OutputBytesTest,
                         ::testing::ValuesIn(EveryOutput()),
                         [](const auto& info) { return info.param.id; });

TEST_P(OutputBytesTest, CountExactly) {
  ConvertOptions options;
  options.outputs = {GetParam()};
  StringReceiver all;
  ASSERT_TRUE(ConvertText(Text(), options, &all).status.ok());
  const auto bytes = static_cast<int64_t>(all.data()[0].size());

  options.limits.max_output_bytes = bytes;
  StringReceiver enough;
  EXPECT_TRUE(ConvertText(Text(), options, &enough).status.ok());

  options.limits.max_output_bytes = bytes - 1;
  StringReceiver few;
  const ConvertResult result = ConvertText(Text(), options, &few);
  ExpectFailed(result, kExhausted);
  EXPECT_EQ(MetadataOf(result.status, "limit_name"), "max_output_bytes");
  EXPECT_TRUE(IsGood(result.report.verdict));
}

// The number in the message is there for programs, too.
TEST(OutputLimits, AreNamedWithTheirNumber) {
  ConvertOptions options;
  options.outputs = {{"a", CsvFormat{}}, {"b", CsvFormat{}}};
  options.limits.max_output_bytes = 77;
  StringReceiver receiver;
  const ConvertResult bytes = ConvertText(Text(), options, &receiver);
  EXPECT_NE(bytes.status.ToString().find("77"), std::string::npos);
  EXPECT_EQ(MetadataOf(bytes.status, "limit"), "77");
  options.limits.max_outputs_per_clip = 1;
  const ConvertResult outputs = ConvertText(Text(), options, &receiver);
  EXPECT_EQ(MetadataOf(outputs.status, "limit"), "1") << outputs.status;
}

TEST(OutputLimits, BytesOfAllOutputsTogether) {
  ConvertOptions options;
  options.outputs = {{"a", PositionsFormat{}}, {"b", PositionsFormat{}}};
  const int64_t both = 2 * kFrames * kJoints * 12;
  options.limits.max_output_bytes = both;
  StringReceiver enough;
  EXPECT_TRUE(ConvertText(Text(), options, &enough).status.ok());
  options.limits.max_output_bytes = both - 1;
  StringReceiver few;
  ExpectFailed(ConvertText(Text(), options, &few), kExhausted);
}

}  // namespace
}  // namespace bvhmill::testing
