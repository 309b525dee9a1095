#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill {

size_t AnimBytes(const AnimMotion& motion) {
  size_t bytes = kAnimHeaderBytes + motion.emote.size() + sizeof(int32_t) +
                 motion.constraints.size() * kAnimConstraintBytes;
  for (const AnimJoint& joint : motion.joints) {
    bytes += kAnimJointBytes + joint.name.size() +
             (joint.rotations.size() + joint.positions.size()) * kAnimKeyBytes;
  }
  return bytes;
}

int64_t KeyBytes(const AnimMotion& motion) {
  size_t keys = 0;
  for (const AnimJoint& joint : motion.joints) {
    keys += joint.rotations.size() + joint.positions.size();
  }
  return static_cast<int64_t>(keys * sizeof(AnimKey));
}

}  // namespace bvhmill
