#pragma once

// Edits to the space of a clip: its units, its axes, the places of its roots.
// They are exact, except that scaled values are rounded. O(frames x columns)
// each. Errors are those of the budget.

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/edit/editing.h"

namespace bvhmill {

// Changes the up axis of the whole clip by a change of basis: (x, y, z) -> (x,
// z, -y) from Z up to Y up, (x, -z, y) from Y up to Z up. A rotation about Y
// becomes one about Z or -Z, and so on: channels are renamed and change sign,
// so that no angle is computed anew. No change if the axes are equal, or one is
// unknown.
absl::Status TurnUpAxis(UpAxis from, UpAxis to, Editing* editing);

// Multiplies all OFFSETs and positions by `factor`.
absl::Status ScaleLengths(double factor, Editing* editing);

// The coordinate that is the height: Y if `up` is unknown.
constexpr size_t HeightAxis(UpAxis up) { return up == UpAxis::kZ ? 2 : 1; }

// The motion that roots keep: all, that along the up axis (in_place), or none
// (at_origin).
enum class RootMotion { kKeep, kInPlace, kOrigin };

// Removes the motion of `roots`, which are ROOTs, and then permutes and negates
// their OFFSETs and positions by `axes`. The height, which kInPlace keeps, is
// the coordinate `height`.
absl::Status PlaceRoots(RootMotion motion, size_t height,
                        const SignedAxes& axes, std::span<const int32_t> roots,
                        Editing* editing);

}  // namespace bvhmill
