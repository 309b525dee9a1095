#pragma once

// Edits to the space of a clip: its units, its axes, the places of its roots.
// They are exact, except that scaled values are rounded once. O(nodes +
// columns) each.

#include <cstddef>
#include <cstdint>
#include <span>

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

// The coordinate that is the height: Y if `up` is unknown.
constexpr size_t HeightAxis(UpAxis up) { return up == UpAxis::kZ ? 2 : 1; }

// Removes the motion of `roots`, which are ROOTs. The height is the coordinate
// of HeightAxis(up).
void StillRoots(RootMotion motion, UpAxis up, std::span<const int32_t> roots,
                EditedSkeleton* edited);

// Applies the part of an alignment that moves: it permutes and negates the
// OFFSETs and positions of `roots`, which are ROOTs.
void AlignRootPositions(const SignedAxes& axes, std::span<const int32_t> roots,
                        EditedSkeleton* edited);

}  // namespace bvhmill
