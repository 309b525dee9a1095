#include "bvhmill/anim/anim_motion.h"

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

}  // namespace bvhmill
