#include "bvhmill/validate/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/validate/checked_clip.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {
namespace {

// The rest pose.

using Point = std::array<double, 3>;

struct RestPose {
  RestPoseKind kind = RestPoseKind::kUnknown;
  // Along X, Y and Z, in the unit of the file. Several roots are at the places
  // of their OFFSETs.
  Point size = {};
  // See ClipMeasures.
  std::optional<double> height;
};

// Degrees; see RestPoseKind.
constexpr double kSideways = 20;
constexpr double kDown = 65;
// Degrees. Legs point up or down if they are this near to it.
constexpr double kNearLegs = 35;

Point Minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double Norm(const Point& v) { return std::hypot(v[0], v[1], v[2]); }

// The angle in degrees of `v` above the plane to which `up` is normal. NaN if
// one of them is 0.
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

// True if the axis with this index is `up`, or if `up` is not known.
bool CanBeUp(UpAxis up, size_t axis) {
  return up == UpAxis::kUnknown || axis == HeightAxis(up);
}

// `body` is that of the skeleton, or nullopt if it has none. `up` is the axis
// that is up, as the caller states it; if it is not known, it is that of the
// body. O(nodes).
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

// Frames.

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
// The bytes of the results for a node and for a channel, and of two messages
// with them.
constexpr int64_t kNodeBytes = 112 + 3 * 160;
constexpr int64_t kChannelBytes = 24 + 3 * 8;

// Extends the range by `value`, unless that is not finite.
void Widen(float value, float* least, float* greatest) {
  if (!std::isfinite(value)) return;
  *least = std::min(*least, value);
  *greatest = std::max(*greatest, value);
}

bool IsKnown(const ClipExtents& extents) {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (extents.least[axis] > extents.greatest[axis]) return false;
  }
  return true;
}

double SquareOfStep(const float* from, const float* to) {
  double square = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    const double step = double{to[axis]} - from[axis];
    square += step * step;
  }
  return square;
}

std::optional<double> IfFinite(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

int32_t DepthOf(const Skeleton& skeleton) {
  std::vector<int32_t> depths(skeleton.nodes.size());
  int32_t depth = 0;
  for (size_t i = 0; i < depths.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const int32_t above =
        node.parent < 0 ? 0 : depths[static_cast<size_t>(node.parent)];
    depths[i] = above + (IsEndSite(node) ? 0 : 1);
    depth = std::max(depth, depths[i]);
  }
  return depth;
}

}  // namespace

int64_t ClipMeasurer::MemoryBytes(const Skeleton& skeleton) {
  return kNodeBytes * static_cast<int64_t>(skeleton.nodes.size()) +
         kChannelBytes * static_cast<int64_t>(skeleton.channels.size());
}

void ClipMeasurer::Steps::Add(const Steps& more) {
  for (size_t i = 0; i < paths.size(); ++i) {
    paths[i] += more.paths[i];
    has_path[i] = has_path[i] || more.has_path[i];
  }
  if (more.longest <= longest) return;
  longest = more.longest;
  joint = more.joint;
  frame = more.frame;
}

void ClipMeasurer::Turns::Begin(size_t nodes) {
  from.assign(nodes, {});
  largest.assign(nodes, 0);
  newest.assign(nodes, 0);
}

void ClipMeasurer::Turns::Add(size_t node, const Quat<double>& rotation) {
  largest[node] = std::max(largest[node], newest[node]);
  const double angle = AngleBetween(from[node], rotation);
  newest[node] = std::isnan(angle) ? 0 : angle;
}

double ClipMeasurer::Turns::Largest(size_t node, bool with_newest) const {
  return with_newest ? std::max(largest[node], newest[node]) : largest[node];
}

ClipMeasurer::ClipMeasurer(const CheckedClip& clip) : clip_(clip) {
  const size_t channels = clip.skeleton.channels.size();
  const size_t nodes = clip.skeleton.nodes.size();
  least_.assign(channels, kInfinity);
  greatest_.assign(channels, -kInfinity);
  for (Turns& turns : turns_) turns.Begin(nodes);
  last_positions_.assign(3 * nodes, 0);
  extents_.least.fill(kInfinity);
  extents_.greatest.fill(-kInfinity);
  for (End* end : {&first_, &second_, &before_last_, &last_}) {
    end->row.assign(channels, 0);
  }
}

void ClipMeasurer::Add(int64_t frames, std::span<const float> positions) {
  const size_t numbers = last_positions_.size();
  for (int64_t i = 0; i < frames; ++i) {
    const Row row = clip_.Row(frames_);
    const Row places =
        positions.subspan(static_cast<size_t>(i) * numbers, numbers);
    AddValues(row);
    AddTurns(row);
    AddPositions(places);
    KeepEnds(row, places);
    ++frames_;
  }
}

void ClipMeasurer::AddValues(Row row) {
  for (size_t i = 0; i < row.size(); ++i) {
    Widen(row[i], &least_[i], &greatest_[i]);
  }
}

// Requires that last_ is still the frame before.
void ClipMeasurer::AddTurns(Row row) {
  const Skeleton& skeleton = clip_.skeleton;
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    const Node& node = skeleton.nodes[i];
    const auto first = static_cast<size_t>(node.first_channel);
    const auto count = static_cast<size_t>(node.channel_count);
    if (count == 0) continue;
    const Row now = row.subspan(first, count);
    const auto before = last_.row.begin() + static_cast<ptrdiff_t>(first);
    // The angles of an equal frame are those of the frame before. The rotations
    // of frames 0 and 1 must be kept.
    const bool is_new =
        frames_ < 2 || !std::equal(now.begin(), now.end(), before);
    if (!is_new) {
      for (Turns& turns : turns_) {
        turns.largest[i] = std::max(turns.largest[i], turns.newest[i]);
      }
      continue;
    }
    const Quat<double> rotation = RotationOf(skeleton, node, row);
    if (frames_ == 0) turns_[0].from[i] = rotation;
    if (frames_ == 1) turns_[1].from[i] = rotation;
    if (frames_ > 0) turns_[0].Add(i, rotation);
    if (frames_ > 1) turns_[1].Add(i, rotation);
  }
}

void ClipMeasurer::AddPositions(Row positions) {
  for (size_t i = 0; i < positions.size(); i += 3) {
    for (size_t axis = 0; axis < 3; ++axis) {
      Widen(positions[i + axis], &extents_.least[axis],
            &extents_.greatest[axis]);
    }
  }
  if (frames_ == 1) first_step_ = StepsTo(positions);
  if (frames_ > 1) {
    steps_.Add(last_step_);
    last_step_ = StepsTo(positions);
  }
  std::copy(positions.begin(), positions.end(), last_positions_.begin());
}

// Skips steps from or to a position that is not finite.
ClipMeasurer::Steps ClipMeasurer::StepsTo(Row positions) const {
  const std::vector<Node>& nodes = clip_.skeleton.nodes;
  Steps steps;
  steps.frame = frames_;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (IsEndSite(nodes[i])) continue;
    const double square =
        SquareOfStep(&last_positions_[3 * i], &positions[3 * i]);
    if (!std::isfinite(square)) continue;
    if (square <= steps.longest) continue;
    steps.longest = square;
    steps.joint = static_cast<int32_t>(i);
  }
  const std::vector<int32_t>& trunk = clip_.facts.trunk.joints;
  for (size_t i = 0; i < trunk.size(); ++i) {
    const auto at = 3 * static_cast<size_t>(trunk[i]);
    const double square = SquareOfStep(&last_positions_[at], &positions[at]);
    if (!std::isfinite(square)) continue;
    steps.paths[i] = std::sqrt(square);
    steps.has_path[i] = true;
  }
  return steps;
}

void ClipMeasurer::KeepEnds(Row row, Row positions) {
  std::swap(before_last_, last_);
  std::copy(row.begin(), row.end(), last_.row.begin());
  const std::vector<int32_t>& trunk = clip_.facts.trunk.joints;
  for (size_t i = 0; i < trunk.size(); ++i) {
    std::copy_n(positions.begin() + 3 * static_cast<ptrdiff_t>(trunk[i]), 3,
                last_.places[i].begin());
  }
  if (frames_ == 0) first_ = last_;
  if (frames_ == 1) second_ = last_;
}

ClipMeasurer::Steps ClipMeasurer::AllSteps() const {
  Steps all;
  if (!clip_.motion.first_apart) all.Add(first_step_);
  all.Add(steps_);
  // In a clip of two frames, first_step_ is the only step and last_step_ is
  // empty.
  if (!clip_.motion.last_apart) all.Add(last_step_);
  return all;
}

size_t ClipMeasurer::BodyRoot() const {
  const std::vector<int32_t>& trunk = clip_.facts.trunk.joints;
  const auto at = std::find(trunk.begin(), trunk.end(), clip_.motion.body_root);
  return at == trunk.end() ? 0 : static_cast<size_t>(at - trunk.begin());
}

void ClipMeasurer::SetJoints(ClipMeasures* measures) const {
  const std::vector<Node>& nodes = clip_.skeleton.nodes;
  const Turns& turns = turns_[clip_.motion.first_apart ? 1 : 0];
  measures->joints.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    JointMeasures& joint = measures->joints[i];
    joint.degrees = turns.Largest(i, !clip_.motion.last_apart);
    const auto first = static_cast<size_t>(nodes[i].first_channel);
    const auto count = static_cast<size_t>(nodes[i].channel_count);
    for (size_t column = first; column < first + count; ++column) {
      const bool is_known = least_[column] <= greatest_[column];
      joint.least.push_back(is_known ? least_[column] : kUnknown);
      joint.greatest.push_back(is_known ? greatest_[column] : kUnknown);
    }
  }
}

void ClipMeasurer::SetSpeeds(ClipMeasures* measures) const {
  const MotionFacts& motion = clip_.motion;
  const Steps steps = AllSteps();
  const double rate = FramesPerSecond(clip_.frame_time);
  const int64_t count = motion.last_frame() - motion.first_frame();
  const size_t root = BodyRoot();
  const double path = steps.paths[root];
  if (steps.has_path[root]) measures->root_path = path;
  if (!(rate > 0) || count < 1) return;
  if (steps.has_path[root]) {
    measures->root_speed = IfFinite(path * rate / static_cast<double>(count));
  }
  const double speed = std::sqrt(steps.longest) * rate;
  if (steps.longest < 0 || !std::isfinite(speed)) return;
  measures->fastest = {speed, steps.joint, steps.frame};
}

void ClipMeasurer::SetLoop(ClipMeasures* measures) const {
  const End& first = clip_.motion.first_apart ? second_ : first_;
  const End& last = clip_.motion.last_apart ? before_last_ : last_;
  measures->loop_degrees =
      IfFinite(LargestAngle(clip_.skeleton, first.row, last.row));
  const size_t root = BodyRoot();
  measures->loop_distance = IfFinite(std::sqrt(
      SquareOfStep(first.places[root].data(), last.places[root].data())));
}

ClipMeasures ClipMeasurer::Measure() const {
  const Skeleton& skeleton = clip_.skeleton;
  ClipMeasures measures;
  const bool has_rate = FramesPerSecond(clip_.frame_time) > 0;
  const double frame_time = has_rate ? clip_.frame_time : 0;
  measures.duration = frame_time * static_cast<double>(frames_);
  measures.depth = DepthOf(skeleton);
  measures.channels = static_cast<int32_t>(skeleton.channels.size());
  if (IsKnown(extents_)) measures.extents = extents_;
  const RestPose pose =
      MeasureRestPose(skeleton, clip_.facts.body, clip_.source.up_axis);
  measures.rest_pose = pose.kind;
  measures.rest_size = pose.size;
  measures.height = pose.height;
  measures.reach = clip_.motion.reach;
  SetJoints(&measures);
  if (!skeleton.nodes.empty()) measures.body_root = clip_.motion.body_root;
  if (frames_ < 2 || skeleton.nodes.empty()) return measures;
  SetSpeeds(&measures);
  SetLoop(&measures);
  return measures;
}

}  // namespace bvhmill
