#pragma once

// Rules about feet and the floor, from the world positions of head and feet:
//
//   DATA_UP_AXIS_GUESS  the head is not above the feet, but along another axis
//   DATA_BELOW_FLOOR    the feet sink below the floor in a few frames, or the
//                       whole figure does in a part of the clip
//   DATA_FLOOR_DRIFT    the floor rises or falls over the clip, or the whole
//                       figure floats in a part of it
//   DATA_FLOOR_OFFSET   the figure does not stand on 0
//   DATA_FOOT_SKATE     feet that stand on the floor move over it
//   DATA_ROOT_SCALE     the floor is far from 0 while the figure moves, or the
//                       root moves much less than its feet ask for
//
// The root is the body root (MotionFacts).
// Up is the axis that the caller states; else the one along which the head is
// clearly above the feet; else Z if the rest pose hints at it; else Y. The
// rules are silent about figures without landmarks. Frames are judged at about
// 30 a second: see LandmarkStep.

#include <memory>

#include "bvhmill/validate/row_observer.h"

namespace bvhmill {

// Cost: about 100 operations a judged frame. Memory: at most 300 KB.
std::unique_ptr<RowObserver> MakeFloorRules();

}  // namespace bvhmill
