#include "bvhmill/validate/joint_rotation.h"

#include <algorithm>
#include <cmath>

#include "bvhmill/math/rotation_angle.h"

namespace bvhmill {

Quat<double> RotationOf(const Skeleton& skeleton, const Node& node,
                        std::span<const float> row) {
  Quat<double> q;
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsRotation(channel)) {
      q = Multiply(q, AxisQuat(AxisOf(channel), double{row[column]}));
    }
    ++column;
  }
  return q;
}

double LargestAngle(const Skeleton& skeleton, std::span<const float> a,
                    std::span<const float> b, double enough) {
  double largest = 0;
  for (const Node& node : skeleton.nodes) {
    if (node.channel_count == 0) continue;
    const Quat<double> from = RotationOf(skeleton, node, a);
    const Quat<double> to =
        b.empty() ? Quat<double>() : RotationOf(skeleton, node, b);
    const double angle = AngleBetween(from, to);
    if (std::isnan(angle) || angle > enough) return angle;
    largest = std::max(largest, angle);
  }
  return largest;
}

}  // namespace bvhmill
