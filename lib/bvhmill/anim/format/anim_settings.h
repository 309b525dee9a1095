#pragma once

// What can be chosen about an .anim besides its curves.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_constraint.h"

namespace bvhmill {

struct AnimMotion;

// The pose of the source that is the avatar at rest: upright, arms spread.
enum class AnimReference {
  // Chosen by the skeleton and its motion: see reference_choice.h. The report
  // says which pose it is.
  kAuto,
  // All angles 0: the bones as their OFFSETs say. Every frame is played.
  kRestPose,
  // The first frame, which is then not played, unless it is the only one.
  kFirstFrame,
};

struct JointPriority {
  // By any name of FindAvatarJoint.
  std::string joint;
  int32_t priority = -1;

  bool operator==(const JointPriority& other) const = default;
};

// What is not set stays as it is. Times in seconds.
struct AnimSettings {
  // -1 to 6.
  std::optional<int32_t> base_priority;
  // Of every joint, and then of single ones: -1 (as the base) to 6.
  std::optional<int32_t> joint_priority;
  std::vector<JointPriority> joint_priorities;
  std::optional<bool> loop;
  std::optional<float> loop_in;
  std::optional<float> loop_out;
  std::optional<float> ease_in;
  std::optional<float> ease_out;
  // 0 to 13.
  std::optional<uint32_t> hand_pose;
  // Empty: none.
  std::optional<std::string> emote;
  std::optional<std::vector<AnimConstraint>> constraints;

  bool operator==(const AnimSettings& other) const = default;
};

// INVALID_ARGUMENT "field: why" for a value that no viewer takes, whatever the
// motion: out of range, not finite, an unknown joint, emote or volume.
absl::Status CheckSettings(const AnimSettings& settings);

// Puts `settings`, which must be good, into `motion`. Joints that the motion
// lacks do not count. Loop points are kept within the duration.
void ApplySettings(const AnimSettings& settings, AnimMotion* motion);

}  // namespace bvhmill
