// Which options can be.

#include "bvhmill/pipeline/options.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "bvhmill/base/status.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

using Change = std::function<void(ConvertOptions*)>;

struct Choice {
  const char* name;
  absl::StatusCode code;
  // What the message begins with: the field.
  const char* field;
  Change change;
};

void PrintTo(const Choice& choice, std::ostream* out) { *out << choice.name; }

constexpr absl::StatusCode kOk = absl::StatusCode::kOk;
constexpr absl::StatusCode kBad = absl::StatusCode::kInvalidArgument;

OutputRequest BvhWith(int decimals) { return {"", BvhFormat{decimals}}; }

const Choice kChoices[] = {
    {"Defaults", kOk, "", [](ConvertOptions*) {}},
    {"EveryOutput", kOk, "",
     [](ConvertOptions* o) { o->outputs = EveryOutput(); }},
    {"OneFormatTwice", kOk, "",
     [](ConvertOptions* o) {
       o->outputs = {{"a", CsvFormat{}}, {"b", CsvFormat{}}};
     }},
    {"KnownCodes", kOk, "",
     [](ConvertOptions* o) {
       o->report.ignore_codes = {"TEXT_EMPTY"};
       o->report.only_codes = {"LIMIT_FRAMES"};
       o->report.severity_overrides = {{"TEXT_COMMENT", Severity::kHint}};
     }},
    {"IgnoresUnknownCode", kBad, "ignore_codes",
     [](ConvertOptions* o) { o->report.ignore_codes = {"NO_SUCH_CODE"}; }},
    {"IgnoresLowerCase", kBad, "ignore_codes",
     [](ConvertOptions* o) { o->report.ignore_codes = {"text_empty"}; }},
    {"IgnoresEmptyCode", kBad, "ignore_codes",
     [](ConvertOptions* o) { o->report.ignore_codes = {""}; }},
    {"UnknownCodeBehindKnown", kBad, "ignore_codes",
     [](ConvertOptions* o) {
       o->report.ignore_codes = {"TEXT_EMPTY", "X"};
     }},
    {"OnlyUnknownCode", kBad, "only_codes",
     [](ConvertOptions* o) { o->report.only_codes = {"NO_SUCH_CODE"}; }},
    {"OverridesUnknownCode", kBad, "severity_overrides",
     [](ConvertOptions* o) {
       o->report.severity_overrides = {{"NO_SUCH_CODE", Severity::kInfo}};
     }},
    {"NegativeIssues", kBad, "max_issues",
     [](ConvertOptions* o) { o->report.max_issues = -1; }},
    {"SameId", kBad, "outputs[1].id",
     [](ConvertOptions* o) {
       o->outputs = {{"a", CsvFormat{}}, {"a", NpzFormat{}}};
     }},
    {"SameFormatWithoutId", kBad, "outputs[1].id",
     [](ConvertOptions* o) {
       o->outputs = {{"", CsvFormat{}}, {"", CsvFormat{}}};
     }},
    {"IdIsNameOfOtherFormat", kBad, "outputs[1].id",
     [](ConvertOptions* o) {
       o->outputs = {{"csv", NpzFormat{}}, {"", CsvFormat{}}};
     }},
    {"ShortestDecimals", kOk, "",
     [](ConvertOptions* o) { o->outputs = {BvhWith(-1)}; }},
    {"NoDecimals", kOk, "",
     [](ConvertOptions* o) { o->outputs = {BvhWith(0)}; }},
    {"NegativeDecimals", kBad, "outputs[0].",
     [](ConvertOptions* o) { o->outputs = {BvhWith(-2)}; }},
    {"HugeDecimals", kBad, "outputs[0].",
     [](ConvertOptions* o) { o->outputs = {BvhWith(2'000'000'000)}; }},
    {"TooManyOutputs", absl::StatusCode::kResourceExhausted, "",
     [](ConvertOptions* o) {
       o->outputs = EveryOutput();
       o->limits.max_outputs = 9;
     }},
    {"AsManyOutputsAsAllowed", kOk, "",
     [](ConvertOptions* o) {
       o->outputs = EveryOutput();
       o->limits.max_outputs = 10;
     }},
    {"NoLimitOfOutputs", kOk, "",
     [](ConvertOptions* o) {
       o->outputs = EveryOutput();
       o->limits.max_outputs = 0;
     }},
};

class CheckOptionsTest : public ::testing::TestWithParam<Choice> {};

INSTANTIATE_TEST_SUITE_P(Choices, CheckOptionsTest,
                         ::testing::ValuesIn(kChoices),
                         [](const auto& info) { return info.param.name; });

TEST_P(CheckOptionsTest, Judges) {
  ConvertOptions options;
  GetParam().change(&options);
  const absl::Status status = CheckOptions(options);
  EXPECT_EQ(status.code(), GetParam().code) << status;
  if (GetParam().code != kBad) return;
  const std::string_view message = MessageOf(status);
  const size_t colon = message.find(": ");
  ASSERT_NE(colon, std::string_view::npos) << message;
  EXPECT_NE(message.substr(0, colon).find(GetParam().field),
            std::string_view::npos)
      << message;
  EXPECT_GT(message.size(), colon + 2) << message;
}

// Convert refuses what CheckOptions does, before it reads the clip.
TEST_P(CheckOptionsTest, ConvertAgrees) {
  ConvertOptions options;
  GetParam().change(&options);
  StringReceiver receiver;
  const ConvertResult result = ConvertText(ChainText(2, 3), options, &receiver);
  EXPECT_EQ(result.status.code(), GetParam().code) << result.status;
  EXPECT_EQ(result.outputs.size(),
            GetParam().code == kOk ? options.outputs.size() : 0u);
}

}  // namespace
}  // namespace bvhmill::testing
