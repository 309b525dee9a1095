#pragma once

// The settings of an .anim besides its curves: priorities, loop, eases, hand
// pose, emote and constraints. Plain data, which options of a conversion hold.
//
//   AnimSettings settings;
//   settings.loop = true;
//   settings.joint_priority = {{"mHead", 5}};
//   BVHMILL_RETURN_IF_ERROR(CheckSettings(settings));
//   ApplySettings(settings, &motion);

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill {

struct AnimMotion;

struct JointPriority {
  // Any name that FindAvatarJoint finds.
  std::string joint;
  int32_t priority = -1;

  bool operator==(const JointPriority& other) const = default;
};

// With more constraints, the viewer reads none of them.
inline constexpr int32_t kMaxAnimConstraints = 10;

// Holds a collision volume at a place while the animation plays.
struct AnimConstraint {
  uint8_t chain_length = 0;
  // 0 point, 1 plane.
  uint8_t type = 0;
  std::string source_volume;
  std::array<float, 3> source_offset = {};
  // A collision volume or GROUND.
  std::string target_volume;
  std::array<float, 3> target_offset = {};
  std::array<float, 3> target_direction = {};
  // Seconds.
  float ease_in_start = 0;
  float ease_in_stop = 0;
  float ease_out_start = 0;
  float ease_out_stop = 0;

  friend bool operator==(const AnimConstraint&,
                         const AnimConstraint&) = default;
};

// A setting without a value changes nothing. Times are in seconds.
struct AnimSettings {
  // The priority of the animation and of each joint, -1 to 6.
  std::optional<int32_t> priority;
  // Overrides `priority` for single joints. -1: that of the animation.
  std::vector<JointPriority> joint_priority;
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

// The reference pose: the pose of the source that corresponds to the avatar at
// rest, which stands upright with its arms spread.
enum class AnimReference {
  // Chosen from the skeleton and its motion. The report
  // names the chosen pose.
  kAuto,
  // All angles are 0: OFFSETs are the directions of bones. Every frame is
  // played.
  kRestPose,
  // The first frame. It is then not played, unless it is the only one.
  kFirstFrame,
};

// INVALID_ARGUMENT "field: why" for settings that the viewer accepts for no
// motion: an unknown joint, emote or volume, a constraint with a value that is
// out of range or not finite, or more than 10 constraints. Requires that
// numbers are in their ranges, which CheckOptions of a conversion checks.
absl::Status CheckSettings(const AnimSettings& settings);

// Sets `settings` in `motion`; they must pass CheckSettings. Joints that the
// motion does not have are ignored. If a loop point is set, loop_out is
// limited to the duration, and loop_in to loop_out.
void ApplySettings(const AnimSettings& settings, AnimMotion* motion);

}  // namespace bvhmill
