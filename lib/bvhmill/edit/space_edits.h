#pragma once

// Edits to the space of a clip: its units, its axes, the places of its roots.
// They are exact, except that scaled values are rounded once. O(nodes +
// columns) each.

#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"

namespace bvhmill {

// Changes the up axis of the whole clip by a change of basis: (x, y, z) -> (x,
// z, -y) from Z up to Y up, (x, -z, y) from Y up to Z up. A rotation about Y
// becomes one about Z or -Z, and so on: channels are renamed and change sign,
// so that no angle is computed anew. No change if the axes are equal, or one is
// unknown.
void TurnUpAxis(UpAxis from, UpAxis to, EditedSkeleton* edited);

// Multiplies all OFFSETs and positions by `factor`.
void ScaleLengths(double factor, EditedSkeleton* edited);

// Removes the motion of the roots. The height is the coordinate along `up`, or
// along Y if `up` is unknown.
void StillRoots(RootMotion motion, UpAxis up, EditedSkeleton* edited);

// Applies the part of an alignment that moves: it permutes and negates the
// OFFSETs and positions of the roots.
void AlignRootPositions(const SignedAxes& axes, EditedSkeleton* edited);

}  // namespace bvhmill
