// Options over the wire and back, and those that cannot be.

#include "bvhmill/wire/options.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/status.h"

namespace bvhmill::testing {
namespace {

using google::protobuf::util::MessageDifferencer;

// Edits without any default value.
ClipEdits FullEdits() {
  ClipEdits edits;
  edits.drop_joints = {"Tail*", "Hat"};
  edits.keep_joints = {"Hips", "Leg#2"};
  edits.rename_joints = {{"A", "B"}, {"B", "A"}};
  edits.joint_map_rows = {{"x", "y"}, {"z", "w"}};
  edits.frames = {1, 9, 2};
  edits.resample_fps = 29.97;
  edits.interpolation = Interpolation::kLerpAngle;
  edits.up_axis = UpAxis::kY;
  edits.meters_per_unit = 0.01;
  edits.root_motion = RootMotion::kInPlace;
  edits.root_alignment = {"xzy", "-+-", {1, -2, 3.5}};
  edits.source = {UpAxis::kZ, 0.0254};
  return edits;
}

AnimFormat FullAnim() {
  AnimFormat anim;
  anim.profile = AnimProfile::kBest;
  anim.settings.base_priority = -1;
  anim.settings.joint_priority = 0;
  anim.settings.joint_priorities = {{"mHead", 4}, {"hip", -1}};
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
  anim.max_millimetres = 0.3F;
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
  options.report.ignore_codes = {"TEXT_COMMENT", "TEXT_UTF16"};
  options.report.only_codes = {"TEXT_EMPTY"};
  options.report.severity_overrides = {{"TEXT_COMMENT", Severity::kHint},
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
      {"g", BvhFormat{0}},
      {"h", FullAnim()},
      {"i", ViewerAnim()},
      {"", AnimFormat{}},
      {"", BvhFormat{-1}},
      {"", PositionsFormat{}},
      {"", RotationsFormat{}},
      {"", VelocitiesFormat{}},
      {"", NpzFormat{}},
      {"", CsvFormat{}}};
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
  EXPECT_EQ(back.report.ignore_codes, FullOptions().report.ignore_codes);
  EXPECT_EQ(back.report.only_codes, FullOptions().report.only_codes);
  EXPECT_EQ(back.report.severity_overrides,
            FullOptions().report.severity_overrides);
  EXPECT_EQ(back.report.max_issues, 7);
  EXPECT_EQ(back.conventions.joint_positions, JointPositions::kIgnore);
  EXPECT_EQ(back.conventions.root_offset, RootOffset::kAdded);
}

TEST(Options, EditsComeBack) {
  ConvertOptions back;
  const ClipEdits sent = FullEdits();
  ASSERT_TRUE(wire::FromProto(wire::ToProto(FullOptions()), &back).ok());
  const ClipEdits& got = back.edits;
  EXPECT_EQ(got.drop_joints, sent.drop_joints);
  EXPECT_EQ(got.keep_joints, sent.keep_joints);
  EXPECT_EQ(got.rename_joints, sent.rename_joints);
  ASSERT_EQ(got.joint_map_rows.size(), 2u);
  EXPECT_EQ(got.joint_map_rows[1].source, "z");
  EXPECT_EQ(got.joint_map_rows[1].target, "w");
  EXPECT_EQ(got.frames.begin, 1);
  EXPECT_EQ(got.frames.end, 9);
  EXPECT_EQ(got.frames.step, 2);
  EXPECT_EQ(got.resample_fps, sent.resample_fps);
  EXPECT_EQ(got.interpolation, sent.interpolation);
  EXPECT_EQ(got.up_axis, sent.up_axis);
  EXPECT_EQ(got.meters_per_unit, sent.meters_per_unit);
  EXPECT_EQ(got.root_motion, sent.root_motion);
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
  sent.edits.root_motion = RootMotion::kOrigin;
  sent.edits.source.up_axis = UpAxis::kY;
  sent.edits.up_axis = UpAxis::kZ;
  ConvertOptions back;
  ASSERT_TRUE(wire::FromProto(wire::ToProto(sent), &back).ok());
  EXPECT_EQ(back.edits.joint_map, "cmu");
  EXPECT_EQ(back.edits.root_motion, RootMotion::kOrigin);
  EXPECT_EQ(back.edits.source.up_axis, UpAxis::kY);
  EXPECT_EQ(back.edits.up_axis, UpAxis::kZ);
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
  message.mutable_edits()->set_meters_per_unit(1);
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
  EXPECT_EQ(std::get<RotationsFormat>(options.outputs[1].format).kind,
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

struct BadOption {
  const char* field;
  std::function<void(v1::ConvertOptions*)> change;
};

void PrintTo(const BadOption& bad, std::ostream* out) { *out << bad.field; }

// Open enums take any number off the wire.
template <typename Enum>
Enum Unknown() {
  return static_cast<Enum>(99);
}

v1::OutputRequest* Second(v1::ConvertOptions* message) {
  message->add_outputs()->mutable_npz();
  return message->add_outputs();
}

const BadOption kBadOptions[] = {
    {"options.read.strictness",
     [](auto* m) {
       m->mutable_read()->set_strictness(Unknown<v1::Strictness>());
     }},
    {"options.read.joint_positions",
     [](auto* m) {
       m->mutable_read()->set_joint_positions(Unknown<v1::JointPositions>());
     }},
    {"options.read.root_offset",
     [](auto* m) {
       m->mutable_read()->set_root_offset(Unknown<v1::RootOffset>());
     }},
    {"options.read.up_axis",
     [](auto* m) { m->mutable_read()->set_up_axis(Unknown<v1::Axis>()); }},
    {"options.read.meters_per_unit",
     [](auto* m) { m->mutable_read()->set_meters_per_unit(-1); }},
    {"options.edits.up_axis",
     [](auto* m) { m->mutable_edits()->set_up_axis(Unknown<v1::Axis>()); }},
    {"options.edits.interpolation",
     [](auto* m) {
       m->mutable_edits()->set_interpolation(Unknown<v1::Interpolation>());
     }},
    {"options.edits.root_motion",
     [](auto* m) {
       m->mutable_edits()->set_root_motion(Unknown<v1::RootMotion>());
     }},
    {"options.edits.root_alignment.correction_degrees",
     [](auto* m) {
       auto* alignment = m->mutable_edits()->mutable_root_alignment();
       alignment->add_correction_degrees(90);
     }},
    {"options.edits.root_alignment.position_axes",
     [](auto* m) {
       auto* alignment = m->mutable_edits()->mutable_root_alignment();
       alignment->set_position_axes("xxy");
     }},
    {"options.edits.frames",
     [](auto* m) { m->mutable_edits()->mutable_frames()->set_step(-1); }},
    {"options.edits.resample_fps",
     [](auto* m) { m->mutable_edits()->set_resample_fps(-1); }},
    {"options.edits.joint_map",
     [](auto* m) { m->mutable_edits()->set_joint_map("none"); }},
    {"options.edits.joint_map_rows",
     [](auto* m) {
       m->mutable_edits()->set_joint_map("cmu");
       auto* row = m->mutable_edits()->add_joint_map_rows();
       row->set_source("a");
       row->set_target("b");
     }},
    {"options.edits.rename_joints",
     [](auto* m) { (*m->mutable_edits()->mutable_rename_joints())["a"] = ""; }},
    {"options.validation.severity_overrides",
     [](auto* m) {
       (*m->mutable_validation()
             ->mutable_severity_overrides())["TEXT_COMMENT"] =
           Unknown<v1::Severity>();
     }},
    {"options.validation.severity_overrides",
     [](auto* m) {
       (*m->mutable_validation()
             ->mutable_severity_overrides())["TEXT_COMMENT"] =
           v1::SEVERITY_UNSPECIFIED;
     }},
    {"options.validation.max_issues",
     [](auto* m) { m->mutable_validation()->set_max_issues(-1); }},
    {"options.outputs[1].format", [](auto* m) { Second(m); }},
    {"options.outputs[1].positions.layout",
     [](auto* m) {
       Second(m)->mutable_positions()->set_layout(Unknown<v1::TensorLayout>());
     }},
    {"options.outputs[1].rotations.layout",
     [](auto* m) {
       Second(m)->mutable_rotations()->set_layout(Unknown<v1::TensorLayout>());
     }},
    {"options.outputs[1].rotations.space",
     [](v1::ConvertOptions* m) {
       Second(m)->mutable_rotations()->set_space(Unknown<v1::RotationSpace>());
     }},
    {"options.outputs[1].velocities.layout",
     [](v1::ConvertOptions* m) {
       Second(m)->mutable_velocities()->set_layout(Unknown<v1::TensorLayout>());
     }},
    {"options.outputs[1].anim.constraints[0].type",
     [](v1::ConvertOptions* m) {
       v1::AnimConstraint* constraint =
           Second(m)->mutable_anim()->add_constraints();
       constraint->set_type(Unknown<v1::AnimConstraintType>());
     }},
    {"options.outputs[1].anim.constraints[1].chain_length",
     [](v1::ConvertOptions* m) {
       v1::AnimFormat* anim = Second(m)->mutable_anim();
       anim->add_constraints();
       anim->add_constraints()->set_chain_length(256);
     }},
    {"options.outputs[1].anim.profile",
     [](v1::ConvertOptions* m) {
       Second(m)->mutable_anim()->set_profile(Unknown<v1::AnimProfile>());
     }},
    {"options.outputs[1].anim.max_degrees",
     [](v1::ConvertOptions* m) {
       Second(m)->mutable_anim()->set_max_degrees(-1);
     }},
    {"options.outputs[1].anim.joint_map",
     [](v1::ConvertOptions* m) {
       Second(m)->mutable_anim()->set_joint_map("none");
     }},
    {"options.outputs[1].anim.priority",
     [](v1::ConvertOptions* m) { Second(m)->mutable_anim()->set_priority(7); }},
    {"options.outputs[1].rotations.kind",
     [](auto* m) {
       Second(m)->mutable_rotations()->set_kind(Unknown<v1::RotationKind>());
     }},
    {"options.outputs[1].id",
     [](v1::ConvertOptions* m) {
       v1::OutputRequest* output = Second(m);
       output->mutable_csv();
       output->set_id(std::string(kMaxOutputIdBytes + 1, 'a'));
     }},
    {"options.edits.drop_joints",
     [](v1::ConvertOptions* m) {
       m->mutable_edits()->add_drop_joints(
           std::string(kMaxJointNameBytes + 1, 'a'));
     }},
};

class BadOptionTest : public ::testing::TestWithParam<BadOption> {};

INSTANTIATE_TEST_SUITE_P(Options, BadOptionTest,
                         ::testing::ValuesIn(kBadOptions));

TEST_P(BadOptionTest, IsRefusedWithItsField) {
  v1::ConvertOptions message;
  GetParam().change(&message);
  ConvertOptions options;
  const absl::Status status = wire::FromProto(message, &options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_TRUE(MessageOf(status).starts_with(GetParam().field)) << status;
  EXPECT_NE(MessageOf(status).find(": "), std::string_view::npos) << status;
}

struct Bound {
  const char* field;
  size_t most;
  // Adds a number of the smallest entries; void if `most` are too many for
  // another reason.
  std::function<void(size_t, v1::ConvertOptions*)> add;
};

const Bound kBounds[] = {
    {"options.edits.drop_joints", kMaxJointNames,
     [](size_t count, v1::ConvertOptions* m) {
       while (count-- > 0) m->mutable_edits()->add_drop_joints();
     }},
    {"options.edits.keep_joints", kMaxJointNames,
     [](size_t count, v1::ConvertOptions* m) {
       while (count-- > 0) m->mutable_edits()->add_keep_joints();
     }},
    {"options.edits.rename_joints", kMaxJointNames,
     [](size_t count, v1::ConvertOptions* m) {
       auto& names = *m->mutable_edits()->mutable_rename_joints();
       while (count-- > 0) names[std::to_string(count)] = "a";
     }},
    {"options.edits.joint_map_rows", kMaxJointNames,
     [](size_t count, v1::ConvertOptions* m) {
       v1::ClipEdits* edits = m->mutable_edits();
       while (count-- > 0) {
         v1::JointMapRow* row = edits->add_joint_map_rows();
         // Equal sources are refused.
         row->set_source(std::to_string(count));
         row->set_target("a");
       }
     }},
    {"options.validation.ignore_codes", kMaxCodes,
     [](size_t count, v1::ConvertOptions* m) {
       v1::ValidationOptions* validation = m->mutable_validation();
       while (count-- > 0) validation->add_ignore_codes("TEXT_EMPTY");
     }},
    {"options.validation.only_codes", kMaxCodes,
     [](size_t count, v1::ConvertOptions* m) {
       v1::ValidationOptions* validation = m->mutable_validation();
       while (count-- > 0) validation->add_only_codes("TEXT_EMPTY");
     }},
    {"options.outputs[1].anim.joint_priorities", kMaxJointPriorities,
     [](size_t count, v1::ConvertOptions* m) {
       v1::AnimFormat* anim = Second(m)->mutable_anim();
       while (count-- > 0) anim->add_joint_priorities()->set_joint("mHead");
     }},
};

// A list of outputs is read until there are too many.
TEST(Options, OutputsBeyondTheLimitAreNotRead) {
  ConvertOptions options;
  options.limits.max_outputs_per_clip = 2;
  v1::ConvertOptions message;
  for (int i = 0; i < 3; ++i) {
    auto* const output = message.add_outputs();
    output->set_id(std::to_string(i));
    output->mutable_csv();
  }
  // It has no format, which would be another fault.
  message.add_outputs();
  const absl::Status status = wire::FromProto(message, &options);
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  message.mutable_outputs()->DeleteSubrange(2, 2);
  EXPECT_TRUE(wire::FromProto(message, &options).ok());
}

// Millions of empty names fit one message.
TEST(Options, ListsBeyondTheirBoundAreRefused) {
  for (const auto& [field, most, add] : kBounds) {
    v1::ConvertOptions good;
    add(most, &good);
    ConvertOptions options;
    EXPECT_TRUE(wire::FromProto(good, &options).ok()) << field;
    v1::ConvertOptions bad;
    add(most + 1, &bad);
    options = {};
    const absl::Status status = wire::FromProto(bad, &options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_EQ(MessageOf(status),
              std::string(field) + ": has " + std::to_string(most + 1) +
                  " entries, more than " + std::to_string(most));
    // Nothing was copied.
    EXPECT_TRUE(IsEmpty(options.edits)) << field;
    EXPECT_TRUE(options.report.ignore_codes.empty()) << field;
    EXPECT_TRUE(options.report.only_codes.empty()) << field;
  }
}

// Codes of a map are each there once: fewer than the bound are known.
TEST(Options, OverridesBeyondTheirBoundAreRefused) {
  v1::ConvertOptions message;
  auto& overrides = *message.mutable_validation()->mutable_severity_overrides();
  for (size_t i = 0; i <= kMaxCodes; ++i) {
    overrides[std::to_string(i)] = v1::SEVERITY_HINT;
  }
  ConvertOptions options;
  const absl::Status status = wire::FromProto(message, &options);
  EXPECT_EQ(MessageOf(status),
            "options.validation.severity_overrides: has 1025 entries, more "
            "than 1024");
  EXPECT_TRUE(options.report.severity_overrides.empty());
}

TEST(Options, MegabytesOfOptions) {
  for (const bool fits : {true, false}) {
    v1::ConvertOptions message;
    v1::ClipEdits* edits = message.mutable_edits();
    const std::string name(kMaxJointNameBytes, 'a');
    // Each has a tag and two bytes of length besides.
    const size_t count = kMaxOptionBytes / name.size();
    for (size_t i = fits ? 1 : 0; i < count; ++i) edits->add_drop_joints(name);
    ConvertOptions options;
    const absl::Status status = wire::FromProto(message, &options);
    EXPECT_EQ(status.ok(), fits) << status;
    if (fits) continue;
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(MessageOf(status).starts_with("options: has 1049")) << status;
  }
}

}  // namespace
}  // namespace bvhmill::testing
