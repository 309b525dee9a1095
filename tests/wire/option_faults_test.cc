// Options that are refused: the message names the field.

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"

namespace bvhmill::testing {
namespace {

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
    {"options.read.name_encoding",
     [](auto* m) { m->mutable_read()->set_name_encoding("sjis"); }},
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
    {"options.edits.state_fps",
     [](auto* m) { m->mutable_edits()->set_state_fps(-1); }},
    {"options.edits.joint_map",
     [](auto* m) { m->mutable_edits()->set_joint_map("none"); }},
    {"options.edits.names_to",
     [](auto* m) { m->mutable_edits()->set_names_to("none"); }},
    {"options.edits.figure",
     [](auto* m) { m->mutable_edits()->set_figure(-1); }},
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
    {"options.edits.body_root",
     [](v1::ConvertOptions* m) {
       m->mutable_edits()->set_body_root(
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
