#pragma once

// Changes of an .anim that need no other data. (anim_settings.h has those of
// priorities, loop, eases, hand pose, emote and constraints.)

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill {

// Keeps what is played from `begin` to `end` (seconds), which becomes the
// whole. Where no key stands at an end one is made of what is played there.
// Loop points and constraints move along and are cut, eases shortened to the
// new duration. INVALID_ARGUMENT unless 0 <= begin < end <= duration. Sorts
// keys.
absl::Status TrimAnim(float begin, float end, AnimMotion* motion);

// The same motion in `duration` seconds: loop points and the times of
// constraints are scaled, eases shortened if they must be; no key changes.
// INVALID_ARGUMENT unless 0 < duration <= 60 and there was a duration.
absl::Status RetimeAnim(float duration, AnimMotion* motion);

// Removes joints by any of their names, and the constraints whose chains need
// them. Returns how many joints were removed.
int64_t DropAnimJoints(std::span<const std::string> names, AnimMotion* motion);

// Swaps left and right: of joints, rotations, positions, constraints and hand
// poses that have a twin. Exact: twice gives back all but the two codes of 0.
void MirrorAnim(AnimMotion* motion);

// What the viewer makes of the motion when it is uploaded: names in full, keys
// sorted and of different times, all codes decoded and truncated again,
// unknown emotes dropped, constraints in reverse order.
void ResaveAsViewer(AnimMotion* motion);

}  // namespace bvhmill
