#pragma once

// Mirrors a clip: what the left side does, the right side does, and the other
// way round.

#include "absl/status/status.h"
#include "bvhmill/edit/editing.h"

namespace bvhmill {

// The mirror image of the motion at the plane X = 0, with left and right joints
// exchanged: in each frame, a joint is at the mirrored place of its
// counterpart. Names, hierarchy and the order of joints stay. Mirroring twice
// gives the clip again.
//
// Left and right are found by the words Left and Right, or the letters L and R,
// in the names of joints, else by their roles (Recognize). A joint is its own
// counterpart if none is found. Joints that should have one and do not are
// logged (EDIT_NOT_MIRRORED). INVALID_ARGUMENT if no joint has a counterpart.
//
// The axes of a joint are mirrored so that its children, where the figure is
// symmetric, keep their OFFSETs: at X, Y or Z, or at the origin, whichever fits
// best. If the axes of a joint and of its parent are mirrored alike, its
// rotations only change signs; else its angles are computed anew, in its own
// channels, or in Z X Y if these are not an Euler sequence of three. OFFSETs of
// a figure that is not symmetric are mirrored as well. O(frames x columns).
absl::Status Mirror(Editing* editing);

}  // namespace bvhmill
