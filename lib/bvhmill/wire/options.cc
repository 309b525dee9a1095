#include "bvhmill/wire/options.h"

#include <google/protobuf/descriptor.h>

#include <string>
#include <utility>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/wire/anim.h"
#include "bvhmill/wire/edits.h"
#include "bvhmill/wire/report_options.h"
#include "bvhmill/wire/unknown_fields.h"

namespace bvhmill::wire {
namespace {

template <typename Container>
absl::Status CheckSize(std::string_view field, const Container& entries,
                       size_t most) {
  return CheckCount(field, static_cast<size_t>(entries.size()), most);
}

// Checks the sizes of `message` before anything is copied.
absl::Status CheckBounds(const v1::ConvertOptions& message) {
  const v1::ValidationOptions& validation = message.validation();
  BVHMILL_RETURN_IF_ERROR(CheckSize("options.validation.ignore_codes",
                                    validation.ignore_codes(), kMaxCodes));
  BVHMILL_RETURN_IF_ERROR(CheckSize("options.validation.only_codes",
                                    validation.only_codes(), kMaxCodes));
  BVHMILL_RETURN_IF_ERROR(CheckSize("options.validation.severity_overrides",
                                    validation.severity_overrides(),
                                    kMaxCodes));
  BVHMILL_RETURN_IF_ERROR(CheckSize("options.validation.thresholds",
                                    validation.thresholds(), kMaxCodes));
  const v1::ClipEdits& edits = message.edits();
  BVHMILL_RETURN_IF_ERROR(CheckSize("options.edits.drop_joints",
                                    edits.drop_joints(), kMaxJointNames));
  BVHMILL_RETURN_IF_ERROR(CheckSize("options.edits.keep_joints",
                                    edits.keep_joints(), kMaxJointNames));
  BVHMILL_RETURN_IF_ERROR(CheckSize("options.edits.rename_joints",
                                    edits.rename_joints(), kMaxJointNames));
  BVHMILL_RETURN_IF_ERROR(CheckSize("options.edits.joint_map_rows",
                                    edits.joint_map_rows(), kMaxJointNames));
  return CheckBytes("options", message.ByteSizeLong(), kMaxOptionBytes);
}

absl::Status StrictnessFromProto(v1::Strictness message, bool* strict) {
  switch (message) {
    case v1::STRICTNESS_UNSPECIFIED:
    case v1::STRICTNESS_LENIENT:
      *strict = false;
      return absl::OkStatus();
    case v1::STRICTNESS_STRICT:
      *strict = true;
      return absl::OkStatus();
    default:
      return UnknownValue("options.read.strictness", message);
  }
}

absl::Status JointPositionsFromProto(v1::JointPositions message,
                                     JointPositions* positions) {
  switch (message) {
    case v1::JOINT_POSITIONS_UNSPECIFIED:
    case v1::JOINT_POSITIONS_REPLACE_OFFSET:
      *positions = JointPositions::kReplaceOffset;
      return absl::OkStatus();
    case v1::JOINT_POSITIONS_ADD_TO_OFFSET:
      *positions = JointPositions::kAddToOffset;
      return absl::OkStatus();
    case v1::JOINT_POSITIONS_IGNORE:
      *positions = JointPositions::kIgnore;
      return absl::OkStatus();
    default:
      return UnknownValue("options.read.joint_positions", message);
  }
}

absl::Status RootOffsetFromProto(v1::RootOffset message, RootOffset* offset) {
  switch (message) {
    case v1::ROOT_OFFSET_UNSPECIFIED:
    case v1::ROOT_OFFSET_IGNORE:
      *offset = RootOffset::kReplaced;
      return absl::OkStatus();
    case v1::ROOT_OFFSET_ADD:
      *offset = RootOffset::kAdded;
      return absl::OkStatus();
    default:
      return UnknownValue("options.read.root_offset", message);
  }
}

absl::Status ReadFromProto(const v1::ReadOptions& message,
                           ConvertOptions* options) {
  BVHMILL_RETURN_IF_ERROR(
      StrictnessFromProto(message.strictness(), &options->report.strict));
  BVHMILL_RETURN_IF_ERROR(JointPositionsFromProto(
      message.joint_positions(), &options->conventions.joint_positions));
  BVHMILL_RETURN_IF_ERROR(RootOffsetFromProto(
      message.root_offset(), &options->conventions.root_offset));
  BVHMILL_RETURN_IF_ERROR(
      NameEncodingFromProto(message.name_encoding(), &options->name_encoding));
  SourceSpace& source = options->edits.source;
  source.meters_per_unit = message.meters_per_unit();
  return AxisFromProto("options.read.up_axis", message.up_axis(),
                       &source.up_axis);
}

absl::Status LayoutFromProto(const std::string& field, v1::TensorLayout message,
                             TensorLayout* layout) {
  switch (message) {
    case v1::TENSOR_LAYOUT_UNSPECIFIED:
    case v1::TENSOR_LAYOUT_FRAME_MAJOR:
      *layout = TensorLayout::kFrameMajor;
      return absl::OkStatus();
    case v1::TENSOR_LAYOUT_JOINT_MAJOR:
      *layout = TensorLayout::kJointMajor;
      return absl::OkStatus();
    default:
      return UnknownValue(field + ".layout", message);
  }
}

absl::Status KindFromProto(const std::string& field, v1::RotationKind message,
                           RotationKind* kind) {
  switch (message) {
    case v1::ROTATION_KIND_UNSPECIFIED:
    case v1::ROTATION_KIND_QUATERNION_XYZW:
      *kind = RotationKind::kQuaternion;
      return absl::OkStatus();
    case v1::ROTATION_KIND_MATRIX_3X3:
      *kind = RotationKind::kMatrix;
      return absl::OkStatus();
    case v1::ROTATION_KIND_SIX_D:
      *kind = RotationKind::kSixD;
      return absl::OkStatus();
    default:
      return UnknownValue(field, message);
  }
}

absl::Status SpaceFromProto(const std::string& field, v1::RotationSpace message,
                            RotationSpace* space) {
  switch (message) {
    case v1::ROTATION_SPACE_UNSPECIFIED:
    case v1::ROTATION_SPACE_LOCAL:
      *space = RotationSpace::kLocal;
      return absl::OkStatus();
    case v1::ROTATION_SPACE_WORLD:
      *space = RotationSpace::kWorld;
      return absl::OkStatus();
    default:
      return UnknownValue(field, message);
  }
}

absl::Status RotationsFromProto(const std::string& field,
                                const v1::RotationsFormat& message,
                                RotationsFormat* format) {
  format->with_end_sites = message.include_end_sites();
  BVHMILL_RETURN_IF_ERROR(
      LayoutFromProto(field, message.layout(), &format->layout));
  BVHMILL_RETURN_IF_ERROR(
      SpaceFromProto(field + ".space", message.space(), &format->space));
  return KindFromProto(field + ".kind", message.kind(), &format->kind);
}

absl::Status ArraysFromProto(const std::string& field,
                             const v1::NpzFormat& message, NpzFormat* format) {
  if (message.arrays().empty()) return absl::OkStatus();
  format->positions = format->rotations = format->velocities = false;
  for (const int array : message.arrays()) {
    bool* chosen = nullptr;
    if (array == v1::NPZ_ARRAY_POSITIONS) chosen = &format->positions;
    if (array == v1::NPZ_ARRAY_ROTATIONS) chosen = &format->rotations;
    if (array == v1::NPZ_ARRAY_VELOCITIES) chosen = &format->velocities;
    if (chosen == nullptr) return UnknownValue(field + ".arrays", array);
    if (*chosen) return InvalidField(field + ".arrays", "names one twice");
    *chosen = true;
  }
  return absl::OkStatus();
}

absl::Status NpzFromProto(const std::string& field,
                          const v1::NpzFormat& message, NpzFormat* format) {
  format->with_end_sites = message.include_end_sites();
  BVHMILL_RETURN_IF_ERROR(KindFromProto(field + ".rotation_kind",
                                        message.rotation_kind(),
                                        &format->rotation_kind));
  BVHMILL_RETURN_IF_ERROR(SpaceFromProto(field + ".rotation_space",
                                         message.rotation_space(),
                                         &format->rotation_space));
  return ArraysFromProto(field, message, format);
}

absl::Status FormatFromProto(const std::string& field,
                             const v1::OutputRequest& message,
                             FormatOptions* format) {
  switch (message.format_case()) {
    case v1::OutputRequest::kPositions: {
      PositionsFormat out;
      out.with_end_sites = message.positions().include_end_sites();
      BVHMILL_RETURN_IF_ERROR(LayoutFromProto(
          field + ".positions", message.positions().layout(), &out.layout));
      *format = out;
      return absl::OkStatus();
    }
    case v1::OutputRequest::kRotations: {
      RotationsFormat out;
      BVHMILL_RETURN_IF_ERROR(
          RotationsFromProto(field + ".rotations", message.rotations(), &out));
      *format = out;
      return absl::OkStatus();
    }
    case v1::OutputRequest::kVelocities: {
      VelocitiesFormat out;
      out.with_end_sites = message.velocities().include_end_sites();
      BVHMILL_RETURN_IF_ERROR(LayoutFromProto(
          field + ".velocities", message.velocities().layout(), &out.layout));
      *format = out;
      return absl::OkStatus();
    }
    case v1::OutputRequest::kNpz:
      *format = NpzFormat();
      return NpzFromProto(field + ".npz", message.npz(),
                          &std::get<NpzFormat>(*format));
    case v1::OutputRequest::kCsv:
      *format = CsvFormat{message.csv().include_end_sites()};
      return absl::OkStatus();
    case v1::OutputRequest::kBvh:
      *format = BvhFormat{
          message.bvh().has_decimals() ? message.bvh().decimals() : -1};
      return absl::OkStatus();
    case v1::OutputRequest::kAnim: {
      AnimFormat out;
      BVHMILL_RETURN_IF_ERROR(FromProto(field + ".anim", message.anim(), &out));
      *format = std::move(out);
      return absl::OkStatus();
    }
    case v1::OutputRequest::kValues:
      *format = ValuesFormat{};
      return absl::OkStatus();
    case v1::OutputRequest::FORMAT_NOT_SET:
      break;
  }
  return InvalidField(field + ".format", "is not set");
}

v1::TensorLayout ToProto(TensorLayout layout) {
  return layout == TensorLayout::kJointMajor ? v1::TENSOR_LAYOUT_JOINT_MAJOR
                                             : v1::TENSOR_LAYOUT_UNSPECIFIED;
}

v1::RotationKind ToProto(RotationKind kind) {
  switch (kind) {
    case RotationKind::kQuaternion:
      return v1::ROTATION_KIND_UNSPECIFIED;
    case RotationKind::kMatrix:
      return v1::ROTATION_KIND_MATRIX_3X3;
    case RotationKind::kSixD:
      break;
  }
  return v1::ROTATION_KIND_SIX_D;
}

v1::RotationSpace ToProto(RotationSpace space) {
  return space == RotationSpace::kWorld ? v1::ROTATION_SPACE_WORLD
                                        : v1::ROTATION_SPACE_UNSPECIFIED;
}

struct FormatToProto {
  v1::OutputRequest* message;

  void operator()(const PositionsFormat& format) const {
    auto* out = message->mutable_positions();
    out->set_layout(ToProto(format.layout));
    out->set_include_end_sites(format.with_end_sites);
  }
  void operator()(const RotationsFormat& format) const {
    auto* out = message->mutable_rotations();
    out->set_layout(ToProto(format.layout));
    out->set_kind(ToProto(format.kind));
    out->set_space(ToProto(format.space));
    out->set_include_end_sites(format.with_end_sites);
  }
  void operator()(const VelocitiesFormat& format) const {
    auto* out = message->mutable_velocities();
    out->set_layout(ToProto(format.layout));
    out->set_include_end_sites(format.with_end_sites);
  }
  void operator()(const NpzFormat& format) const {
    auto* out = message->mutable_npz();
    out->set_include_end_sites(format.with_end_sites);
    out->set_rotation_kind(ToProto(format.rotation_kind));
    out->set_rotation_space(ToProto(format.rotation_space));
    if (format.positions && format.rotations && !format.velocities) return;
    if (format.positions) out->add_arrays(v1::NPZ_ARRAY_POSITIONS);
    if (format.rotations) out->add_arrays(v1::NPZ_ARRAY_ROTATIONS);
    if (format.velocities) out->add_arrays(v1::NPZ_ARRAY_VELOCITIES);
  }
  void operator()(const CsvFormat& format) const {
    message->mutable_csv()->set_include_end_sites(format.with_end_sites);
  }
  void operator()(const BvhFormat& format) const {
    auto* out = message->mutable_bvh();
    if (format.decimals >= 0) out->set_decimals(format.decimals);
  }
  void operator()(const AnimFormat& format) const {
    *message->mutable_anim() = wire::ToProto(format);
  }
  void operator()(const ValuesFormat& /*format*/) const {
    message->mutable_values();
  }
};

v1::JointPositions ToProto(JointPositions positions) {
  switch (positions) {
    case JointPositions::kReplaceOffset:
      return v1::JOINT_POSITIONS_REPLACE_OFFSET;
    case JointPositions::kAddToOffset:
      return v1::JOINT_POSITIONS_ADD_TO_OFFSET;
    case JointPositions::kIgnore:
      break;
  }
  return v1::JOINT_POSITIONS_IGNORE;
}

}  // namespace

absl::Status FromProto(const v1::ConvertOptions& message,
                       ConvertOptions* options) {
  BVHMILL_RETURN_IF_ERROR(CheckBounds(message));
  options->unknown_fields.clear();
  AddUnknownFields(message, "options", &options->unknown_fields);
  BVHMILL_RETURN_IF_ERROR(ReadFromProto(message.read(), options));
  BVHMILL_RETURN_IF_ERROR(
      FromProto(message.validation(), options->limits, &options->report));
  BVHMILL_RETURN_IF_ERROR(FromProto(message.edits(), &options->edits));
  options->measures = message.measures();
  options->outputs.clear();
  for (int i = 0; i < message.outputs_size(); ++i) {
    // CheckOptions refuses one output above the limit; the others are not read.
    if (Exceeds(i, options->limits.max_outputs_per_clip)) break;
    const std::string field = "options.outputs[" + std::to_string(i) + "]";
    OutputRequest request;
    request.id = message.outputs(i).id();
    BVHMILL_RETURN_IF_ERROR(
        FormatFromProto(field, message.outputs(i), &request.format));
    options->outputs.push_back(std::move(request));
  }
  return CheckOptions(*options);
}

v1::ConvertOptions ToProto(const ConvertOptions& options) {
  v1::ConvertOptions message;
  v1::ReadOptions* read = message.mutable_read();
  read->set_strictness(options.report.strict ? v1::STRICTNESS_STRICT
                                             : v1::STRICTNESS_LENIENT);
  read->set_joint_positions(ToProto(options.conventions.joint_positions));
  read->set_root_offset(options.conventions.root_offset == RootOffset::kAdded
                            ? v1::ROOT_OFFSET_ADD
                            : v1::ROOT_OFFSET_IGNORE);
  read->set_meters_per_unit(options.edits.source.meters_per_unit);
  read->set_up_axis(ToProto(options.edits.source.up_axis));
  read->set_name_encoding(std::string(EncodingName(options.name_encoding)));
  if (v1::ClipEdits edits = ToProto(options.edits); edits.ByteSizeLong() > 0) {
    message.mutable_edits()->Swap(&edits);
  }
  ToProto(options.report, message.mutable_validation());
  message.set_measures(options.measures);
  for (const OutputRequest& request : options.outputs) {
    v1::OutputRequest* out = message.add_outputs();
    out->set_id(request.id);
    std::visit(FormatToProto{out}, request.format);
  }
  return message;
}

const Format* FormatOf(const v1::OutputRequest& message) {
  // The name of a format is that of its field.
  static const google::protobuf::OneofDescriptor* const kFormat =
      v1::OutputRequest::descriptor()->FindOneofByName("format");
  const google::protobuf::FieldDescriptor* const field =
      v1::OutputRequest::GetReflection()->GetOneofFieldDescriptor(message,
                                                                  kFormat);
  return field == nullptr ? nullptr : FindFormat(field->name());
}

}  // namespace bvhmill::wire
