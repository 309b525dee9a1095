#pragma once

// The viewer's checks of what stands in an .anim, one function for each part of
// the file. Private to anim/.

#include <optional>
#include <span>
#include <string_view>

#include "bvhmill/anim/format/anim_log.h"
#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill {

// Byte offsets of fields of the header.
struct HeaderPlaces {
  size_t base_priority = 0;
  size_t duration = 0;
  size_t emote = 0;
  size_t loop_in = 0;
  size_t ease_in = 0;
  size_t hand_pose = 0;
};

// All fields but the joints.
void CheckHeader(const AnimMotion& motion, const HeaderPlaces& places,
                 AnimLog* log);

void CheckJointName(std::string_view name, size_t offset,
                    const AnimPlace& place, AnimLog* log);
void CheckJointPriority(int32_t priority, size_t offset, const AnimPlace& place,
                        AnimLog* log);
// `offsets` has the place of each joint. Names of one joint count as the same.
void CheckRepeatedJoints(const AnimMotion& motion,
                         std::span<const size_t> offsets, AnimLog* log);

// The keys of one curve, the first at byte `offset`.
void CheckKeys(std::span<const AnimKey> keys, bool is_rotation, float duration,
               size_t offset, const AnimPlace& place, AnimLog* log);

// The first joint of the chain that `motion` does not animate, by the viewer's
// way of looking for it; none if all are, or the source is no volume.
std::optional<std::string_view> MissingJointOf(const AnimConstraint& constraint,
                                               const AnimMotion& motion);

// `motion` must have all its joints.
void CheckConstraint(const AnimConstraint& constraint, const AnimMotion& motion,
                     size_t offset, AnimLog* log);

}  // namespace bvhmill
