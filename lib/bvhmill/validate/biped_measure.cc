#include "bvhmill/validate/biped_measure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace bvhmill {
namespace {

constexpr int32_t kFewestJoints = 10;
// A limb is a chain of at least this number of joints. Fingers are shorter.
constexpr int32_t kLimbJoints = 3;
// Two limbs are a pair if their lengths differ by at most this share.
constexpr double kUnevenness = 0.05;
// Smallest and largest length of a leg, as a share of the size of the body.
constexpr double kShortLeg = 0.3;
constexpr double kLongLeg = 0.9;
// The ends of arms that are legs are at least this share of the way down to
// those of the legs. Hands hang down to less than half of it.
constexpr double kArmsOnFloor = 0.75;
// The cosine of the angle between the legs and a spine that lies.
constexpr double kLyingSpine = 0.6;

// The longest chain from a joint down to a leaf.
struct Limb {
  int32_t parent = -1;
  double length = 0;
  int32_t joints = 0;
  int32_t node = 0;
};

double LengthOf(const std::array<float, 3>& v) {
  return std::hypot(double{v[0]}, double{v[1]}, double{v[2]});
}

// Counts pairs of limbs. before[i] is the number of pairs whose parent has an
// index below i. end[i] is the index after the last descendant of node i; nodes
// are in depth-first order.
struct Pairs {
  std::vector<int32_t> before;
  std::vector<int32_t> end;

  bool AnyIn(int32_t node) const {
    const auto i = static_cast<size_t>(node);
    return before[static_cast<size_t>(end[i])] > before[i];
  }
};

// The limbs of all joints, sorted by parent; those of one parent by length,
// shortest first.
std::vector<Limb> LimbsOf(const Skeleton& skeleton) {
  const std::vector<Node>& nodes = skeleton.nodes;
  std::vector<Limb> longest(nodes.size());
  std::vector<Limb> limbs;
  limbs.reserve(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    if (node.parent < 0) continue;
    const bool is_joint = !IsEndSite(node);
    const Limb limb = {node.parent, longest[i].length + LengthOf(node.offset),
                       longest[i].joints + (is_joint ? 1 : 0),
                       static_cast<int32_t>(i)};
    if (is_joint) limbs.push_back(limb);
    Limb& above = longest[static_cast<size_t>(node.parent)];
    above.length = std::max(above.length, limb.length);
    above.joints = std::max(above.joints, limb.joints);
  }
  std::sort(limbs.begin(), limbs.end(), [](const Limb& a, const Limb& b) {
    return std::tie(a.parent, a.length, a.node) <
           std::tie(b.parent, b.length, b.node);
  });
  return limbs;
}

// Requires that `b` comes after `a` in the order of LimbsOf.
bool IsPair(const Limb& a, const Limb& b) {
  return a.parent == b.parent && a.joints >= kLimbJoints &&
         b.joints >= kLimbJoints && a.length > 0 &&
         b.length - a.length <= kUnevenness * b.length;
}

Pairs PairsOf(const Skeleton& skeleton, const std::vector<Limb>& limbs) {
  const size_t count = skeleton.nodes.size();
  Pairs pairs;
  pairs.before.assign(count + 1, 0);
  pairs.end.assign(count, 0);
  for (size_t i = 0; i + 1 < limbs.size(); ++i) {
    if (!IsPair(limbs[i], limbs[i + 1])) continue;
    ++pairs.before[static_cast<size_t>(limbs[i].parent) + 1];
  }
  for (size_t i = 0; i < count; ++i) pairs.before[i + 1] += pairs.before[i];
  for (size_t i = count; i-- > 0;) {
    pairs.end[i] = std::max(pairs.end[i], static_cast<int32_t>(i) + 1);
    const int32_t parent = skeleton.nodes[i].parent;
    if (parent < 0) continue;
    int32_t& end = pairs.end[static_cast<size_t>(parent)];
    end = std::max(end, pairs.end[i]);
  }
  return pairs;
}

// The limbs of the first joint from the root down that does not have exactly
// one child joint, as a range of indices.
std::pair<size_t, size_t> FirstBranch(const std::vector<Limb>& limbs,
                                      int32_t root) {
  for (int32_t at = root;;) {
    const auto first = std::partition_point(
        limbs.begin(), limbs.end(),
        [at](const Limb& limb) { return limb.parent < at; });
    const auto last = std::find_if(first, limbs.end(), [at](const Limb& limb) {
      return limb.parent != at;
    });
    if (last - first != 1) {
      return {static_cast<size_t>(first - limbs.begin()),
              static_cast<size_t>(last - limbs.begin())};
    }
    at = first->node;
  }
}

LimbPair PairOf(const Limb& a, const Limb& b) {
  return {a.parent, {a.node, b.node}};
}

// Sets the legs of `body` and their length. Leaves it as it is if there are no
// legs, or no arms on another branch.
void FindLegs(const std::vector<Limb>& limbs, const Pairs& pairs, int32_t root,
              BipedMeasure* body) {
  const auto [first, last] = FirstBranch(limbs, root);
  int64_t with_arms = 0;
  for (size_t i = first; i < last; ++i) with_arms += pairs.AnyIn(limbs[i].node);
  for (size_t i = first; i + 1 < last; ++i) {
    const Limb& a = limbs[i];
    const Limb& b = limbs[i + 1];
    const int64_t own = pairs.AnyIn(a.node) + pairs.AnyIn(b.node);
    if (!IsPair(a, b) || with_arms <= own) continue;
    body->legs = PairOf(a, b);
    body->leg = b.length;
    return;
  }
}

// The longest pair of the first joint that is on no leg and has one.
LimbPair FindArms(const std::vector<Limb>& limbs, const Pairs& pairs,
                  const LimbPair& legs) {
  const auto is_on_leg = [&](int32_t node) {
    return std::any_of(legs.tops.begin(), legs.tops.end(), [&](int32_t top) {
      return node >= top && node < pairs.end[static_cast<size_t>(top)];
    });
  };
  LimbPair arms;
  for (size_t i = 0; i + 1 < limbs.size(); ++i) {
    const int32_t parent = limbs[i].parent;
    if (arms.parent >= 0 && arms.parent != parent) break;
    if (parent == legs.parent || is_on_leg(parent)) continue;
    if (IsPair(limbs[i], limbs[i + 1])) arms = PairOf(limbs[i], limbs[i + 1]);
  }
  return arms;
}

using Point = std::array<double, 3>;

// The place of each node in the rest pose, from the root.
std::vector<Point> RestPlaces(const Skeleton& skeleton) {
  std::vector<Point> at(skeleton.nodes.size());
  for (size_t i = 0; i < at.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    if (node.parent < 0) continue;
    for (size_t axis = 0; axis < 3; ++axis) {
      at[i][axis] =
          at[static_cast<size_t>(node.parent)][axis] + node.offset[axis];
    }
  }
  return at;
}

std::array<double, 3> ExtentOf(const std::vector<Point>& places) {
  Point low = {};
  Point high = {};
  for (const Point& place : places) {
    for (size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], place[axis]);
      high[axis] = std::max(high[axis], place[axis]);
    }
  }
  return {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
}

// How far a limb leads from `origin` along `direction`, at most.
double FarthestAlong(const std::vector<Point>& places, const Pairs& pairs,
                     int32_t top, const Point& origin, const Point& direction) {
  double most = 0;
  for (int32_t i = top; i < pairs.end[static_cast<size_t>(top)]; ++i) {
    double way = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
      way += direction[axis] *
             (places[static_cast<size_t>(i)][axis] - origin[axis]);
    }
    most = std::max(most, way);
  }
  return most;
}

double DotOf(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The spine lies across the way of the legs, which is down, and the arms end as
// low as the legs.
bool HasFourLegs(const std::vector<Point>& places, const Pairs& pairs,
                 const BipedMeasure& body) {
  if (body.arms.parent < 0) return false;
  const Point& hips = places[static_cast<size_t>(body.legs.parent)];
  const Point& chest = places[static_cast<size_t>(body.arms.parent)];
  Point down = {};
  Point spine = {};
  for (size_t axis = 0; axis < 3; ++axis) {
    spine[axis] = chest[axis] - hips[axis];
    for (const int32_t top : body.legs.tops) {
      const auto last =
          static_cast<size_t>(pairs.end[static_cast<size_t>(top)] - 1);
      down[axis] += places[last][axis] - hips[axis];
    }
  }
  const double along = std::fabs(DotOf(spine, down));
  const double most =
      kLyingSpine * std::sqrt(DotOf(spine, spine) * DotOf(down, down));
  double leg = HUGE_VAL;
  double arm = HUGE_VAL;
  for (size_t side = 0; side < 2; ++side) {
    leg = std::min(
        leg, FarthestAlong(places, pairs, body.legs.tops[side], hips, down));
    arm = std::min(
        arm, FarthestAlong(places, pairs, body.arms.tops[side], hips, down));
  }
  return along < most && leg > 0 && arm >= kArmsOnFloor * leg;
}

int64_t RootCount(const Skeleton& skeleton) {
  return std::count_if(skeleton.nodes.begin(), skeleton.nodes.end(),
                       [](const Node& node) { return node.parent < 0; });
}

}  // namespace

std::optional<BipedMeasure> MeasureBiped(const Skeleton& skeleton) {
  if (JointCount(skeleton) < kFewestJoints || RootCount(skeleton) != 1) {
    return std::nullopt;
  }
  const std::vector<Limb> limbs = LimbsOf(skeleton);
  const Pairs pairs = PairsOf(skeleton, limbs);
  BipedMeasure body;
  const std::vector<Point> places = RestPlaces(skeleton);
  body.extent = ExtentOf(places);
  FindLegs(limbs, pairs, 0, &body);
  const double part = body.leg / SizeOf(body);
  if (!(part >= kShortLeg && part <= kLongLeg)) return std::nullopt;
  body.arms = FindArms(limbs, pairs, body.legs);
  body.has_four_legs = HasFourLegs(places, pairs, body);
  return body;
}

double SizeOf(const BipedMeasure& body) {
  return *std::max_element(body.extent.begin(), body.extent.end());
}

}  // namespace bvhmill
