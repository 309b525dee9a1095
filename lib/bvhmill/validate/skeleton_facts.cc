#include "bvhmill/validate/skeleton_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {
namespace {

// Names of parts of a body.

bool Has(const std::string& name, std::string_view part) {
  return name.find(part) != std::string::npos;
}

// True if the name of `node`, or of a joint above it, contains one of two
// names.
bool IsBelow(const Skeleton& skeleton, int32_t node, std::string_view name,
             std::string_view other) {
  for (; node >= 0; node = skeleton.nodes[static_cast<size_t>(node)].parent) {
    const std::string own =
        PlainName(skeleton.nodes[static_cast<size_t>(node)]);
    if (Has(own, name) || Has(own, other)) return true;
  }
  return false;
}

}  // namespace

std::string PlainName(const Node& node) {
  std::string out(BareName(node.name));
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool IsBelowHead(const Skeleton& skeleton, int32_t node) {
  const int32_t parent = skeleton.nodes[static_cast<size_t>(node)].parent;
  return IsBelow(skeleton, parent, "head", "head");
}

bool IsToe(const Node& node) {
  const std::string name = PlainName(node);
  return !IsEndSite(node) && (Has(name, "toe") || Has(name, "ball"));
}

bool IsFinger(const Skeleton& skeleton, int32_t node) {
  constexpr std::array<std::string_view, 7> kFingers = {
      "thumb", "index", "middle", "ring", "pinky", "little", "finger"};
  const std::string name = PlainName(skeleton.nodes[static_cast<size_t>(node)]);
  const bool is_named =
      std::any_of(kFingers.begin(), kFingers.end(),
                  [&](std::string_view finger) { return Has(name, finger); });
  return is_named && IsBelow(skeleton, node, "hand", "wrist");
}

namespace {

// Mirrored joints.

constexpr std::string_view kSides[][2] = {
    {"Left", "Right"}, {"left", "right"}, {"LEFT", "RIGHT"}};

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsGap(char c) { return c == '_' || c == '.' || c == '-' || c == ' '; }

char OtherSide(char c) { return c == 'l' ? 'r' : c == 'L' ? 'R' : '\0'; }

// The name of the right joint if `name` is that of a left one; else nullopt.
std::optional<std::string> MirrorName(const std::string& name) {
  std::string out = name;
  for (const auto& [left, right] : kSides) {
    const size_t at = name.find(left);
    if (at == std::string::npos) continue;
    return out.replace(at, left.size(), right);
  }
  if (name.size() < 2) return std::nullopt;
  // "lArm", "LArm", "l_arm"; but not "Lower".
  const char first = OtherSide(name[0]);
  if (first != '\0' && (IsGap(name[1]) || IsUpper(name[1]))) {
    out[0] = first;
    return out;
  }
  const char last = OtherSide(name.back());
  if (last != '\0' && IsGap(name[name.size() - 2])) {
    out.back() = last;
    return out;
  }
  // "lfoot". Most names such as "leg" state no side: no joint has the other
  // name.
  if (name[0] == 'l' && IsLower(name[1])) {
    out[0] = 'r';
    return out;
  }
  return std::nullopt;
}

// For each node its first end site, or -1.
std::vector<int32_t> FirstEndSites(const std::vector<Node>& nodes) {
  std::vector<int32_t> ends(nodes.size(), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!IsEndSite(nodes[i]) || nodes[i].parent < 0) continue;
    int32_t& end = ends[static_cast<size_t>(nodes[i].parent)];
    if (end < 0) end = static_cast<int32_t>(i);
  }
  return ends;
}

// Finds joints by name, in a sorted list. It is no hash table because names of
// a hostile file could collide.
class NameOrder {
 public:
  explicit NameOrder(const std::vector<Node>& nodes) : nodes_(nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!IsEndSite(nodes[i])) order_.push_back(static_cast<int32_t>(i));
    }
    std::sort(order_.begin(), order_.end(), [this](int32_t a, int32_t b) {
      const int order = NameOf(a).compare(NameOf(b));
      return order < 0 || (order == 0 && a < b);
    });
  }
  // The first joint with that name, or -1.
  int32_t Find(const std::string& name) const {
    const auto at = std::lower_bound(
        order_.begin(), order_.end(), name,
        [this](int32_t a, const std::string& b) { return NameOf(a) < b; });
    return at != order_.end() && NameOf(*at) == name ? *at : -1;
  }

 private:
  const std::string& NameOf(int32_t i) const {
    return nodes_[static_cast<size_t>(i)].name;
  }

  const std::vector<Node>& nodes_;
  std::vector<int32_t> order_;
};

}  // namespace

std::vector<MirrorPair> FindMirrorPairs(const Skeleton& skeleton) {
  const std::vector<Node>& nodes = skeleton.nodes;
  const NameOrder names(nodes);
  const std::vector<int32_t> ends = FirstEndSites(nodes);
  std::vector<MirrorPair> pairs;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto left = static_cast<int32_t>(i);
    const std::optional<std::string> mirror =
        IsEndSite(nodes[i]) ? std::nullopt : MirrorName(nodes[i].name);
    if (!mirror || names.Find(nodes[i].name) != left) continue;
    const int32_t right = names.Find(*mirror);
    if (right < 0) continue;
    pairs.push_back({left, right});
    const int32_t left_end = ends[i];
    const int32_t right_end = ends[static_cast<size_t>(right)];
    if (left_end >= 0 && right_end >= 0) pairs.push_back({left_end, right_end});
  }
  return pairs;
}

namespace {

// The body.

constexpr int32_t kFewestJoints = 10;
// A limb is a chain of at least this number of joints. Fingers are shorter.
constexpr int32_t kLimbJoints = 3;
// Two limbs are a pair if their lengths differ by at most this share.
constexpr double kUnevenness = 0.05;
// Smallest and largest length of a leg, as a share of the size of the body.
constexpr double kShortLeg = 0.3;
constexpr double kLongLeg = 0.9;
// Arms that are legs end at this share of the way down to the ends of the legs,
// or lower. Hands hang down to less than half of it.
constexpr double kArmsOnFloor = 0.75;
// The largest cosine of the angle between the legs and a spine that lies.
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

// Counts pairs of limbs in any subtree.
struct Pairs {
  // before[i] is the number of pairs whose parent has an index below i. end[i]
  // is the index after the last descendant of node i; nodes are in depth-first
  // order.
  std::vector<int32_t> before;
  std::vector<int32_t> end;

  // True if a pair branches off at or below `node`.
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

// The limbs of the first branch: the first joint from the root down that has
// not exactly one child joint. As a range of indices of `limbs`.
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

// Sets the legs of `body` and their length, if there are legs and another
// branch has arms.
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

// The longest pair of the first joint that has one and is on no leg.
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

// How far the limb that begins at `top` reaches from `origin` along
// `direction`.
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

// True if the spine lies across the direction of the legs, which is down, and
// the arms end about as low as the legs.
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

namespace {

// Faults of the skeleton alone.

// Replaces `joints`, which are in file order, by those whose name is also that
// of an earlier one.
void KeepRepeated(const std::vector<Node>& nodes,
                  std::vector<RepeatedName>* joints) {
  const auto name = [&](int32_t i) -> const std::string& {
    return nodes[static_cast<size_t>(i)].name;
  };
  std::sort(joints->begin(), joints->end(), [&](const auto& a, const auto& b) {
    const int order = name(a.joint).compare(name(b.joint));
    return order < 0 || (order == 0 && a.joint < b.joint);
  });
  size_t kept = 0;
  int32_t first = -1;
  for (const auto& [joint, unused] : *joints) {
    if (first < 0 || name(joint) != name(first)) {
      first = joint;
    } else {
      (*joints)[kept++] = {joint, first};
    }
  }
  joints->resize(kept);
  std::sort(joints->begin(), joints->end(),
            [](const auto& a, const auto& b) { return a.joint < b.joint; });
}

void FindRepeatedNames(const std::vector<Node>& nodes,
                       std::vector<RepeatedName>* out) {
  out->clear();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!IsEndSite(nodes[i])) out->push_back({static_cast<int32_t>(i), -1});
  }
  KeepRepeated(nodes, out);
}

// The number of axes with a position channel.
int PositionAxes(const Skeleton& skeleton, const Node& node) {
  std::array<bool, 3> has = {};
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) has[static_cast<size_t>(AxisOf(channel))] = true;
  }
  return static_cast<int>(std::count(has.begin(), has.end(), true));
}

}  // namespace

float Length(const std::array<float, 3>& v) {
  return std::hypot(v[0], v[1], v[2]);
}

void FindFacts(const Skeleton& skeleton, SkeletonFacts* facts) {
  FindRepeatedNames(skeleton.nodes, &facts->repeated_names);
  facts->zero_length_bones.clear();
  facts->offset_roots.clear();
  facts->positioned_joints.clear();
  facts->positioned_nodes.clear();
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const auto index = static_cast<int32_t>(i);
    const bool has_length = Length(node.offset) > 0;
    if (node.kind == NodeKind::kRoot && Length(node.offset) != 0) {
      facts->offset_roots.push_back(index);
    }
    if (IsEndSite(node)) continue;
    const int axes = PositionAxes(skeleton, node);
    if (axes == 3) facts->positioned_nodes.push_back(index);
    if (node.kind != NodeKind::kJoint) continue;
    if (axes == 3) facts->positioned_joints.push_back(index);
    if (axes == 0 && !has_length) facts->zero_length_bones.push_back(index);
  }
  facts->body = MeasureBiped(skeleton);
  facts->reach = Reach(skeleton);
  facts->landmarks = FindLandmarks(skeleton);
  if (HasPositionedJoint(skeleton)) {
    facts->trunk = FindTrunks(skeleton)[0];
  } else {
    // The ROOT, if there is one. FindTrunks would allocate memory.
    facts->trunk.joints.assign(skeleton.nodes.empty() ? 0 : 1, 0);
    facts->trunk.reaches_hips = false;
  }
  facts->mirror_pairs = FindMirrorPairs(skeleton);
}

}  // namespace bvhmill
