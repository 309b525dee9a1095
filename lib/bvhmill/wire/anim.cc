#include "bvhmill/wire/anim.h"

#include <optional>

#include "bvhmill/base/status.h"

namespace bvhmill::wire {
namespace {

template <typename T>
std::optional<T> If(bool has, double value) {
  return has ? std::optional(static_cast<T>(value)) : std::nullopt;
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
      return InvalidField(field + ".profile",
                          "unknown value " + std::to_string(message.profile()));
  }
  SettingsFromProto(message, &format->settings);
  format->reference = message.first_frame_is_reference()
                          ? AnimReference::kFirstFrame
                          : AnimReference::kRestPose;
  format->joint_map = message.joint_map();
  if (message.has_max_degrees()) format->max_degrees = message.max_degrees();
  if (message.has_max_millimetres()) {
    format->max_millimetres = message.max_millimetres();
  }
  format->max_bytes = message.max_bytes();
  return absl::OkStatus();
}

v1::AnimFormat ToProto(const AnimFormat& format) {
  v1::AnimFormat out;
  if (format.profile == AnimProfile::kViewer) {
    out.set_profile(v1::ANIM_PROFILE_VIEWER);
  }
  SettingsToProto(format.settings, &out);
  out.set_first_frame_is_reference(format.reference ==
                                   AnimReference::kFirstFrame);
  out.set_joint_map(format.joint_map);
  out.set_max_degrees(format.max_degrees);
  out.set_max_millimetres(format.max_millimetres);
  out.set_max_bytes(format.max_bytes);
  return out;
}

}  // namespace bvhmill::wire
