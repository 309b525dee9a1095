#include "bvhmill/wire/anim.h"

#include <array>
#include <optional>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/utf8.h"
#include "bvhmill/wire/unknown_fields.h"

namespace bvhmill::wire {
namespace {

template <typename T>
std::optional<T> If(bool has, double value) {
  return has ? std::optional(static_cast<T>(value)) : std::nullopt;
}

std::array<float, 3> FromProto(const v1::AnimVector& v) {
  return {v.x(), v.y(), v.z()};
}

void ToProto(const std::array<float, 3>& v, v1::AnimVector* out) {
  out->set_x(v[0]);
  out->set_y(v[1]);
  out->set_z(v[2]);
}

// Refuses only values that the plain data cannot hold. The check of all
// settings finds values that no viewer takes.
absl::Status FromProto(const std::string& field, const v1::AnimConstraint& from,
                       AnimConstraint* to) {
  constexpr uint32_t kMaxChain = 255;
  if (from.chain_length() > kMaxChain) {
    return InvalidField(field + ".chain_length", "is above 255");
  }
  if (!v1::AnimConstraintType_IsValid(from.type())) {
    return UnknownValue(field + ".type", from.type());
  }
  to->chain_length = static_cast<uint8_t>(from.chain_length());
  to->type = from.type() == v1::ANIM_CONSTRAINT_TYPE_PLANE ? 1 : 0;
  to->source_volume = from.source_volume();
  to->target_volume = from.target_volume();
  to->source_offset = FromProto(from.source_offset());
  to->target_offset = FromProto(from.target_offset());
  to->target_direction = FromProto(from.target_direction());
  to->ease_in_start = from.ease_in_start_seconds();
  to->ease_in_stop = from.ease_in_stop_seconds();
  to->ease_out_start = from.ease_out_start_seconds();
  to->ease_out_stop = from.ease_out_stop_seconds();
  return absl::OkStatus();
}

void ToProto(const AnimConstraint& from, v1::AnimConstraint* to) {
  to->set_chain_length(from.chain_length);
  to->set_type(from.type == 1 ? v1::ANIM_CONSTRAINT_TYPE_PLANE
                              : v1::ANIM_CONSTRAINT_TYPE_POINT);
  to->set_source_volume(from.source_volume);
  to->set_target_volume(from.target_volume);
  ToProto(from.source_offset, to->mutable_source_offset());
  ToProto(from.target_offset, to->mutable_target_offset());
  ToProto(from.target_direction, to->mutable_target_direction());
  to->set_ease_in_start_seconds(from.ease_in_start);
  to->set_ease_in_stop_seconds(from.ease_in_stop);
  to->set_ease_out_start_seconds(from.ease_out_start);
  to->set_ease_out_stop_seconds(from.ease_out_stop);
}

absl::Status ConstraintsFromProto(const std::string& field,
                                  const v1::AnimFormat& message,
                                  AnimSettings* settings) {
  if (message.constraints().empty()) return absl::OkStatus();
  std::vector<AnimConstraint>& all = settings->constraints.emplace();
  for (int i = 0; i < message.constraints_size(); ++i) {
    BVHMILL_RETURN_IF_ERROR(
        FromProto(field + ".constraints[" + std::to_string(i) + "]",
                  message.constraints(i), &all.emplace_back()));
  }
  return absl::OkStatus();
}

void SettingsFromProto(const v1::AnimFormat& message, AnimSettings* settings) {
  settings->base_priority =
      If<int32_t>(message.has_priority(), message.priority());
  settings->joint_priority =
      If<int32_t>(message.has_joint_priority(), message.joint_priority());
  for (const v1::AnimJointPriority& joint : message.joint_priorities()) {
    settings->joint_priorities.push_back({joint.joint(), joint.priority()});
  }
  settings->loop = If<bool>(message.has_loop(), message.loop());
  settings->loop_in =
      If<float>(message.has_loop_in_seconds(), message.loop_in_seconds());
  settings->loop_out =
      If<float>(message.has_loop_out_seconds(), message.loop_out_seconds());
  settings->ease_in =
      If<float>(message.has_ease_in_seconds(), message.ease_in_seconds());
  settings->ease_out =
      If<float>(message.has_ease_out_seconds(), message.ease_out_seconds());
  settings->hand_pose =
      If<uint32_t>(message.has_hand_pose(), message.hand_pose());
  if (!message.emote().empty()) settings->emote = message.emote();
}

void SettingsToProto(const AnimSettings& settings, v1::AnimFormat* out) {
  if (settings.base_priority) out->set_priority(*settings.base_priority);
  if (settings.joint_priority)
    out->set_joint_priority(*settings.joint_priority);
  for (const JointPriority& joint : settings.joint_priorities) {
    v1::AnimJointPriority* to = out->add_joint_priorities();
    to->set_joint(joint.joint);
    to->set_priority(joint.priority);
  }
  if (settings.loop) out->set_loop(*settings.loop);
  if (settings.loop_in) out->set_loop_in_seconds(*settings.loop_in);
  if (settings.loop_out) out->set_loop_out_seconds(*settings.loop_out);
  if (settings.ease_in) out->set_ease_in_seconds(*settings.ease_in);
  if (settings.ease_out) out->set_ease_out_seconds(*settings.ease_out);
  if (settings.hand_pose) out->set_hand_pose(*settings.hand_pose);
  out->set_emote(settings.emote.value_or(""));
  if (!settings.constraints) return;
  for (const AnimConstraint& constraint : *settings.constraints) {
    ToProto(constraint, out->add_constraints());
  }
}

absl::Status ReferenceFromProto(const std::string& field,
                                const v1::AnimFormat& message,
                                AnimReference* reference) {
  switch (message.reference()) {
    case v1::ANIM_REFERENCE_UNSPECIFIED:
      *reference = message.first_frame_is_reference()
                       ? AnimReference::kFirstFrame
                       : AnimReference::kAuto;
      return absl::OkStatus();
    case v1::ANIM_REFERENCE_AUTO:
      *reference = AnimReference::kAuto;
      return absl::OkStatus();
    case v1::ANIM_REFERENCE_REST_POSE:
      *reference = AnimReference::kRestPose;
      return absl::OkStatus();
    case v1::ANIM_REFERENCE_FIRST_FRAME:
      *reference = AnimReference::kFirstFrame;
      return absl::OkStatus();
    default:
      return UnknownValue(field + ".reference", message.reference());
  }
}

}  // namespace

absl::Status FromProto(const std::string& field, const v1::AnimFormat& message,
                       AnimFormat* format) {
  switch (message.profile()) {
    case v1::ANIM_PROFILE_UNSPECIFIED:
    case v1::ANIM_PROFILE_BEST:
      format->profile = AnimProfile::kBest;
      break;
    case v1::ANIM_PROFILE_VIEWER:
      format->profile = AnimProfile::kViewer;
      break;
    default:
      return UnknownValue(field + ".profile", message.profile());
  }
  // Before they are copied.
  BVHMILL_RETURN_IF_ERROR(
      CheckCount(field + ".joint_priorities",
                 static_cast<size_t>(message.joint_priorities_size()),
                 kMaxJointPriorities));
  BVHMILL_RETURN_IF_ERROR(CheckCount(
      field + ".constraints", static_cast<size_t>(message.constraints_size()),
      static_cast<size_t>(kMaxAnimConstraints)));
  BVHMILL_RETURN_IF_ERROR(CheckCount(
      field + ".joint_map_rows",
      static_cast<size_t>(message.joint_map_rows_size()), kMaxJointNames));
  SettingsFromProto(message, &format->settings);
  BVHMILL_RETURN_IF_ERROR(
      ConstraintsFromProto(field, message, &format->settings));
  BVHMILL_RETURN_IF_ERROR(
      ReferenceFromProto(field, message, &format->reference));
  format->joint_map = message.joint_map();
  for (const v1::JointMapRow& row : message.joint_map_rows()) {
    format->joint_map_rows.push_back({row.source(), row.target()});
  }
  if (message.has_max_degrees()) format->max_degrees = message.max_degrees();
  if (message.has_max_millimetres()) {
    format->max_millimetres = message.max_millimetres();
  }
  format->max_bytes = message.max_bytes();
  if (message.has_max_degrees_limit()) {
    format->max_degrees_limit = message.max_degrees_limit();
  }
  format->accept_odd = message.accept_odd();
  format->for_upload = message.for_upload();
  format->match_limbs = message.match_limbs();
  format->scale_to_avatar = message.scale_to_avatar();
  return absl::OkStatus();
}

v1::AnimFormat ToProto(const AnimFormat& format) {
  v1::AnimFormat out;
  if (format.profile == AnimProfile::kViewer) {
    out.set_profile(v1::ANIM_PROFILE_VIEWER);
  }
  SettingsToProto(format.settings, &out);
  if (format.reference == AnimReference::kRestPose) {
    out.set_reference(v1::ANIM_REFERENCE_REST_POSE);
  }
  out.set_first_frame_is_reference(format.reference ==
                                   AnimReference::kFirstFrame);
  out.set_joint_map(format.joint_map);
  for (const JointMapRow& row : format.joint_map_rows) {
    v1::JointMapRow* to = out.add_joint_map_rows();
    to->set_source(ToUtf8(row.source));
    to->set_target(ToUtf8(row.target));
  }
  out.set_max_degrees(format.max_degrees);
  out.set_max_millimetres(format.max_millimetres);
  out.set_max_bytes(format.max_bytes);
  out.set_max_degrees_limit(format.max_degrees_limit);
  out.set_accept_odd(format.accept_odd);
  out.set_for_upload(format.for_upload);
  out.set_match_limbs(format.match_limbs);
  out.set_scale_to_avatar(format.scale_to_avatar);
  return out;
}

}  // namespace bvhmill::wire
