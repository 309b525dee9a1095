// Every option in each of its forms: words, JSON, a message of the API.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <string>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/pipeline/option_text.h"
#include "bvhmill/pipeline/options_json.h"
#include "bvhmill/wire/options.h"
#include "tests/options/option_samples.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {

void PrintTo(const OptionSample& sample, std::ostream* out) {
  *out << sample.message;
}

namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

// What the client writes for `text`.
v1::ConvertOptions MessageOfText(const std::string& text) {
  auto message = ParseText<v1::ConvertOptions>(text);
  // It always states the number of issues.
  if (message.validation().max_issues() == 0) {
    message.mutable_validation()->set_max_issues(100);
  }
  return message;
}

std::string Difference(const v1::ConvertOptions& a,
                       const v1::ConvertOptions& b) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  return differencer.Compare(a, b) ? std::string() : difference;
}

// Sets an option by words, in the clip or in its only output.
std::string SetByWords(const std::string& name,
                       const std::vector<std::string>& words,
                       ConvertOptions* options) {
  const OptionRow* const row = FindOption(name);
  OptionPlace place = PlaceIn(*row, options);
  if (place.index() == 0) place = PlaceIn(*row, &options->outputs[0].format);
  const bool is_flag = words.empty() || words[0].empty();
  return SetOption(*row, is_flag ? std::vector<std::string>{"true"} : words,
                   place);
}

class OptionFieldTest : public ::testing::TestWithParam<OptionSample> {
 protected:
  v1::ConvertOptions Expected() const {
    const OptionSample& sample = GetParam();
    auto message = ParseText<v1::ConvertOptions>(sample.needs_message);
    // Both are about one output.
    const auto own = ParseText<v1::ConvertOptions>(sample.message);
    if (message.outputs_size() > 0 && own.outputs_size() > 0) {
      message.mutable_outputs(0)->MergeFrom(own.outputs(0));
    } else {
      message.MergeFrom(own);
    }
    return MessageOfText(message.DebugString());
  }
};

INSTANTIATE_TEST_SUITE_P(Wire, OptionFieldTest,
                         ::testing::ValuesIn(OptionSamples()));

TEST_P(OptionFieldTest, WordsBecomeTheField) {
  const OptionSample& sample = GetParam();
  ConvertOptions options;
  if (!sample.format.empty()) {
    options.outputs = {{"", FindFormat(sample.format)->defaults}};
  }
  if (!sample.needs.empty()) {
    EXPECT_EQ(SetByWords(sample.needs, {sample.needs_word}, &options), "");
  }
  EXPECT_EQ(SetByWords(std::string(sample.row->name), sample.words, &options),
            "");
  EXPECT_TRUE(CheckOptions(options).ok()) << CheckOptions(options);
  EXPECT_EQ(Difference(Expected(), wire::ToProto(options)), "");
}

TEST_P(OptionFieldTest, JsonBecomesTheField) {
  const OptionSample& sample = GetParam();
  std::string json =
      "{\"" + std::string(sample.row->name) + "\": " + sample.json;
  if (!sample.format.empty()) json += ", \"emit\": [\"" + sample.format + "\"]";
  if (!sample.needs.empty()) {
    std::string word = sample.needs_word;
    if (word.empty()) word = "true";
    if (sample.needs == "up") word = "\"y\"";
    if (sample.needs == "drop") word = "[\"Hat\"]";
    if (sample.needs == "csv_arrays") word = "[\"rotations\"]";
    json += ", \"" + sample.needs + "\": " + word;
  }
  ConvertOptions options;
  const absl::Status status = OptionsFromJson(json + "}", &options);
  ASSERT_TRUE(status.ok()) << status << json;
  EXPECT_EQ(Difference(Expected(), wire::ToProto(options)), "");
}

TEST_P(OptionFieldTest, FieldIsReadAndWritten) {
  ConvertOptions options;
  // The state of a request before does not stay.
  options.edits.drop = {"Before"};
  options.report.strict = true;
  const v1::ConvertOptions message = Expected();
  const absl::Status status = wire::FromProto(message, &options);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Difference(message, wire::ToProto(options)), "");
}

// If this fails, a field of the API has no row in options.inc.
TEST(OptionFields, AreAllInTheTable) {
  FieldCoverage covered;
  for (const OptionSample& sample : OptionSamples()) {
    covered.Add(ParseText<v1::ConvertOptions>(sample.message));
  }
  std::vector<std::string> missing;
  for (const std::string& name :
       covered.Missing(v1::ConvertOptions::descriptor())) {
    // Defaults are not written; zeros are tested below.
    const bool is_value = name.find(':') != std::string::npos;
    if (!is_value) missing.push_back(name);
  }
  EXPECT_THAT(Without({"OutputRequest.id",
                       "OutputRequest.values",
                       "ClipEdits.joint_map_rows",
                       "JointMapRow.source",
                       "JointMapRow.target",
                       "AnimFormat.map_rows",
                       "AnimFormat.constraints",
                       "AnimConstraint.chain_length",
                       "AnimConstraint.type",
                       "AnimConstraint.source_volume",
                       "AnimConstraint.target_volume",
                       "AnimConstraint.source_offset",
                       "AnimConstraint.target_offset",
                       "AnimConstraint.target_direction",
                       "AnimConstraint.ease_in_start_seconds",
                       "AnimConstraint.ease_in_stop_seconds",
                       "AnimConstraint.ease_out_start_seconds",
                       "AnimConstraint.ease_out_stop_seconds",
                       "AnimVector.x",
                       "AnimVector.y",
                       "AnimVector.z"},
                      missing),
              IsEmpty());
}

// A zero that is stated is not the same as a field that is not set.
TEST(OptionFields, StatedZerosAreKept) {
  for (const char* text :
       {"edits { tpose_frame: 0 }", "outputs { bvh { decimals: 0 } }",
        "outputs { anim { priority: 0 loop: false loop_in: 0 ease_in: 0 "
        "ease_out: 0 hand_pose: 0 max_degrees: 0 max_mm: 0 "
        "max_degrees_limit: 0 } }"}) {
    ConvertOptions options;
    const v1::ConvertOptions message = MessageOfText(text);
    ASSERT_TRUE(wire::FromProto(message, &options).ok()) << text;
    EXPECT_EQ(Difference(message, wire::ToProto(options)), "");
  }
}

// Messages and JSON refuse what is just outside of the bounds, by the same
// name.
TEST(OptionFields, OutsideOfTheBoundsAreRefused) {
  int tested = 0;
  for (const OptionSample& sample : OptionSamples()) {
    const OptionBounds& bounds = sample.row->bounds;
    const bool is_number =
        sample.json.find_first_not_of("0123456789.") == std::string::npos;
    if (!is_number) continue;
    std::vector<double> wrong;
    if (std::isfinite(bounds.least) && !bounds.is_above) {
      wrong.push_back(bounds.least - 1);
    }
    if (bounds.is_above) wrong.push_back(-1);
    if (std::isfinite(bounds.most)) wrong.push_back(bounds.most + 1);
    for (const double value : wrong) {
      const std::string name(sample.row->name);
      const std::string number = std::to_string(static_cast<int64_t>(value));
      std::string json = "{\"" + name + "\": " + number;
      if (!sample.format.empty()) {
        json += ", \"emit\": [\"" + sample.format + "\"]";
      }
      ConvertOptions options;
      absl::Status status = OptionsFromJson(json + "}", &options);
      EXPECT_TRUE(absl::IsInvalidArgument(status)) << json;
      EXPECT_THAT(std::string(MessageOf(status)), StartsWith(name + ": "));
      // An unsigned field holds no -1, and a zero is not set.
      if (name == "anim_hand_pose" && value < 0) continue;
      if (name == "anim_max_bytes" && value == 0) continue;
      // Nor does a field of 32 bits hold one more than the bound.
      const bool is_wide = value > std::numeric_limits<int32_t>::max();
      if (is_wide && sample.format.empty()) continue;
      const std::string field(FieldOf(*sample.row, sample.format));
      const auto message = ParseText<v1::ConvertOptions>(
          MessageWith(*sample.row, sample.format, field + ": " + number));
      options = {};
      status = wire::FromProto(message, &options);
      EXPECT_TRUE(absl::IsInvalidArgument(status))
          << message.DebugString() << status;
      const std::string path =
          sample.format.empty()
              ? std::string(MessagePath(*sample.row)) + "." + field
              : "options.outputs[0]." + sample.format + "." + field;
      EXPECT_THAT(std::string(MessageOf(status)), StartsWith(path + ": "));
      ++tested;
    }
  }
  EXPECT_GT(tested, 20);
}

TEST(OptionFields, UnknownValuesOfEnumsAreRefused) {
  int tested = 0;
  for (const OptionSample& sample : OptionSamples()) {
    if (!std::holds_alternative<EnumPlace>(sample.row->fallback)) continue;
    const std::string field(FieldOf(*sample.row, sample.format));
    const bool is_text = sample.row->name == "name_encoding";
    ConvertOptions options;
    const absl::Status status =
        wire::FromProto(ParseText<v1::ConvertOptions>(MessageWith(
                            *sample.row, sample.format,
                            field + (is_text ? ": 'ebcdic'" : ": 99"))),
                        &options);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << field << status;
    EXPECT_THAT(std::string(MessageOf(status)), ::testing::HasSubstr(field));
    ++tested;
  }
  EXPECT_GT(tested, 10);
}

struct Refused {
  const char* text;
  // The path of the field that the error names.
  const char* field;
};

// What no row says: values together, names that are looked up, lists of
// messages.
const Refused kRefused[] = {
    {"edits { frames { begin: 5 end: 5 } }", "options.edits.frames"},
    {"edits { frames { step: -1 } }", "options.edits.frames"},
    {"edits { trim { begin_seconds: 2 end_seconds: 1 } }",
     "options.edits.trim"},
    {"edits { trim { end_seconds: 1 } frames { end: 2 } }",
     "options.edits.trim"},
    {"edits { fps: 30 state_fps: 30 }", "options.edits.state_fps"},
    {"edits { fps: nan }", "options.edits.fps"},
    {"read { units: inf }", "options.read.units"},
    {"edits { in_place: true at_origin: true }", "options.edits.at_origin"},
    {"edits { root_axes: 'xxy' }", "options.edits.root_axes"},
    {"edits { root_signs: '++' }", "options.edits.root_signs"},
    {"edits { root_correction: [1, 2] }", "options.edits.root_correction"},
    {"edits { root_correction: [1, 2, inf] }", "options.edits.root_correction"},
    {"edits { joint_map: 'none' }", "options.edits.joint_map"},
    {"edits { names_to: 'none' }", "options.edits.names_to"},
    {"edits { rig: 'none' }", "options.edits.rig"},
    {"edits { rig: 'joint,parent\\na,b\\n' }", "options.edits.rig"},
    {"edits { rest: 'none' }", "options.edits.rest"},
    {"edits { rename { key: 'a' } }", "options.edits.rename"},
    {"edits { joint_map: 'cmu' joint_map_rows { source: 'a' target: 'b' } }",
     "options.edits.joint_map_rows"},
    {"edits { joint_map_rows { source: 'a' } }",
     "options.edits.joint_map_rows"},
    {"validation { ignore: 'NO_CODE' }", "options.validation.ignore"},
    {"validation { only: 'NO_CODE' }", "options.validation.only"},
    {"validation { severities { key: 'NO_CODE' value: SEVERITY_HINT } }",
     "options.validation.severities"},
    {"validation { severities { key: 'TEXT_EMPTY' } }",
     "options.validation.severities"},
    {"validation { thresholds { code: 'DATA_SPIKE' name: 'x' } }",
     "options.validation.thresholds[0]"},
    {"validation { max_issues: -1 }", "options.validation.max_issues"},
    {"outputs {}", "options.outputs[0].format"},
    {"outputs { npz {} } outputs { npz {} }", "options.outputs[1].id"},
    {"outputs { npz { arrays: [NPZ_ARRAY_POSITIONS, NPZ_ARRAY_POSITIONS] } }",
     "options.outputs[0].npz.arrays"},
    {"outputs { npz { arrays: NPZ_ARRAY_UNSPECIFIED } }",
     "options.outputs[0].npz.arrays"},
    {"outputs { anim { map: 'none' } }", "options.outputs[0].anim.map"},
    {"outputs { anim { map_rows { source: 'a' target: 'nose' } } }",
     "options.outputs[0].anim.map_rows[0].target"},
    {"outputs { anim { profile: ANIM_PROFILE_VIEWER map: 'cmu' } }",
     "options.outputs[0].anim.map"},
    {"outputs { anim { emote: 'express_no' } }",
     "options.outputs[0].anim.emote"},
    {"outputs { anim { joint_priority { joint: 'nose' } } }",
     "options.outputs[0].anim.joint_priority"},
    {"outputs { anim { joint_priority { joint: 'mHead' priority: 7 } } }",
     "options.outputs[0].anim.joint_priority"},
    {"outputs { anim { constraints { type: 9 } } }",
     "options.outputs[0].anim.constraints[0].type"},
    {"outputs { anim { constraints {} constraints { chain_length: 256 } } }",
     "options.outputs[0].anim.constraints[1].chain_length"},
};

TEST(OptionFields, WhatNoRowSaysIsRefused) {
  for (const auto& [text, field] : kRefused) {
    ConvertOptions options;
    const absl::Status status =
        wire::FromProto(ParseText<v1::ConvertOptions>(text), &options);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text << status;
    EXPECT_THAT(std::string(MessageOf(status)),
                StartsWith(std::string(field) + ": "))
        << text;
  }
}

// Adds `count` entries of one byte to the list at `field`.
v1::ConvertOptions WithEntries(const OptionRow& row, const std::string& format,
                               const std::string& entry, size_t count) {
  std::string fields;
  for (size_t i = 0; i < count; ++i) fields += entry;
  return ParseText<v1::ConvertOptions>(MessageWith(row, format, fields));
}

// Millions of empty names fit one message.
TEST(OptionFields, ListsBeyondTheirBoundAreNotCopied) {
  struct List {
    const char* option;
    const char* format;
    const char* entry;
    const char* path;
  };
  const List lists[] = {
      {"drop", "", "drop: '' ", "options.edits.drop"},
      {"keep", "", "keep: '' ", "options.edits.keep"},
      {"joint_map", "", "joint_map_rows {} ", "options.edits.joint_map_rows"},
      {"ignore", "", "ignore: '' ", "options.validation.ignore"},
      {"only", "", "only: '' ", "options.validation.only"},
      {"thresholds", "", "thresholds {} ", "options.validation.thresholds"},
      {"anim_map", "anim", "map_rows {} ", "options.outputs[0].anim.map_rows"},
      {"anim_joint_priority", "anim", "joint_priority {} ",
       "options.outputs[0].anim.joint_priority"},
      {"anim_constraints", "anim", "constraints {} ",
       "options.outputs[0].anim.constraints"}};
  for (const auto& [option, format, entry, path] : lists) {
    const OptionRow& row = *FindOption(option);
    const size_t most = row.bounds.most_entries;
    ConvertOptions options;
    const absl::Status status =
        wire::FromProto(WithEntries(row, format, entry, most + 1), &options);
    EXPECT_EQ(MessageOf(status),
              std::string(path) + ": has " + std::to_string(most + 1) +
                  " entries, more than " + std::to_string(most));
    EXPECT_TRUE(options.outputs.empty()) << option;
    EXPECT_TRUE(bvhmill::IsEmpty(options.edits)) << option;
  }
}

// A map has each key once.
TEST(OptionFields, MapsBeyondTheirBoundAreNotCopied) {
  v1::ConvertOptions message;
  auto& names = *message.mutable_edits()->mutable_rename();
  for (size_t i = 0; i <= kMaxJointNames; ++i) names[std::to_string(i)] = "a";
  ConvertOptions options;
  EXPECT_EQ(MessageOf(wire::FromProto(message, &options)),
            "options.edits.rename: has 20001 entries, more than 20000");
  message.Clear();
  auto& codes = *message.mutable_validation()->mutable_severities();
  for (size_t i = 0; i <= kMaxCodes; ++i) {
    codes[std::to_string(i)] = v1::SEVERITY_HINT;
  }
  EXPECT_EQ(MessageOf(wire::FromProto(message, &options)),
            "options.validation.severities: has 1025 entries, more than 1024");
}

TEST(OptionFields, LongNamesAreRefused) {
  const std::string name(kMaxJointNameBytes + 1, 'a');
  for (const std::string& text :
       {"edits { drop: '" + name + "' }", "edits { keep: '" + name + "' }",
        "edits { body_root: '" + name + "' }",
        "edits { rename { key: '" + name + "' value: 'b' } }",
        "edits { joint_map_rows { source: 'a' target: '" + name + "' } }"}) {
    ConvertOptions options;
    const absl::Status status =
        wire::FromProto(ParseText<v1::ConvertOptions>(text), &options);
    EXPECT_THAT(std::string(MessageOf(status)),
                ::testing::HasSubstr(": has 4097 bytes, more than 4096"));
  }
}

// A list of outputs is read until there are too many.
TEST(OptionFields, OutputsBeyondTheLimitAreNotRead) {
  ConvertOptions options;
  options.limits.max_outputs_per_clip = 2;
  // The last one has no format, which would be another fault.
  auto message = ParseText<v1::ConvertOptions>(
      "outputs { id: '0' csv {} } outputs { id: '1' csv {} } "
      "outputs { id: '2' csv {} } outputs {}");
  const absl::Status status = wire::FromProto(message, &options);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  message.mutable_outputs()->DeleteSubrange(2, 2);
  EXPECT_TRUE(wire::FromProto(message, &options).ok());
}

TEST(OptionFields, MegabytesAreRefused) {
  for (const bool fits : {true, false}) {
    v1::ConvertOptions message;
    const std::string name(kMaxJointNameBytes, 'a');
    // Each has a tag and two bytes of length besides.
    const size_t count = kMaxOptionBytes / name.size();
    for (size_t i = fits ? 1 : 0; i < count; ++i) {
      message.mutable_edits()->add_drop(name);
    }
    ConvertOptions options;
    const absl::Status status = wire::FromProto(message, &options);
    EXPECT_EQ(status.ok(), fits) << status;
    if (!fits) {
      EXPECT_THAT(std::string(MessageOf(status)), StartsWith("options: has "));
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
