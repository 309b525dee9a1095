// Options over the wire and back.

#include "bvhmill/wire/options.h"

#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <variant>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/result.h"

namespace bvhmill::testing {
namespace {

using google::protobuf::util::MessageDifferencer;

// Edits without any default value.
ClipEdits FullEdits() {
  ClipEdits edits;
  edits.drop = {"Tail*", "Hat"};
  edits.keep = {"Hips", "Leg#2"};
  edits.rename = {{"A", "B"}, {"B", "A"}};
  edits.joint_map_rows = {{"x", "y"}, {"z", "w"}};
  edits.frames = {1, 9, 2};
  edits.fps = 29.97;
  edits.interpolation = Interpolation::kLerp;
  edits.to_up = UpAxis::kY;
  edits.to_units = 0.01;
  edits.in_place = true;
  edits.root_alignment = {"xzy", "-+-", {1, -2, 3.5}};
  edits.source = {UpAxis::kZ, 0.0254};
  return edits;
}

AnimFormat FullAnim() {
  AnimFormat anim;
  anim.profile = AnimProfile::kBest;
  anim.settings.priority = -1;
  anim.settings.joint_priority = {{"mHead", 4}, {"hip", -1}};
  anim.settings.loop = false;
  anim.settings.loop_in = 0;
  anim.settings.loop_out = 0.1F;
  anim.settings.ease_in = 0.2F;
  anim.settings.ease_out = 0;
  anim.settings.hand_pose = 0;
  anim.settings.emote = "express_smile";
  AnimConstraint constraint;
  constraint.chain_length = 2;
  constraint.type = 1;
  constraint.source_volume = "L_FOOT";
  constraint.source_offset = {0.1F, -0.2F, 0.3F};
  constraint.target_volume = "GROUND";
  constraint.target_offset = {1, 2, 3};
  constraint.target_direction = {0, 0, -1};
  constraint.ease_in_start = -1;
  constraint.ease_in_stop = 0.5F;
  constraint.ease_out_start = 9;
  constraint.ease_out_stop = 10;
  anim.settings.constraints = {constraint, constraint};
  anim.settings.constraints->back().type = 0;
  anim.reference = AnimReference::kFirstFrame;
  anim.match_limbs = true;
  anim.scale_to_avatar = true;
  anim.joint_map = "cmu";
  anim.max_degrees = 0;
  anim.max_mm = 0.3F;
  anim.max_bytes = int64_t{1} << 33;
  return anim;
}

AnimFormat ViewerAnim() {
  AnimFormat anim;
  anim.profile = AnimProfile::kViewer;
  return anim;
}

ConvertOptions FullOptions() {
  ConvertOptions options;
  options.report.strict = true;
  options.report.ignore = {"TEXT_COMMENT", "TEXT_UTF16"};
  options.report.only = {"TEXT_EMPTY"};
  options.report.severities = {{"TEXT_COMMENT", Severity::kHint},
                               {"TEXT_EMPTY", Severity::kError}};
  options.report.max_issues = 7;
  options.conventions = {JointPositions::kIgnore, RootOffset::kAdded};
  options.edits = FullEdits();
  options.outputs = {
      {"a", PositionsFormat{TensorLayout::kJointMajor, true}},
      {"b", RotationsFormat{RotationKind::kSixD, TensorLayout::kJointMajor}},
      {"c", RotationsFormat{RotationKind::kMatrix, TensorLayout::kFrameMajor,
                            RotationSpace::kWorld, true}},
      {"v", VelocitiesFormat{TensorLayout::kJointMajor, true}},
      {"d", NpzFormat{true}},
      {"e", CsvFormat{true}},
      {"f", ValuesFormat{}},
      {"g", BvhFormat{0, RotationOrder::kZyx, ChannelSet::kThree}},
      {"j", BvhFormat{-1, RotationOrder::kFile, ChannelSet::kRootOnly}},
      {"k", CsvFormat{false, RotationKind::kEulerXyz, RotationSpace::kWorld,
                      false, true, true}},
      {"l", GlbFormat{true, 0, 0.5F}},
      {"h", FullAnim()},
      {"i", ViewerAnim()},
      {"", AnimFormat{}},
      {"", NpzFormat{}}};
  return options;
}

bool Same(const google::protobuf::Message& a,
          const google::protobuf::Message& b) {
  return MessageDifferencer::Equals(a, b);
}

TEST(Options, ComeBack) {
  const v1::ConvertOptions sent = wire::ToProto(FullOptions());
  ConvertOptions back;
  ASSERT_TRUE(wire::FromProto(sent, &back).ok());
  EXPECT_TRUE(Same(wire::ToProto(back), sent));
  EXPECT_TRUE(back.report.strict);
  EXPECT_EQ(back.report.ignore, FullOptions().report.ignore);
  EXPECT_EQ(back.report.only, FullOptions().report.only);
  EXPECT_EQ(back.report.severities, FullOptions().report.severities);
  EXPECT_EQ(back.report.max_issues, 7);
  EXPECT_EQ(back.conventions.joint_positions, JointPositions::kIgnore);
  EXPECT_EQ(back.conventions.root_offset, RootOffset::kAdded);
}

TEST(Options, EditsComeBack) {
  ConvertOptions back;
  const ClipEdits sent = FullEdits();
  ASSERT_TRUE(wire::FromProto(wire::ToProto(FullOptions()), &back).ok());
  const ClipEdits& got = back.edits;
  EXPECT_EQ(got.drop, sent.drop);
  EXPECT_EQ(got.keep, sent.keep);
  EXPECT_EQ(got.rename, sent.rename);
  ASSERT_EQ(got.joint_map_rows.size(), 2u);
  EXPECT_EQ(got.joint_map_rows[1].source, "z");
  EXPECT_EQ(got.joint_map_rows[1].target, "w");
  EXPECT_EQ(got.frames.begin, 1);
  EXPECT_EQ(got.frames.end, 9);
  EXPECT_EQ(got.frames.step, 2);
  EXPECT_EQ(got.fps, sent.fps);
  EXPECT_EQ(got.interpolation, sent.interpolation);
  EXPECT_EQ(got.to_up, sent.to_up);
  EXPECT_EQ(got.to_units, sent.to_units);
  EXPECT_EQ(got.in_place, sent.in_place);
  EXPECT_EQ(got.root_alignment.position_axes, "xzy");
  EXPECT_EQ(got.root_alignment.position_signs, "-+-");
  EXPECT_EQ(got.root_alignment.correction_degrees,
            sent.root_alignment.correction_degrees);
  EXPECT_EQ(got.source.up_axis, sent.source.up_axis);
  EXPECT_EQ(got.source.meters_per_unit, sent.source.meters_per_unit);
}

TEST(Options, OtherWordsOfEditsComeBack) {
  ConvertOptions sent;
  sent.edits.joint_map = "cmu";
  sent.edits.at_origin = true;
  sent.edits.source.up_axis = UpAxis::kY;
  sent.edits.to_up = UpAxis::kZ;
  ConvertOptions back;
  ASSERT_TRUE(wire::FromProto(wire::ToProto(sent), &back).ok());
  EXPECT_EQ(back.edits.joint_map, "cmu");
  EXPECT_TRUE(back.edits.at_origin);
  EXPECT_EQ(back.edits.source.up_axis, UpAxis::kY);
  EXPECT_EQ(back.edits.to_up, UpAxis::kZ);
}

// Strings of messages are UTF-8; words of a command line are any bytes.
TEST(Options, NamesOfEditsAreSentAsText) {
  ConvertOptions options;
  options.edits.drop = {"\xD7\xF3"};
  options.edits.keep = {"caf\xE9*"};
  options.edits.rename = {{"caf\xE9", "a"}};
  options.edits.joint_map_rows = {{"caf\xE9", "b"}};
  AnimFormat anim;
  anim.joint_map_rows = {{"caf\xE9", "mHead"}};
  options.outputs = {{"", anim}};
  const v1::ConvertOptions sent = wire::ToProto(options);
  const std::string cafe = "caf\xC3\xA9";
  EXPECT_EQ(sent.edits().drop(0), "\xE5\xB7\xA6");
  EXPECT_EQ(sent.edits().keep(0), cafe + "*");
  EXPECT_TRUE(sent.edits().rename().contains(cafe));
  EXPECT_EQ(sent.edits().joint_map_rows(0).source(), cafe);
  EXPECT_EQ(sent.outputs(0).anim().map_rows(0).source(), cafe);
}

TEST(Options, NoEditsAreNoMessage) {
  EXPECT_FALSE(wire::ToProto(ConvertOptions{}).has_edits());
  ConvertOptions options;
  options.edits = FullEdits();
  ASSERT_TRUE(wire::FromProto(v1::ConvertOptions{}, &options).ok());
  EXPECT_TRUE(IsEmpty(options.edits));
  EXPECT_EQ(options.edits.source.up_axis, UpAxis::kUnknown);
}

TEST(Options, EditsWithoutTheirSourceFail) {
  v1::ConvertOptions message;
  message.mutable_edits()->set_to_units(1);
  ConvertOptions options;
  const absl::Status status = wire::FromProto(message, &options);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
}

TEST(Options, OutputsComeBack) {
  ConvertOptions back;
  ASSERT_TRUE(wire::FromProto(wire::ToProto(FullOptions()), &back).ok());
  EXPECT_EQ(back.outputs, FullOptions().outputs);
}

TEST(Options, AnEmptyMessageIsTheDefaults) {
  ConvertOptions options;
  ASSERT_TRUE(wire::FromProto(v1::ConvertOptions{}, &options).ok());
  EXPECT_TRUE(Same(wire::ToProto(options), wire::ToProto(ConvertOptions{})));
  EXPECT_FALSE(options.report.strict);
  EXPECT_TRUE(options.outputs.empty());
  EXPECT_EQ(options.conventions.joint_positions,
            JointPositions::kReplaceOffset);
  EXPECT_EQ(options.conventions.root_offset, RootOffset::kReplaced);
}

TEST(Options, EmptyFormatsAreTheDefaults) {
  v1::ConvertOptions message;
  message.add_outputs()->mutable_positions();
  message.add_outputs()->mutable_rotations();
  message.add_outputs()->mutable_bvh();
  message.add_outputs()->mutable_anim();
  ConvertOptions options;
  ASSERT_TRUE(wire::FromProto(message, &options).ok());
  const auto& positions = std::get<PositionsFormat>(options.outputs[0].format);
  EXPECT_EQ(positions.layout, TensorLayout::kFrameMajor);
  EXPECT_FALSE(positions.with_end_sites);
  EXPECT_EQ(std::get<RotationsFormat>(options.outputs[1].format).rotation_kind,
            RotationKind::kQuaternion);
  EXPECT_EQ(std::get<BvhFormat>(options.outputs[2].format).decimals, -1);
  EXPECT_EQ(std::get<AnimFormat>(options.outputs[3].format), AnimFormat{});
}

// The name of a format is that of its field, in both directions.
TEST(Options, EachFieldOfAFormatHasItsRowInTheRegistry) {
  const auto* const fields =
      v1::OutputRequest::descriptor()->FindOneofByName("format");
  ASSERT_NE(fields, nullptr);
  EXPECT_EQ(static_cast<size_t>(fields->field_count()), Formats().size());
  for (const Format& format : Formats()) {
    ConvertOptions options;
    options.outputs = {{"", format.defaults}};
    const v1::ConvertOptions message = wire::ToProto(options);
    EXPECT_EQ(wire::FormatOf(message.outputs(0)), &format) << format.name;
    ConvertOptions read;
    ASSERT_TRUE(wire::FromProto(message, &read).ok()) << format.name;
    EXPECT_EQ(FormatOf(read.outputs[0].format).name, format.name);
  }
  EXPECT_EQ(wire::FormatOf(v1::OutputRequest()), nullptr);
}

TEST(Options, KeepsTheLimitsOfTheCaller) {
  ConvertOptions options;
  options.limits.max_frames = 12;
  options.limits.max_issues_per_report = 34;
  ASSERT_TRUE(wire::FromProto(wire::ToProto(FullOptions()), &options).ok());
  EXPECT_EQ(options.limits.max_frames, 12);
  EXPECT_EQ(options.limits.max_issues_per_report, 34);
}

struct IssueCap {
  int32_t asked;
  int64_t limit;
  int64_t expected;
};

void PrintTo(const IssueCap& cap, std::ostream* out) {
  *out << cap.asked << " of " << cap.limit;
}

class IssueCapTest : public ::testing::TestWithParam<IssueCap> {};

INSTANTIATE_TEST_SUITE_P(Options, IssueCapTest,
                         ::testing::Values(IssueCap{0, 50, 50},
                                           IssueCap{1, 50, 1},
                                           IssueCap{50, 50, 50},
                                           IssueCap{51, 50, 50},
                                           IssueCap{2'000'000'000, 50, 50},
                                           IssueCap{1000, 0, 1000}));

TEST_P(IssueCapTest, IsTheLimitAtMost) {
  v1::ConvertOptions message;
  message.mutable_validation()->set_max_issues(GetParam().asked);
  ConvertOptions options;
  options.limits.max_issues_per_report = GetParam().limit;
  ASSERT_TRUE(wire::FromProto(message, &options).ok());
  EXPECT_EQ(options.report.max_issues, GetParam().expected);
}

}  // namespace
}  // namespace bvhmill::testing
