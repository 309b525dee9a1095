#include "bvhmill/skeletons/up_axis.h"

#include <cmath>
#include <cstddef>

namespace bvhmill {

std::optional<int> ClearDirection(const std::array<double, 3>& up,
                                  double least) {
  size_t best = 0;
  for (size_t axis = 1; axis < 3; ++axis) {
    if (std::fabs(up[axis]) > std::fabs(up[best])) best = axis;
  }
  if (!(std::fabs(up[best]) >= least)) return std::nullopt;
  return static_cast<int>(up[best] > 0 ? best : best + 3);
}

UpAxis ChooseUpAxis(const UpEvidence& evidence) {
  int y = 1;
  int z = 0;
  for (const UpAxis vote : {evidence.pose, evidence.rest, evidence.height}) {
    y += vote == UpAxis::kY ? 1 : 0;
    z += vote == UpAxis::kZ ? 1 : 0;
  }
  if (y >= 2 && y > z) return UpAxis::kY;
  return z >= 2 && z > y ? UpAxis::kZ : UpAxis::kUnknown;
}

}  // namespace bvhmill
