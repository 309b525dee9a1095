#include "bvhmill/anim/format/anim_settings.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

absl::Status CheckJoints(const AnimSettings& settings) {
  for (const JointPriority& joint : settings.joint_priority) {
    if (FindAvatarJoint(joint.joint) < 0) {
      return InvalidField("joint_priority",
                          "the avatar has no joint " + Quote(joint.joint));
    }
  }
  return absl::OkStatus();
}

bool IsVolume(const std::string& name) {
  const int32_t joint = FindAvatarJoint(name);
  return joint >= 0 && AvatarJoints()[static_cast<size_t>(joint)].kind ==
                           AvatarJointKind::kCollisionVolume;
}

bool IsFinite(const Vec3<float>& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

bool IsGood(const AnimConstraint& c) {
  return c.chain_length <= kMaxAnimChain && c.type < kAnimConstraintTypes &&
         IsVolume(c.source_volume) &&
         (c.target_volume == "GROUND" || IsVolume(c.target_volume)) &&
         IsFinite(c.source_offset) && IsFinite(c.target_offset) &&
         IsFinite(c.target_direction) && std::isfinite(c.ease_in_start) &&
         std::isfinite(c.ease_in_stop) && std::isfinite(c.ease_out_start) &&
         std::isfinite(c.ease_out_stop);
}

absl::Status CheckConstraints(const AnimSettings& settings) {
  if (!settings.constraints) return absl::OkStatus();
  const std::vector<AnimConstraint>& all = *settings.constraints;
  if (all.size() > static_cast<size_t>(kMaxAnimConstraints)) {
    return InvalidField("constraints", "there are more than 10");
  }
  if (std::all_of(all.begin(), all.end(), IsGood)) return absl::OkStatus();
  return InvalidField("constraints", "one has values that no viewer takes");
}

template <typename T>
void Set(const std::optional<T>& from, T* to) {
  if (from) *to = *from;
}

void SetJointPriorities(const AnimSettings& settings, AnimMotion* motion) {
  for (AnimJoint& joint : motion->joints) {
    Set(settings.priority, &joint.priority);
    const int32_t index = FindAvatarJoint(joint.name);
    for (const JointPriority& chosen : settings.joint_priority) {
      if (index < 0 || FindAvatarJoint(chosen.joint) != index) continue;
      joint.priority = chosen.priority;
    }
  }
}

}  // namespace

absl::Status CheckSettings(const AnimSettings& settings) {
  BVHMILL_RETURN_IF_ERROR(CheckJoints(settings));
  if (!settings.emote.value_or("").empty() && !IsKnownEmote(*settings.emote)) {
    return InvalidField("emote",
                        "the viewer knows no " + Quote(*settings.emote));
  }
  return CheckConstraints(settings);
}

void ApplySettings(const AnimSettings& settings, AnimMotion* motion) {
  Set(settings.priority, &motion->base_priority);
  SetJointPriorities(settings, motion);
  if (settings.loop) motion->loop = *settings.loop ? 1 : 0;
  Set(settings.loop_in, &motion->loop_in);
  Set(settings.loop_out, &motion->loop_out);
  if (settings.loop_in || settings.loop_out) {
    motion->loop_out = std::min(motion->loop_out, motion->duration);
    motion->loop_in = std::min(motion->loop_in, motion->loop_out);
  }
  Set(settings.ease_in, &motion->ease_in);
  Set(settings.ease_out, &motion->ease_out);
  Set(settings.hand_pose, &motion->hand_pose);
  Set(settings.emote, &motion->emote);
  Set(settings.constraints, &motion->constraints);
}

}  // namespace bvhmill
