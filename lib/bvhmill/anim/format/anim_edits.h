#pragma once

// Edits of an .anim that need no other data. (anim_settings.h changes
// priorities, loop, eases, hand pose, emote and constraints.)

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill {

// Keeps only the time from `begin` to `end`, in seconds. If a curve has no key
// at an end, a key is made of the value that is played there. Loop points and
// constraints move along and are cut; eases are shortened to the new duration.
// INVALID_ARGUMENT unless 0 <= begin < end <= duration. Sorts keys.
absl::Status TrimAnim(float begin, float end, AnimMotion* motion);

// Plays the same motion in `duration` seconds. Loop points and the times of
// constraints are scaled, eases are shortened if necessary; keys do not change.
// INVALID_ARGUMENT unless 0 < duration <= 60 and the motion has a duration.
absl::Status RetimeAnim(float duration, AnimMotion* motion);

// Removes joints by any of their names, and constraints whose chains need them.
// Returns the number of removed joints.
int64_t DropAnimJoints(std::span<const std::string> names, AnimMotion* motion);

// Swaps left and right: joints and hand poses with a counterpart change sides;
// rotations, positions and constraints are mirrored. Exact: mirrored twice, all
// is as before, except that 0 has two codes.
void MirrorAnim(AnimMotion* motion);

// Makes the changes that the viewer makes when it uploads the motion: joints
// get their full names, keys are sorted and have different times, all codes are
// decoded and truncated again, unknown emotes are dropped, the order of
// constraints is reversed.
void ResaveAsViewer(AnimMotion* motion);

}  // namespace bvhmill
