#pragma once

// Evidence for the up axis of a clip, which its file does not state.

#include <array>
#include <optional>

#include "bvhmill/clip/skeleton.h"

namespace bvhmill {

// The axis that the vector `up` has at least the share `least` of, as an index
// of +X, +Y, +Z, -X, -Y, -Z. `up` is a mean of unit vectors, such as those from
// the feet to the head.
std::optional<int> ClearDirection(const std::array<double, 3>& up,
                                  double least);

// The up axis by each kind of evidence: Y, Z, or kUnknown.
struct UpEvidence {
  // Along which the head is above the feet: in the frames, and in the rest pose
  // that the OFFSETs give.
  UpAxis pose = UpAxis::kUnknown;
  UpAxis rest = UpAxis::kUnknown;
  // Along which the body root is at the height of hips above 0.
  UpAxis height = UpAxis::kUnknown;
};

// The axis with two votes or more, and more than the other one; kUnknown if
// there is none. Each evidence has a vote. Y has one more, since BVH files are
// Y up by convention.
UpAxis ChooseUpAxis(const UpEvidence& evidence);

}  // namespace bvhmill
