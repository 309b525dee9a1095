#include "bvhmill/wire/edits.h"

#include <algorithm>
#include <string>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/wire/unknown_fields.h"

namespace bvhmill::wire {
namespace {

constexpr int kAxes = 3;

void NamesFromProto(const v1::ClipEdits& message, ClipEdits* edits) {
  edits->drop_joints.assign(message.drop_joints().begin(),
                            message.drop_joints().end());
  edits->keep_joints.assign(message.keep_joints().begin(),
                            message.keep_joints().end());
  edits->rename_joints.assign(message.rename_joints().begin(),
                              message.rename_joints().end());
  // A map of the wire comes in any order, and errors name the first.
  std::sort(edits->rename_joints.begin(), edits->rename_joints.end());
  edits->joint_map = message.joint_map();
  edits->joint_map_rows.clear();
  for (const v1::JointMapRow& row : message.joint_map_rows()) {
    edits->joint_map_rows.push_back({row.source(), row.target()});
  }
  edits->names_to = message.names_to();
  edits->body_root = message.body_root();
  edits->strip_prefix = message.strip_prefix();
  edits->floor = message.floor();
  edits->figure = message.figure();
  edits->mirror = message.mirror();
}

absl::Status InterpolationFromProto(v1::Interpolation message,
                                    Interpolation* interpolation) {
  switch (message) {
    case v1::INTERPOLATION_UNSPECIFIED:
    case v1::INTERPOLATION_SLERP:
      *interpolation = Interpolation::kSlerp;
      return absl::OkStatus();
    case v1::INTERPOLATION_LERP_ANGLE:
      *interpolation = Interpolation::kLerpAngle;
      return absl::OkStatus();
    default:
      return UnknownValue("options.edits.interpolation", message);
  }
}

absl::Status DropModeFromProto(v1::DropMode message, DropMode* mode) {
  switch (message) {
    case v1::DROP_MODE_UNSPECIFIED:
    case v1::DROP_MODE_POSES:
      *mode = DropMode::kKeepPoses;
      return absl::OkStatus();
    case v1::DROP_MODE_RIGID:
      *mode = DropMode::kRigid;
      return absl::OkStatus();
    default:
      return UnknownValue("options.edits.drop_mode", message);
  }
}

absl::Status RootMotionFromProto(v1::RootMotion message, RootMotion* motion) {
  switch (message) {
    case v1::ROOT_MOTION_UNSPECIFIED:
    case v1::ROOT_MOTION_KEEP:
      *motion = RootMotion::kKeep;
      return absl::OkStatus();
    case v1::ROOT_MOTION_IN_PLACE:
      *motion = RootMotion::kInPlace;
      return absl::OkStatus();
    case v1::ROOT_MOTION_ORIGIN:
      *motion = RootMotion::kOrigin;
      return absl::OkStatus();
    default:
      return UnknownValue("options.edits.root_motion", message);
  }
}

absl::Status AlignmentFromProto(const v1::RootAlignment& message,
                                RootAlignment* alignment) {
  *alignment = {message.position_axes(), message.position_signs(), {}};
  const int count = message.correction_degrees_size();
  if (count == 0) return absl::OkStatus();
  if (count != kAxes) {
    return InvalidField("options.edits.root_alignment.correction_degrees",
                        "has " + std::to_string(count) + " values, not 3");
  }
  std::copy(message.correction_degrees().begin(),
            message.correction_degrees().end(),
            alignment->correction_degrees.begin());
  return absl::OkStatus();
}

v1::RootAlignment ToProto(const RootAlignment& alignment) {
  v1::RootAlignment out;
  out.set_position_axes(alignment.position_axes);
  out.set_position_signs(alignment.position_signs);
  if (alignment.correction_degrees == std::array<double, kAxes>{}) return out;
  for (const double degrees : alignment.correction_degrees) {
    out.add_correction_degrees(degrees);
  }
  return out;
}

v1::Repairs ToProto(const Repairs& repairs) {
  v1::Repairs out;
  out.set_drop_repeated_frames(repairs.drop_repeated_frames);
  out.set_snap_frame_time(repairs.snap_frame_time);
  out.set_fill_gap_frames(repairs.fill_gap_frames);
  out.set_replace_spikes(repairs.replace_spikes);
  out.set_unwrap_angles(repairs.unwrap_angles);
  return out;
}

Repairs RepairsFromProto(const v1::Repairs& message) {
  return {message.drop_repeated_frames(), message.snap_frame_time(),
          message.fill_gap_frames(), message.replace_spikes(),
          message.unwrap_angles()};
}

// A name that is not UTF-8 means its text, also without a server.
void NamesToProto(const ClipEdits& edits, v1::ClipEdits* out) {
  for (const std::string& name : edits.drop_joints) {
    out->add_drop_joints(ToUtf8(name));
  }
  for (const std::string& name : edits.keep_joints) {
    out->add_keep_joints(ToUtf8(name));
  }
  for (const auto& [from, to] : edits.rename_joints) {
    (*out->mutable_rename_joints())[ToUtf8(from)] = ToUtf8(to);
  }
  out->set_joint_map(edits.joint_map);
  for (const JointMapRow& row : edits.joint_map_rows) {
    v1::JointMapRow* message = out->add_joint_map_rows();
    message->set_source(ToUtf8(row.source));
    message->set_target(ToUtf8(row.target));
  }
  out->set_names_to(edits.names_to);
  out->set_body_root(edits.body_root);
  out->set_strip_prefix(edits.strip_prefix);
  out->set_floor(edits.floor);
  out->set_figure(edits.figure);
  out->set_mirror(edits.mirror);
  if (edits.drop_mode == DropMode::kRigid) {
    out->set_drop_mode(v1::DROP_MODE_RIGID);
  }
}

void FramesToProto(const FrameRange& frames, v1::ClipEdits* out) {
  if (frames.begin == 0 && frames.end == 0 && frames.step == 1) return;
  out->mutable_frames()->set_begin(frames.begin);
  out->mutable_frames()->set_end(frames.end);
  out->mutable_frames()->set_step(frames.step);
}

void TrimToProto(const TimeRange& trim, v1::ClipEdits* out) {
  if (trim.begin_seconds == 0 && trim.end_seconds == 0) return;
  out->mutable_trim()->set_begin_seconds(trim.begin_seconds);
  out->mutable_trim()->set_end_seconds(trim.end_seconds);
}

}  // namespace

absl::Status NameEncodingFromProto(const std::string& name,
                                   TextEncoding* encoding) {
  *encoding = EncodingNamed(name);
  if (name.empty() || *encoding != TextEncoding::kUnknown) {
    return absl::OkStatus();
  }
  std::string known;
  for (const std::string_view other : EncodingNames()) {
    known.append(known.empty() ? "" : ", ").append(other);
  }
  return InvalidField(
      "options.read.name_encoding",
      Quote(name) + " is no encoding of names; there are " + known);
}

absl::Status AxisFromProto(std::string_view field, v1::Axis message,
                           UpAxis* axis) {
  switch (message) {
    case v1::AXIS_UNSPECIFIED:
      *axis = UpAxis::kUnknown;
      return absl::OkStatus();
    case v1::AXIS_Y:
      *axis = UpAxis::kY;
      return absl::OkStatus();
    case v1::AXIS_Z:
      *axis = UpAxis::kZ;
      return absl::OkStatus();
    default:
      return UnknownValue(field, message);
  }
}

v1::Axis ToProto(UpAxis axis) {
  switch (axis) {
    case UpAxis::kY:
      return v1::AXIS_Y;
    case UpAxis::kZ:
      return v1::AXIS_Z;
    case UpAxis::kUnknown:
      break;
  }
  return v1::AXIS_UNSPECIFIED;
}

absl::Status FromProto(const v1::ClipEdits& message, ClipEdits* edits) {
  NamesFromProto(message, edits);
  edits->repairs = RepairsFromProto(message.repairs());
  edits->frames = {message.frames().begin(), message.frames().end(),
                   message.frames().step()};
  if (edits->frames.step == 0) edits->frames.step = 1;
  edits->trim = {message.trim().begin_seconds(), message.trim().end_seconds()};
  // A negative frame is refused, and -1 means none.
  edits->tpose_frame = message.tpose_frame() < 0 ? -2 : message.tpose_frame();
  if (!message.has_tpose_frame()) edits->tpose_frame = -1;
  edits->resample_fps = message.resample_fps();
  edits->state_fps = message.state_fps();
  edits->meters_per_unit = message.meters_per_unit();
  BVHMILL_RETURN_IF_ERROR(
      DropModeFromProto(message.drop_mode(), &edits->drop_mode));
  BVHMILL_RETURN_IF_ERROR(
      InterpolationFromProto(message.interpolation(), &edits->interpolation));
  BVHMILL_RETURN_IF_ERROR(AxisFromProto("options.edits.up_axis",
                                        message.up_axis(), &edits->up_axis));
  BVHMILL_RETURN_IF_ERROR(
      RootMotionFromProto(message.root_motion(), &edits->root_motion));
  return AlignmentFromProto(message.root_alignment(), &edits->root_alignment);
}

v1::ClipEdits ToProto(const ClipEdits& edits) {
  v1::ClipEdits out;
  NamesToProto(edits, &out);
  if (!IsEmpty(edits.repairs)) {
    *out.mutable_repairs() = ToProto(edits.repairs);
  }
  FramesToProto(edits.frames, &out);
  TrimToProto(edits.trim, &out);
  if (edits.tpose_frame >= 0) out.set_tpose_frame(edits.tpose_frame);
  out.set_resample_fps(edits.resample_fps);
  out.set_state_fps(edits.state_fps);
  if (edits.interpolation == Interpolation::kLerpAngle) {
    out.set_interpolation(v1::INTERPOLATION_LERP_ANGLE);
  }
  out.set_up_axis(ToProto(edits.up_axis));
  out.set_meters_per_unit(edits.meters_per_unit);
  if (edits.root_motion != RootMotion::kKeep) {
    out.set_root_motion(edits.root_motion == RootMotion::kInPlace
                            ? v1::ROOT_MOTION_IN_PLACE
                            : v1::ROOT_MOTION_ORIGIN);
  }
  if (!IsEmpty(edits.root_alignment)) {
    *out.mutable_root_alignment() = ToProto(edits.root_alignment);
  }
  return out;
}

}  // namespace bvhmill::wire
