// Options as JSON, and the pages that are made of their table. The values of
// each option are tested with its message, in tests/wire.

#include "bvhmill/pipeline/options_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/pipeline/option_text.h"
#include "tests/options/option_page.h"
#include "tests/options/option_samples.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::StartsWith;

absl::Status StatusOf(const std::string& json) {
  ConvertOptions options;
  return OptionsFromJson(json, &options);
}

TEST(OptionsJson, SetsWhatItStatesAlone) {
  ConvertOptions options;
  options.edits.fps = 60;
  options.report.strict = true;
  ASSERT_TRUE(
      OptionsFromJson(R"({"mirror": true, "fps": null})", &options).ok());
  EXPECT_TRUE(options.edits.mirror);
  EXPECT_EQ(options.edits.fps, 60);
  EXPECT_TRUE(options.report.strict);
}

TEST(OptionsJson, OptionsOfOutputsAreSetInEachThatHasThem) {
  ConvertOptions options;
  ASSERT_TRUE(OptionsFromJson(R"({"end_sites": true, "rotation_kind": "6d",
      "emit": ["positions", "npz", "bvh", "anim"], "anim_priority": 4})",
                              &options)
                  .ok());
  ASSERT_EQ(options.outputs.size(), 4);
  EXPECT_TRUE(
      std::get<PositionsFormat>(options.outputs[0].format).with_end_sites);
  const auto& npz = std::get<NpzFormat>(options.outputs[1].format);
  EXPECT_TRUE(npz.with_end_sites);
  EXPECT_EQ(npz.rotation_kind, RotationKind::kSixD);
  EXPECT_EQ(std::get<AnimFormat>(options.outputs[3].format).settings.priority,
            4);
}

TEST(OptionsJson, AnOutputHasOptionsOfItsOwn) {
  ConvertOptions options;
  ASSERT_TRUE(OptionsFromJson(R"({"emit": [{"format": "rotations"},
      {"format": "rotations", "id": "world", "rotation_space": "world"}]})",
                              &options)
                  .ok());
  EXPECT_EQ(std::get<RotationsFormat>(options.outputs[0].format).rotation_space,
            RotationSpace::kLocal);
  EXPECT_EQ(options.outputs[1].id, "world");
  EXPECT_EQ(std::get<RotationsFormat>(options.outputs[1].format).rotation_space,
            RotationSpace::kWorld);
}

TEST(OptionsJson, OptionsOfOneOutputHavePriority) {
  ConvertOptions options;
  ASSERT_TRUE(OptionsFromJson(R"({"emit": ["npz", {"format": "rotations",
      "rotation_space": "world"}], "rotation_space": "local"})",
                              &options)
                  .ok());
  EXPECT_EQ(std::get<RotationsFormat>(options.outputs[1].format).rotation_space,
            RotationSpace::kWorld);
}

// A value replaces all parts of the one before.
TEST(OptionsJson, NoPartOfTheValueBeforeStays) {
  ConvertOptions options;
  ASSERT_TRUE(OptionsFromJson(R"({"frames": [3, 9, 2], "joint_map": {"a": "b"},
      "trim": null})",
                              &options)
                  .ok());
  ASSERT_TRUE(OptionsFromJson(R"({"frames": [null, 4.0], "joint_map": "cmu"})",
                              &options)
                  .ok());
  EXPECT_EQ(options.edits.frames, (FrameRange{0, 4, 1}));
  EXPECT_TRUE(options.edits.joint_map_rows.empty());
}

TEST(OptionsJson, OutputsBeyondTheLimitAreNotRead) {
  std::string json = R"({"emit": ["csv")";
  for (int i = 0; i < 100'000; ++i) json += R"(,"npz")";
  ConvertOptions options;
  const absl::Status status = OptionsFromJson(json + "]}", &options);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_EQ(options.outputs.size(), 17);
}

struct Wrong {
  const char* json;
  const char* message;
};

const Wrong kWrong[] = {
    {"", "options: the text is no JSON object"},
    {"[1]", "options: the text is no JSON object"},
    {"{\"fps\": 1", "options: the text is no JSON object"},
    {R"({"fpz": 1})", "fpz: there is no such option; did you mean 'fps'?"},
    {R"({"fps": "fast"})", "fps: \"fast\" is not a number above 0"},
    {R"({"fps": 0})", "fps: 0 is not a number above 0"},
    {R"({"fps": 1e999})", "options: the text is no JSON object"},
    {R"({"strict": 1})", "strict: 1 is not true or false"},
    {R"({"figure": 1.5})", "figure: 1.5 is not a whole number from 0 to "},
    {R"({"figure": 3000000000})", "figure: 3000000000 is not a whole number"},
    {R"({"interpolation": "lurp"})",
     "interpolation: 'lurp' is none of slerp, lerp; did you mean 'lerp'?"},
    {R"({"drop": "Hips"})", "drop: \"Hips\" is not a list of names"},
    {R"({"drop": [1]})", "drop: [1] is not a list of names"},
    {R"({"rename": ["a"]})", "rename: [\"a\"] is not an object of old and"},
    {R"({"severities": {"DATA_LOOP": "bad"}})",
     "severities: \"bad\" is none of error, warning, info, hint"},
    {R"({"severities": {"NO_CODE": "hint"}})",
     "severities: 'NO_CODE' is not an issue code"},
    {R"({"thresholds": {"DATA_SPIKE": 1}})",
     "thresholds: 'DATA_SPIKE' is not CODE.name with a number"},
    {R"({"thresholds": {"DATA_SPIKE.degree": 1}})", "thresholds: "},
    {R"({"units": "ell"})", "units: \"ell\" is not a number of meters above 0"},
    {R"({"frames": [3]})", "frames: [3] is not a list of begin, end"},
    {R"({"frames": [3, 2]})", "frames: ends at 2, not after its begin at 3"},
    {R"({"frames": [0, 9, 0]})", "frames: [0,9,0] is not a list"},
    {R"({"trim": [2, 1]})", "trim: [2,1] is not a list of begin and end"},
    {R"({"to_up": "y"})",
     "to_up: the up axis of the source is not known; set up"},
    {R"({"root_correction": [1, 2]})", "root_correction: [1,2] is not a list"},
    {R"({"emit": "npz"})", "emit: is not a list of formats"},
    {R"({"emit": ["nzp"]})",
     "emit: there is no format 'nzp'; did you mean 'npz'?"},
    {R"({"emit": [1]})", "emit: 1 is no format"},
    {R"({"emit": [{"id": "a"}]})",
     "emit: an output needs the name of its format"},
    {R"({"emit": ["npz"], "anim_loop": true})",
     "anim_loop: no output has this option"},
    {R"({"emit": [{"format": "npz", "fps": 1}]})",
     "fps: the format npz does not have this option"},
    {R"({"emit": ["anim"], "anim_loop": [2, 1]})",
     "anim_loop: [2,1] is not true, false, or a list of two times"},
    {R"({"emit": ["anim"], "anim_joint_priority": {"mHead": 7}})",
     "anim_joint_priority: {\"mHead\":7} is not NAME=P"},
    {R"({"emit": ["anim"], "anim_joint_priority": {"nose": 1}})",
     "anim_joint_priority: the avatar has no joint 'nose'"},
    {R"({"emit": ["anim"], "anim_constraints": []})",
     "anim_constraints: cannot be set by JSON"},
    {R"({"emit": ["npz"], "npz_arrays": []})", "npz_arrays: selects no array"},
};

TEST(OptionsJson, WrongOnesAreRefusedByTheirName) {
  for (const auto& [json, message] : kWrong) {
    const absl::Status status = StatusOf(json);
    EXPECT_FALSE(status.ok()) << json;
    EXPECT_THAT(std::string(MessageOf(status)), StartsWith(message)) << json;
  }
}

TEST(OptionsJson, LongTextsAreRefusedUnread) {
  const std::string text(kMaxOptionBytes + 1, '[');
  EXPECT_THAT(std::string(MessageOf(StatusOf(text))),
              StartsWith("options: has 1048577 bytes"));
  // Depth costs no stack.
  const std::string deep = "{\"fps\": " + std::string(200'000, '[') +
                           std::string(200'000, ']') + "}";
  EXPECT_EQ(MessageOf(StatusOf(deep)), "options: the text has too many levels");
  // Many keys are counted before they are looked at.
  std::string many = "{\"rename\": {\"a\": \"b\"";
  for (int i = 0; i < 60'000; ++i) {
    many += ",\"" + std::to_string(i) + "\": \"b\"";
  }
  EXPECT_EQ(MessageOf(StatusOf(many + "}}")),
            "rename: has 60001 entries, more than 20000");
}

TEST(OptionsJson, MessagesShowNoRawText) {
  const absl::Status status = StatusOf("{\"fps\\u001b[31m\\n\": 3}");
  EXPECT_THAT(std::string(MessageOf(status)), StartsWith("fps\\x1B[31m"));
  EXPECT_EQ(MessageOf(StatusOf("{\"fps\": \"\\u202e\u65e5\"}")).find("\u202e"),
            std::string_view::npos);
}

// IsEmpty lets conversions skip the edits, so it must know each of them.
TEST(OptionRows, OfEditsAreEdits) {
  const std::set<std::string_view> say_how = {"drop_mode", "interpolation",
                                              "body_root"};
  for (const OptionSample& sample : OptionSamples()) {
    const std::string_view message = MessagePath(*sample.row);
    if (!message.starts_with("options.edits")) continue;
    ConvertOptions options;
    const std::vector<std::string> flag = {"true"};
    EXPECT_EQ(SetOption(*sample.row, sample.words.empty() ? flag : sample.words,
                        PlaceIn(*sample.row, &options)),
              "");
    EXPECT_EQ(IsEmpty(options.edits), say_how.contains(sample.row->name))
        << sample.message;
  }
}

TEST(OptionDocs, PagesFollowTheTable) {
  constexpr const char* kHow =
      "to update: bvhmill_option_docs docs; the table is options.inc";
  EXPECT_EQ(ReadFile(SourceFile("docs/options.md")), OptionPage()) << kHow;
  EXPECT_EQ(ReadFile(SourceFile("docs/schema/options.schema.json")),
            OptionsSchema())
      << kHow;
}

TEST(OptionRows, AreFoundByTheirFields) {
  const std::pair<const char*, const char*> cases[] = {
      {"options.edits.fps", "fps"},
      {"options.edits.drop", "drop"},
      {"options.edits.drop_mode", "drop_mode"},
      {"options.edits.joint_map_rows[3]", "joint_map"},
      {"options.edits.repairs.fill_gaps", "fill_gaps"},
      {"options.validation.thresholds[0]", "thresholds"},
      {"options.measures", "measures"},
      {"options.outputs[12].anim.loop", "anim_loop"},
      {"options.outputs[0].anim.map_rows[1].target", "anim_map"},
      {"options.outputs[0].anim.max_degrees_limit", "anim_max_degrees_limit"},
      {"options.outputs[0].npz.end_sites", "end_sites"},
      {"options.outputs[0].id", ""},
      {"options.edits.fp", ""},
      {"options.editsfps", ""},
      {"source.format", ""},
      {"", ""}};
  for (const auto& [path, name] : cases) {
    const OptionRow* const row = OptionOfField(path);
    EXPECT_EQ(row == nullptr ? "" : row->name, name) << path;
  }
}

}  // namespace
}  // namespace bvhmill::testing
