// A take on another skeleton: the same motion of joints with other names and
// other axes.
//
// The world positions of all joints stay. So does the motion, but for the
// rotations, which are those of the new axes: in a rest pose the bones then
// point anywhere, as in files of some capture systems.
#pragma once

#include <map>
#include <string>

#include "tests/samples/skeleton.h"

namespace bvhmill::samples {

// The axes that joints get.
enum class Axes {
  // The axes of the world in the T-pose.
  kWorld,
  // X along the bone; of right arms and legs against it.
  kAlongBones,
  // Turned by some angles, other ones for each joint.
  kAny,
  // The axes of a rest pose with legs 20 degrees apart and arms that hang down.
  kSpread,
};

// `names` has the new names of joints; others keep theirs. All joints get the
// channels ZXY, the root positions before.
Take OnRig(const Take& take, const std::map<std::string, std::string>& names,
           Axes axes);

// The frames from `first` on.
Take From(const Take& take, int first);

}  // namespace bvhmill::samples
