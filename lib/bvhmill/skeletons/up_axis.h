#pragma once

// Decides the up axis of a clip by evidence, since its file does not state it.

#include <array>
#include <optional>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

// The up axis by each kind of evidence: Y, Z, or kUnknown.
struct UpEvidence {
  // The axis along which the head is above the feet in the frames.
  UpAxis pose = UpAxis::kUnknown;
  // The same in the rest pose, which the OFFSETs define.
  UpAxis rest = UpAxis::kUnknown;
  // The axis along which the body root is at the height of hips above 0.
  UpAxis height = UpAxis::kUnknown;
};

// The axis with two votes or more, and more than the other one; kUnknown if
// there is none. Each kind of evidence has a vote. Y has one more, since BVH
// files are Y up by convention.
UpAxis ChooseUpAxis(const UpEvidence& evidence);

// The axis along which the absolute component of `up` is largest, as an index
// of +X, +Y, +Z, -X, -Y, -Z; nullopt if the component is below `least`. `up` is
// a mean of unit vectors, such as those from the feet to the head.
std::optional<int> ClearDirection(const std::array<double, 3>& up,
                                  double least);

}  // namespace bvhmill
