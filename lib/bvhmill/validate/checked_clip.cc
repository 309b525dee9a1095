#include "bvhmill/validate/checked_clip.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "bvhmill/base/text.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {

Location LocationOf(const CheckedClip& clip, int32_t node) {
  Location location;
  if (!clip.node_positions.empty()) {
    location = LocationAt(clip.node_positions[static_cast<size_t>(node)]);
  }
  location.joint = node;
  location.joint_name = DisplayName(clip.skeleton, node);
  return location;
}

Location LocationAtFrame(const CheckedClip& clip, int32_t node, int64_t frame) {
  Location location;
  location.frame = frame;
  location.joint = node;
  location.joint_name = DisplayName(clip.skeleton, node);
  return location;
}

std::string QuotedName(const Skeleton& skeleton, int32_t node) {
  return Quote(DisplayName(skeleton, node));
}

std::array<int64_t, 3> SampleFrames(const CheckedClip& clip) {
  const int64_t last = clip.frames - 1;
  const auto power =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(last)));
  return {0, power, last};
}

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
