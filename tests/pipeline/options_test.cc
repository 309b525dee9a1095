// Which options can be.

#include "bvhmill/pipeline/options.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "tests/pipeline/clip_text.h"

namespace bvhmill::testing {
namespace {

using Change = std::function<void(ConvertOptions*)>;

struct Choice {
  const char* name;
  absl::StatusCode code;
  // The message begins with the name of this field.
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
       o->report.ignore = {"TEXT_EMPTY"};
       o->report.only = {"LIMIT_FRAMES"};
       o->report.severities = {{"TEXT_COMMENT", Severity::kHint}};
     }},
    {"IgnoresUnknownCode", kBad, "ignore",
     [](ConvertOptions* o) { o->report.ignore = {"NO_SUCH_CODE"}; }},
    {"IgnoresLowerCase", kBad, "ignore",
     [](ConvertOptions* o) { o->report.ignore = {"text_empty"}; }},
    {"IgnoresEmptyCode", kBad, "ignore",
     [](ConvertOptions* o) { o->report.ignore = {""}; }},
    {"UnknownCodeBehindKnown", kBad, "ignore",
     [](ConvertOptions* o) {
       o->report.ignore = {"TEXT_EMPTY", "X"};
     }},
    {"OnlyUnknownCode", kBad, "only",
     [](ConvertOptions* o) { o->report.only = {"NO_SUCH_CODE"}; }},
    {"IgnoresAGroup", kOk, "",
     [](ConvertOptions* o) { o->report.ignore = {"DATA_*"}; }},
    {"OnlyAGroup", kOk, "",
     [](ConvertOptions* o) { o->report.only = {"SKELETON_*"}; }},
    {"IgnoresNoGroup", kBad, "ignore",
     [](ConvertOptions* o) { o->report.ignore = {"NONE_*"}; }},
    {"IgnoresEverything", kBad, "ignore",
     [](ConvertOptions* o) { o->report.ignore = {"*"}; }},
    {"OverridesAGroup", kBad, "severities",
     [](ConvertOptions* o) {
       o->report.severities = {{"DATA_*", Severity::kInfo}};
     }},
    {"OverridesUnknownCode", kBad, "severities",
     [](ConvertOptions* o) {
       o->report.severities = {{"NO_SUCH_CODE", Severity::kInfo}};
     }},
    {"KnownThreshold", kOk, "",
     [](ConvertOptions* o) {
       o->report.thresholds = {{"DATA_SPIKE", "degrees", 0}};
     }},
    {"UnknownThreshold", kBad, "options.validation.thresholds[1]",
     [](ConvertOptions* o) {
       o->report.thresholds = {{"DATA_SPIKE", "degrees", 1},
                               {"DATA_SPIKE", "degree", 1}};
     }},
    {"ThresholdOfUnknownRule", kBad, "options.validation.thresholds[0]",
     [](ConvertOptions* o) {
       o->report.thresholds = {{"DATA_SPIK", "degrees", 1}};
     }},
    {"NegativeThreshold", kBad, "options.validation.thresholds[0]",
     [](ConvertOptions* o) {
       o->report.thresholds = {{"DATA_SPIKE", "degrees", -1}};
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
    {"MostDecimals", kOk, "",
     [](ConvertOptions* o) { o->outputs = {BvhWith(60)}; }},
    {"OneDecimalTooMany", kBad, "outputs[0].bvh.decimals",
     [](ConvertOptions* o) { o->outputs = {BvhWith(61)}; }},
    {"NegativeDecimals", kBad, "outputs[0].",
     [](ConvertOptions* o) { o->outputs = {BvhWith(-2)}; }},
    {"HugeDecimals", kBad, "outputs[0].",
     [](ConvertOptions* o) { o->outputs = {BvhWith(2'000'000'000)}; }},
    {"AsManyCodesAsAllowed", kOk, "",
     [](ConvertOptions* o) {
       o->report.ignore.assign(kMaxCodes, "TEXT_EMPTY");
     }},
    {"TooManyCodes", kBad, "ignore",
     [](ConvertOptions* o) {
       o->report.ignore.assign(kMaxCodes + 1, "TEXT_EMPTY");
     }},
    {"OnlyTooManyCodes", kBad, "only",
     [](ConvertOptions* o) {
       o->report.only.assign(kMaxCodes + 1, "TEXT_EMPTY");
     }},
    {"LongestId", kOk, "",
     [](ConvertOptions* o) {
       o->outputs = {{std::string(kMaxOutputIdBytes, 'a'), CsvFormat{}}};
     }},
    {"IdTooLong", kBad, "outputs[0].id",
     [](ConvertOptions* o) {
       o->outputs = {{std::string(kMaxOutputIdBytes + 1, 'a'), CsvFormat{}}};
     }},
    {"TooManyJoints", kBad, "drop",
     [](ConvertOptions* o) { o->edits.drop.assign(kMaxJointNames + 1, ""); }},
    {"TooManyPriorities", kBad, "anim.joint_priority",
     [](ConvertOptions* o) {
       AnimFormat anim;
       anim.settings.joint_priority.assign(kMaxJointPriorities + 1,
                                           {"mHead", 1});
       o->outputs = {{"", anim}};
     }},
    {"TooManyOutputs", absl::StatusCode::kResourceExhausted, "",
     [](ConvertOptions* o) {
       o->outputs = EveryOutput();
       o->limits.max_outputs_per_clip = 9;
     }},
    {"AsManyOutputsAsAllowed", kOk, "",
     [](ConvertOptions* o) {
       o->outputs = EveryOutput();
       o->limits.max_outputs_per_clip = 10;
     }},
    {"NoLimitOfOutputs", kOk, "",
     [](ConvertOptions* o) {
       o->outputs = EveryOutput();
       o->limits.max_outputs_per_clip = 0;
     }},
};

class CheckOptionsTest : public ::testing::TestWithParam<Choice> {};

INSTANTIATE_TEST_SUITE_P(Choices, CheckOptionsTest,
                         ::testing::ValuesIn(kChoices),
                         [](const auto& info) { return info.param.name; });

TEST_P(CheckOptionsTest, GivesTheExpectedVerdict) {
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

// A text of `size` bytes, most of which a message must escape.
std::string Dirt(size_t size) {
  constexpr std::string_view kBytes = "\x1B[31m\n\x7F\xC2\x9B\xFFz";
  std::string out;
  while (out.size() < size) out.append(kBytes);
  out.resize(size);
  return out;
}

AnimFormat AnimWith(const std::function<void(AnimFormat*)>& change) {
  AnimFormat anim;
  change(&anim);
  return anim;
}

// Each word is as long as is read, or is refused for its length.
const std::pair<const char*, Change> kDirtyWords[] = {
    {"options.validation.ignore",
     [](ConvertOptions* o) { o->report.ignore = {Dirt(5000)}; }},
    {"options.validation.only",
     [](ConvertOptions* o) { o->report.only = {Dirt(5000)}; }},
    {"options.validation.severities",
     [](ConvertOptions* o) {
       o->report.severities = {{Dirt(5000), Severity::kInfo}};
     }},
    {"options.validation.thresholds[0]",
     [](ConvertOptions* o) {
       o->report.thresholds = {{Dirt(5000), "degrees", 1}};
     }},
    {"options.validation.thresholds[0]",
     [](ConvertOptions* o) {
       o->report.thresholds = {{"DATA_SPIKE", Dirt(5000), 1}};
     }},
    {"options.outputs[0].id",
     [](ConvertOptions* o) {
       o->outputs = {{Dirt(5000), CsvFormat{}}};
     }},
    {"options.outputs[1].id",
     [](ConvertOptions* o) {
       o->outputs = {{Dirt(1000), CsvFormat{}}, {Dirt(1000), NpzFormat{}}};
     }},
    {"options.outputs[0].anim.map",
     [](ConvertOptions* o) {
       o->outputs = {
           {"", AnimWith([](AnimFormat* a) { a->joint_map = Dirt(5000); })}};
     }},
    {"options.outputs[0].anim.emote",
     [](ConvertOptions* o) {
       o->outputs = {{"", AnimWith([](AnimFormat* a) {
                        a->settings.emote = Dirt(5000);
                      })}};
     }},
    {"options.outputs[0].anim.joint_priority",
     [](ConvertOptions* o) {
       o->outputs = {{"", AnimWith([](AnimFormat* a) {
                        a->settings.joint_priority = {{Dirt(5000), 1}};
                      })}};
     }},
    {"options.edits.drop",
     [](ConvertOptions* o) { o->edits.drop = {Dirt(5000)}; }},
    {"options.edits.drop",
     [](ConvertOptions* o) { o->edits.drop = {Dirt(4000)}; }},
    {"options.edits.keep",
     [](ConvertOptions* o) { o->edits.keep = {Dirt(4000)}; }},
    {"options.edits.rename",
     [](ConvertOptions* o) {
       o->edits.rename = {{Dirt(4000), "a"}};
     }},
    {"options.edits.rename",
     [](ConvertOptions* o) {
       o->edits.rename = {{"a", Dirt(4000)}};
     }},
    {"options.edits.rename",
     [](ConvertOptions* o) {
       o->edits.rename = {{Dirt(4000), "a"}, {Dirt(4000), "b"}};
     }},
    {"options.edits.joint_map",
     [](ConvertOptions* o) { o->edits.joint_map = Dirt(5000); }},
    {"options.edits.joint_map_rows",
     [](ConvertOptions* o) {
       o->edits.joint_map_rows = {{"a", Dirt(4000)}};
     }},
    {"options.edits.root_axes",
     [](ConvertOptions* o) {
       o->edits.root_alignment.position_axes = Dirt(5000);
     }},
    {"options.edits.root_signs",
     [](ConvertOptions* o) {
       o->edits.root_alignment.position_signs = Dirt(5000);
     }},
    {"options.edits.body_root",
     [](ConvertOptions* o) { o->edits.body_root = Dirt(5000); }},
    {"options.edits.body_root",
     [](ConvertOptions* o) {
       o->edits.at_origin = true;
       o->edits.body_root = Dirt(4000);
     }},
};

TEST(Options, ErrorsDoNotEchoRawInput) {
  for (const auto& [field, change] : kDirtyWords) {
    ConvertOptions options;
    change(&options);
    StringReceiver receiver;
    const absl::Status status =
        ConvertText(ChainText(2, 3), options, &receiver).status;
    EXPECT_EQ(status.code(), kBad) << field;
    const std::string_view message = MessageOf(status);
    EXPECT_TRUE(message.starts_with(field)) << status;
    // 80 bytes of input, each of four characters at most.
    EXPECT_LT(message.size(), 800u) << status;
    // Nothing is left to be escaped.
    EXPECT_EQ(Excerpt(message, message.size()), message) << field;
  }
}

}  // namespace
}  // namespace bvhmill::testing
