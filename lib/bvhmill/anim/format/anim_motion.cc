#include "bvhmill/anim/format/anim_motion.h"

namespace bvhmill {
namespace {

// Sizes in bytes: the header without the text of the emote, a joint without its
// name and keys, a constraint.
constexpr size_t kAnimHeaderBytes = 41;
constexpr size_t kAnimJointBytes = 13;
constexpr size_t kAnimConstraintBytes = 86;

}  // namespace

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
