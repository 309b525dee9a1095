#include "bvhmill/validate/measure/rest_pose.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace bvhmill {
namespace {

using Point = std::array<double, 3>;

// Degrees; see RestPoseKind.
constexpr double kSideways = 20;
constexpr double kDown = 65;
// Legs point up or down if they are this near to it.
constexpr double kNearLegs = 35;

Point Minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double Norm(const Point& v) { return std::hypot(v[0], v[1], v[2]); }

// The angle of `v` above the plane to which `up` is normal, degrees. NaN if one
// of them is 0.
double Elevation(const Point& v, const Point& up) {
  const double dot = v[0] * up[0] + v[1] * up[1] + v[2] * up[2];
  const double sine = dot / (Norm(v) * Norm(up));
  return std::asin(std::clamp(sine, -1.0, 1.0)) * 180 / std::numbers::pi;
}

std::vector<Point> RestPositions(const Skeleton& skeleton) {
  std::vector<Point> at(skeleton.nodes.size());
  for (size_t i = 0; i < at.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (node.parent >= 0) at[i] = at[static_cast<size_t>(node.parent)];
    for (size_t axis = 0; axis < 3; ++axis) at[i][axis] += node.offset[axis];
  }
  return at;
}

Point SizeOfPose(const std::vector<Point>& at) {
  if (at.empty()) return {};
  Point low = at.front();
  Point high = at.front();
  for (const Point& point : at) {
    for (size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], point[axis]);
      high[axis] = std::max(high[axis], point[axis]);
    }
  }
  return Minus(high, low);
}

// From the joint `top` to the end of the longest chain below it.
Point DirectionOf(const Skeleton& skeleton, const std::vector<Point>& at,
                  int32_t top) {
  const auto first = static_cast<size_t>(top);
  std::vector<double> ways(at.size() - first, -1);
  ways[0] = 0;
  size_t farthest = 0;
  for (size_t i = 1; i < ways.size(); ++i) {
    const int32_t parent = skeleton.nodes[first + i].parent;
    // Nodes are in depth-first order: the limb ends here.
    if (parent < top) break;
    const auto above = static_cast<size_t>(parent);
    ways[i] = ways[above - first] + Norm(Minus(at[first + i], at[above]));
    if (ways[i] > ways[farthest]) farthest = i;
  }
  return Minus(at[first + farthest], at[first]);
}

// The mean elevation of the limbs of a pair.
double ElevationOf(const Skeleton& skeleton, const std::vector<Point>& at,
                   const LimbPair& pair, const Point& up) {
  double sum = 0;
  for (const int32_t top : pair.tops) {
    sum += Elevation(DirectionOf(skeleton, at, top), up);
  }
  return sum / 2;
}

RestPoseKind KindOf(double legs, double arms) {
  if (legs > 90 - kNearLegs) return RestPoseKind::kAligned;
  const bool stands = legs < -(90 - kNearLegs);
  if (!stands || !(arms <= kSideways)) return RestPoseKind::kOther;
  if (arms >= -kSideways) return RestPoseKind::kT;
  return arms >= -kDown ? RestPoseKind::kA : RestPoseKind::kArmsDown;
}

size_t LongestAxis(const Point& v) {
  size_t longest = 0;
  for (size_t axis = 1; axis < 3; ++axis) {
    if (std::abs(v[axis]) > std::abs(v[longest])) longest = axis;
  }
  return longest;
}

// True if the axis with this index is `up`, or if that is not known.
bool CanBeUp(UpAxis up, size_t axis) {
  return up == UpAxis::kUnknown || axis == (up == UpAxis::kY ? 1U : 2U);
}

}  // namespace

RestPose MeasureRestPose(const Skeleton& skeleton,
                         const std::optional<BipedMeasure>& body, UpAxis up) {
  const std::vector<Point> at = RestPositions(skeleton);
  RestPose pose;
  pose.size = SizeOfPose(at);
  if (!body || body->arms.parent < 0) return pose;
  const Point trunk = Minus(at[static_cast<size_t>(body->arms.parent)],
                            at[static_cast<size_t>(body->legs.parent)]);
  pose.kind = KindOf(ElevationOf(skeleton, at, body->legs, trunk),
                     ElevationOf(skeleton, at, body->arms, trunk));
  const bool is_straight = pose.kind == RestPoseKind::kT ||
                           pose.kind == RestPoseKind::kA ||
                           pose.kind == RestPoseKind::kArmsDown;
  const size_t axis = LongestAxis(trunk);
  if (is_straight && CanBeUp(up, axis)) pose.height = pose.size[axis];
  return pose;
}

}  // namespace bvhmill
