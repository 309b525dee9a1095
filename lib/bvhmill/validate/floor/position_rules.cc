// DATA_BONE_LENGTH: the distance of a joint with position channels from its
// parent varies by more than DATA_BONE_LENGTH.spread of the mean, below a node
// that moves.
//
// DATA_ROOT_SCALE: more than a twentieth of the steps of a root are faster than
// DATA_ROOT_SCALE.speed.
//
// DATA_ROOT_CONSTANT: no position channel varies by more than rounding,
// although other channels move.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/rules.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {
namespace {

// The largest share of the steps of a root that may be too fast.
constexpr double kFastShare = 0.05;

// A node with three position channels.
struct PositionedNode {
  int32_t node = 0;
  // Columns of X, Y and Z.
  std::array<size_t, 3> columns = {};
  // The values are added to it: the OFFSET, or 0 if they replace the OFFSET.
  std::array<float, 3> base = {};
  // See FindTrunk.
  bool is_trunk = false;
  // The squares of the least and the largest distance from the parent, their
  // frames, and the sum of the distances. Not measured for nodes of the trunk:
  // the distance of a root from its parent is no bone.
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  int64_t least_frame = 0;
  int64_t most_frame = 0;
  double sum = 0;
  // Bounds of each coordinate.
  std::array<float, 3> low = {HUGE_VALF, HUGE_VALF, HUGE_VALF};
  std::array<float, 3> high = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
  // Steps from frame to frame, and those that are too fast.
  int64_t steps = 0;
  int64_t fast_steps = 0;
};

std::array<size_t, 3> PositionColumns(const Skeleton& skeleton,
                                      const Node& node) {
  std::array<size_t, 3> columns = {};
  auto column = static_cast<size_t>(node.first_channel);
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    if (IsPosition(channel)) {
      columns[static_cast<size_t>(AxisOf(channel))] = column;
    }
    ++column;
  }
  return columns;
}

// By node: true for each root, its only child joint, the only child joint of
// that, and so on.
std::vector<bool> FindTrunk(const std::vector<Node>& nodes) {
  std::vector<int32_t> children(nodes.size());
  for (const Node& node : nodes) {
    if (node.parent >= 0 && !IsEndSite(node)) {
      ++children[static_cast<size_t>(node.parent)];
    }
  }
  std::vector<bool> trunk(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto parent = static_cast<size_t>(nodes[i].parent);
    trunk[i] = nodes[i].parent < 0 ||
               (!IsEndSite(nodes[i]) && trunk[parent] && children[parent] == 1);
  }
  return trunk;
}

float Spread(const PositionedNode& node) {
  float spread = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    spread = std::max(spread, node.high[axis] - node.low[axis]);
  }
  return spread;
}

class PositionCheck {
 public:
  explicit PositionCheck(const CheckedClip& clip);
  void Run(IssueLog* log);

 private:
  void CountSteps(PositionedNode* node) const;
  void CountPlaces(PositionedNode* node) const;
  void FindMoving();
  void CheckBone(const PositionedNode& node, IssueLog* log) const;
  void CheckRoot(IssueLog* log) const;

  const CheckedClip& clip_;
  std::vector<PositionedNode> nodes_;
  // For each node: the values of one of its channels differ; and a node above
  // it moves.
  std::vector<bool> moves_;
  std::vector<bool> below_moving_;
  double fast_step_ = 0;
  // Frames whose places count.
  double counted_ = 0;
};

PositionCheck::PositionCheck(const CheckedClip& clip) : clip_(clip) {
  const Skeleton& skeleton = clip.skeleton;
  const std::vector<bool> trunk = FindTrunk(skeleton.nodes);
  for (const int32_t i : clip.facts.positioned_nodes) {
    const auto at = static_cast<size_t>(i);
    PositionedNode node;
    node.node = i;
    node.columns = PositionColumns(skeleton, skeleton.nodes[at]);
    node.is_trunk = trunk[at];
    const bool is_added =
        clip.conventions.joint_positions == JointPositions::kAddToOffset;
    if (is_added) node.base = skeleton.nodes[at].offset;
    nodes_.push_back(node);
  }
  fast_step_ = clip[Threshold::DATA_ROOT_SCALE_speed] * clip.motion.reach *
               clip.motion.dt;
}

// Adds the place of the node in `frame`, whose values are `row`.
void CountPlace(const float* row, int64_t frame, PositionedNode* node) {
  double square = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    const float x = row[node->columns[axis]];
    const double place = double{x} + node->base[axis];
    square += place * place;
    node->low[axis] = std::min(node->low[axis], x);
    node->high[axis] = std::max(node->high[axis], x);
  }
  if (node->is_trunk) return;
  if (square < node->least) {
    node->least = square;
    node->least_frame = frame;
  }
  if (square > node->most) {
    node->most = square;
    node->most_frame = frame;
  }
  node->sum += std::sqrt(square);
}

void PositionCheck::CountSteps(PositionedNode* node) const {
  const double fast_square = fast_step_ * fast_step_;
  for (int64_t t = 1; t < clip_.frames; ++t) {
    const float* row = clip_.Row(t).data();
    const float* before = clip_.Row(t - 1).data();
    double square = 0;
    for (const size_t column : node->columns) {
      const double step = double{row[column]} - before[column];
      square += step * step;
    }
    node->steps += square > 0 ? 1 : 0;
    node->fast_steps += square > fast_square ? 1 : 0;
  }
}

// Skips frames that stand apart.
void PositionCheck::CountPlaces(PositionedNode* node) const {
  // A copy, which the compiler keeps in registers.
  PositionedNode counted = *node;
  const int64_t last = clip_.motion.last_frame();
  for (int64_t t = clip_.motion.first_frame(); t <= last; ++t) {
    CountPlace(clip_.Row(t).data(), t, &counted);
  }
  *node = counted;
}

void PositionCheck::FindMoving() {
  const std::span<const uint8_t> columns = clip_.motion.moving_columns;
  const std::vector<Node>& nodes = clip_.skeleton.nodes;
  moves_.assign(nodes.size(), false);
  below_moving_.assign(nodes.size(), false);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto channels =
        columns.subspan(static_cast<size_t>(nodes[i].first_channel),
                        static_cast<size_t>(nodes[i].channel_count));
    moves_[i] =
        std::find(channels.begin(), channels.end(), 1) != channels.end();
    if (nodes[i].parent < 0) continue;
    const auto parent = static_cast<size_t>(nodes[i].parent);
    below_moving_[i] = moves_[parent] || below_moving_[parent];
  }
}

void PositionCheck::CheckBone(const PositionedNode& node, IssueLog* log) const {
  const double least = std::sqrt(node.least);
  const double most = std::sqrt(node.most);
  const double mean = node.sum / counted_;
  const bool stretches =
      most - least > clip_[Threshold::DATA_BONE_LENGTH_spread] * mean &&
      most > clip_[Threshold::DATA_BONE_LENGTH_reach] * clip_.motion.reach;
  if (!stretches || !below_moving_[static_cast<size_t>(node.node)]) return;
  // Joints of a face move by positions.
  if (IsBelowHead(clip_.skeleton, node.node)) return;
  const auto& offset =
      clip_.skeleton.nodes[static_cast<size_t>(node.node)].offset;
  Location at = LocationOf(clip_, node.node);
  // The frame of the largest difference from the mean.
  at.frame = most - mean >= mean - least ? node.most_frame : node.least_frame;
  log->Add(IssueCode::DATA_BONE_LENGTH, at,
           {{"joint", QuotedName(clip_.skeleton, node.node)},
            {"spread", Short(100 * (most - least) / mean)},
            {"mean", Short(mean)},
            {"offset", Short(Length(offset))}});
}

void PositionCheck::CheckRoot(IssueLog* log) const {
  const float still = static_cast<float>(
      clip_[Threshold::DATA_ROOT_CONSTANT_reach] * clip_.motion.reach);
  // If poses repeat for several frames, each new one is a large step.
  const bool has_speed =
      !IsBeyondRates(clip_.frame_time) && !clip_.motion.has_many_repeats;
  bool is_constant = true;
  for (const PositionedNode& node : nodes_) {
    is_constant = is_constant && Spread(node) <= still;
    const bool is_fast = node.steps + 1 >= kFewestMotionFrames &&
                         static_cast<double>(node.fast_steps) >
                             kFastShare * static_cast<double>(node.steps);
    if (node.is_trunk && is_fast && has_speed) {
      log->Add(
          IssueCode::DATA_ROOT_SCALE, LocationOf(clip_, node.node),
          {{"what", "the speed of the root in a twentieth of its steps"},
           {"value", "above " + Short(clip_[Threshold::DATA_ROOT_SCALE_speed])},
           {"unit", "reaches a second"}});
      break;
    }
  }
  const bool moves =
      std::find(moves_.begin(), moves_.end(), true) != moves_.end();
  if (is_constant && moves && !nodes_.empty()) {
    log->Add(IssueCode::DATA_ROOT_CONSTANT, LocationOf(clip_, nodes_[0].node));
  }
}

void PositionCheck::Run(IssueLog* log) {
  counted_ = static_cast<double>(clip_.motion.last_frame() -
                                 clip_.motion.first_frame() + 1);
  if (counted_ < 2) return;
  for (PositionedNode& node : nodes_) {
    if (node.is_trunk) CountSteps(&node);
    CountPlaces(&node);
  }
  FindMoving();
  const bool are_ignored =
      clip_.conventions.joint_positions == JointPositions::kIgnore;
  if (!clip_.motion.has_global_positions && !are_ignored) {
    for (const PositionedNode& node : nodes_) CheckBone(node, log);
  }
  CheckRoot(log);
}

}  // namespace

void CheckPositions(const CheckedClip& clip, IssueLog* log) {
  const MotionFacts& motion = clip.motion;
  const bool is_judged = !clip.facts.positioned_nodes.empty() &&
                         clip.frames >= 2 && motion.reach > 0 &&
                         motion.non_finite_rows == 0;
  if (is_judged) PositionCheck(clip).Run(log);
}

}  // namespace bvhmill
