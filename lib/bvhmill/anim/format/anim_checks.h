#pragma once

// The viewer's checks of the contents of an .anim, one function for each part
// of the file. Private to anim/.

#include <optional>
#include <span>
#include <string_view>

#include "bvhmill/anim/format/anim_log.h"
#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill {

// Byte offsets of fields of the header.
struct HeaderOffsets {
  size_t base_priority = 0;
  size_t duration = 0;
  size_t emote = 0;
  size_t loop_in = 0;
  size_t ease_in = 0;
  size_t hand_pose = 0;
};

// Checks all fields except the joints.
void CheckHeader(const AnimMotion& motion, const HeaderOffsets& offsets,
                 AnimLog* log);

void CheckJointName(std::string_view name, size_t offset,
                    const AnimPlace& place, AnimLog* log);
void CheckJointPriority(int32_t priority, size_t offset, const AnimPlace& place,
                        AnimLog* log);
// `offsets` has the byte offset of each joint. Different names of the same
// avatar joint count as equal.
void CheckRepeatedJoints(const AnimMotion& motion,
                         std::span<const size_t> offsets, AnimLog* log);

// Checks the keys of one curve. The first key is at byte `offset`.
void CheckKeys(std::span<const AnimKey> keys, bool is_rotation, float duration,
               size_t offset, const AnimPlace& place, AnimLog* log);

// The first joint of the constraint's chain that `motion` does not animate, in
// the viewer's order of search; none if all are animated, or the source is not
// a collision volume.
std::optional<std::string_view> MissingJointOf(const AnimConstraint& constraint,
                                               const AnimMotion& motion);

// `motion` must have all its joints already.
void CheckConstraint(const AnimConstraint& constraint, const AnimMotion& motion,
                     size_t offset, AnimLog* log);

}  // namespace bvhmill
