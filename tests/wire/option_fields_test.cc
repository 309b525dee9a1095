// Every field of ConvertOptions against hand-written text protos: what the
// server reads, and what the client writes.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
#include "tests/wire/coverage.h"
#include "tests/wire/option_cases.h"
#include "tests/wire/plain_text.h"
#include "tests/wire/stated_defaults.h"

namespace bvhmill::testing {

void PrintTo(const OptionCase& option, std::ostream* out) {
  *out << option.text;
}

void PrintTo(const RefusedOption& option, std::ostream* out) {
  *out << option.text;
}

namespace {

using ::testing::IsEmpty;
using ::testing::StartsWith;

ConvertOptions PlainOf(const OptionCase& option) {
  ConvertOptions options;
  option.change(&options);
  return options;
}

class OptionFieldTest : public ::testing::TestWithParam<OptionCase> {};

INSTANTIATE_TEST_SUITE_P(Wire, OptionFieldTest,
                         ::testing::ValuesIn(OptionCases()));

TEST_P(OptionFieldTest, ReadsAsThePlainOptions) {
  ConvertOptions options;
  const absl::Status status =
      wire::FromProto(ParseText<v1::ConvertOptions>(GetParam().text), &options);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(PlainText(options), PlainText(PlainOf(GetParam())));
}

// Options that are used again have no state of the request before.
TEST_P(OptionFieldTest, ReplacesWhatWasReadBefore) {
  for (const OptionCase& before : OptionCases()) {
    ConvertOptions options = PlainOf(before);
    ASSERT_TRUE(wire::FromProto(ParseText<v1::ConvertOptions>(GetParam().text),
                                &options)
                    .ok());
    EXPECT_EQ(PlainText(options), PlainText(PlainOf(GetParam())))
        << "after " << before.text;
  }
}

TEST_P(OptionFieldTest, IsWrittenForThePlainOptions) {
  if (GetParam().direction == Direction::kOnlyRead) return;
  v1::ConvertOptions expected = ParseText<v1::ConvertOptions>(GetParam().text);
  StateDefaults(&expected);
  const v1::ConvertOptions actual = wire::ToProto(PlainOf(GetParam()));
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(expected, actual)) << difference;
}

class RefusedOptionTest : public ::testing::TestWithParam<RefusedOption> {};

INSTANTIATE_TEST_SUITE_P(Wire, RefusedOptionTest,
                         ::testing::ValuesIn(RefusedOptions()));

TEST_P(RefusedOptionTest, NamesTheField) {
  ConvertOptions options;
  const absl::Status status =
      wire::FromProto(ParseText<v1::ConvertOptions>(GetParam().text), &options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(MessageOf(status)), StartsWith(GetParam().field));
}

// An edit to another axis or unit needs that of the source.
TEST(OptionFields, EditsThatNeedTheSourceNameIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"edits { up_axis: AXIS_Y }", "options.edits.up_axis: "},
      {"edits { meters_per_unit: 1 }", "options.edits.meters_per_unit: "}};
  for (const auto& [text, field] : cases) {
    ConvertOptions options;
    const absl::Status status =
        wire::FromProto(ParseText<v1::ConvertOptions>(text), &options);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(MessageOf(status)), StartsWith(field));
  }
}

// If this fails, add a row to option_cases.cc for each name that is listed.
TEST(OptionFields, AreAllInACase) {
  FieldCoverage read;
  FieldCoverage written;
  for (const OptionCase& option : OptionCases()) {
    const auto message = ParseText<v1::ConvertOptions>(option.text);
    read.Add(message);
    if (option.direction == Direction::kBoth) written.Add(message);
  }
  const auto* root = v1::ConvertOptions::descriptor();
  EXPECT_THAT(read.Missing(root), IsEmpty());
  // Defaults that the client leaves out.
  EXPECT_THAT(Without({"ClipEdits.root_motion: ROOT_MOTION_KEEP",
                       "ClipEdits.drop_mode: DROP_MODE_POSES",
                       "ClipEdits.interpolation: INTERPOLATION_SLERP",
                       "PositionsFormat.layout: TENSOR_LAYOUT_FRAME_MAJOR",
                       "RotationsFormat.kind: ROTATION_KIND_QUATERNION_XYZW",
                       "RotationsFormat.layout: TENSOR_LAYOUT_FRAME_MAJOR",
                       "RotationsFormat.space: ROTATION_SPACE_LOCAL",
                       "VelocitiesFormat.layout: TENSOR_LAYOUT_FRAME_MAJOR",
                       "NpzFormat.rotation_kind: ROTATION_KIND_QUATERNION_XYZW",
                       "NpzFormat.rotation_space: ROTATION_SPACE_LOCAL",
                       "AnimFormat.reference: ANIM_REFERENCE_AUTO",
                       // Written as first_frame_is_reference.
                       "AnimFormat.reference: ANIM_REFERENCE_FIRST_FRAME",
                       "AnimFormat.profile: ANIM_PROFILE_BEST"},
                      written.Missing(root)),
              IsEmpty());
}

// If this fails, add a row to the refused options in option_cases.cc.
TEST(OptionFields, UnknownValuesAreAllInACase) {
  FieldCoverage refused;
  for (const RefusedOption& option : RefusedOptions()) {
    refused.Add(ParseText<v1::ConvertOptions>(option.text));
  }
  EXPECT_THAT(refused.WithoutUnknownValue(v1::ConvertOptions::descriptor()),
              IsEmpty());
}

}  // namespace
}  // namespace bvhmill::testing
