#pragma once

// Edits of the space that a clip stands in: units, axes, where its roots are.
// All of them are exact but for one rounding of what is scaled. O(nodes +
// columns).

#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/column_map.h"

namespace bvhmill {

// Turns the whole clip from one up axis to the other by a change of basis, not
// by an angle: (x, y, z) -> (x, z, -y) from Z up to Y up, (x, -z, y) back. A
// rotation about Y becomes one about Z, or minus Z, and so on: channels are
// renamed and change sign, so no angle is computed anew.
void TurnUpAxis(UpAxis from, UpAxis to, EditedSkeleton* edited);

// Multiplies OFFSETs and positions by `factor`.
void ScaleLengths(double factor, EditedSkeleton* edited);

// Takes the motion out of the roots. The ground is what is across `up`; Y is up
// if that is not known.
void StillRoots(RootMotion motion, UpAxis up, EditedSkeleton* edited);

// The part of an alignment that moves: OFFSETs and positions of the roots.
void AlignRootPositions(const SignedAxes& axes, EditedSkeleton* edited);

}  // namespace bvhmill
