#pragma once

// Finds the kind of the rest pose of a skeleton, and measures the pose.

#include <array>
#include <optional>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/validate/biped_measure.h"

namespace bvhmill {

struct RestPose {
  RestPoseKind kind = RestPoseKind::kUnknown;
  // Along X, Y and Z, in the unit of the file. Several roots are at the places
  // of their OFFSETs.
  std::array<double, 3> size = {};
  // See ClipMeasures.
  std::optional<double> height;
};

// `body` is that of the skeleton, or nullopt if it has none. `up` is the axis
// that is up, as the caller states it; if it is not known, it is that of the
// body. O(nodes).
RestPose MeasureRestPose(const Skeleton& skeleton,
                         const std::optional<BipedMeasure>& body, UpAxis up);

}  // namespace bvhmill
