#pragma once

// Settings of an .anim besides its curves.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill {

struct AnimMotion;

// The reference: the pose of the source that corresponds to the avatar at rest,
// which is upright with arms spread.
enum class AnimReference {
  // Chosen from the skeleton and its motion: see reference_choice.h. The report
  // says which pose was chosen.
  kAuto,
  // All angles are 0, so that OFFSETs give the directions of bones. Every frame
  // is played.
  kRestPose,
  // The first frame. It is then not played, unless it is the only one.
  kFirstFrame,
};

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

// INVALID_ARGUMENT "field: why" for what no viewer accepts, for every motion:
// an unknown joint, emote or volume, a constraint with a value that is out of
// range or not finite, or more than 10 constraints. Requires that numbers are
// in their ranges, which the options of a conversion check.
absl::Status CheckSettings(const AnimSettings& settings);

// Sets `settings` in `motion`; they must pass CheckSettings. Joints that the
// motion does not have are ignored. If a loop point is set, loop_out is
// limited to the duration, and loop_in to loop_out.
void ApplySettings(const AnimSettings& settings, AnimMotion* motion);

}  // namespace bvhmill
