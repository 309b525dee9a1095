#include "tests/anim/played_avatar.h"

#include <cmath>
#include <map>

#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/fit/key_play.h"

namespace bvhmill::testing {
namespace {

size_t IndexOf(std::string_view joint) {
  return static_cast<size_t>(FindAvatarJoint(joint));
}

Mat3<double> Played(const AnimJoint& joint, float duration, float seconds) {
  const BetweenKeys at = KeyCursor(joint.rotations, duration).To(seconds);
  const Quat<float> q =
      BlendRotations(RotationOf(*at.from), RotationOf(*at.to), at.u);
  const double length = std::sqrt(static_cast<double>(Dot(q, q)));
  return ToMatrix<double>(
      {q.x / length, q.y / length, q.z / length, q.w / length});
}

}  // namespace

PlayedAvatar::PlayedAvatar(const AnimMotion& motion, float seconds) {
  std::map<std::string_view, const AnimJoint*> joints;
  for (const AnimJoint& joint : motion.joints) joints[joint.name] = &joint;
  for (const AvatarJoint& joint : AvatarJoints()) {
    Mat3<double> turn = Identity<double>();
    const auto it = joints.find(joint.name);
    if (it != joints.end())
      turn = Played(*it->second, motion.duration, seconds);
    Vec3<double> place = {joint.rest[0], joint.rest[1], joint.rest[2]};
    if (joint.parent >= 0) {
      const auto parent = static_cast<size_t>(joint.parent);
      place = Transform(turns_[parent], places_[parent], place);
      turn = Multiply(turns_[parent], turn);
    }
    turns_.push_back(turn);
    places_.push_back(place);
  }
}

const Vec3<double>& PlayedAvatar::At(std::string_view joint) const {
  return places_[IndexOf(joint)];
}

const Mat3<double>& PlayedAvatar::TurnOf(std::string_view joint) const {
  return turns_[IndexOf(joint)];
}

}  // namespace bvhmill::testing
