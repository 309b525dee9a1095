#pragma once

// Rules about the skeleton and about the poses at both ends of a clip:
//
//   DATA_ASYMMETRY  a bone is longer than the one of the other side
//   DATA_REST_POSE  frame 0 is the rest pose
//   DATA_LOOP       the last pose is the first one again

#include <memory>

#include "bvhmill/validate/row_observer.h"

namespace bvhmill {

// Makes the observer of these rules. It keeps six rows. Cost: O(channels) for a
// clip and for each Add, and O(1) for each frame.
std::unique_ptr<RowObserver> MakePoseRules();

}  // namespace bvhmill
