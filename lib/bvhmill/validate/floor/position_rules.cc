#include "bvhmill/validate/floor/position_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/rule_input.h"

namespace bvhmill {
namespace {

// The share of steps of a root that may be too fast.
constexpr double kFastShare = 0.05;

// A node with three position channels.
struct PositionedNode {
  int32_t node = 0;
  // Columns of X, Y and Z.
  std::array<size_t, 3> columns = {};
  // On the way from a root down to the first node that has not one child.
  bool is_trunk = false;
  // Squares of the least and the largest distance from the parent; the sum of
  // the distances.
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  double sum = 0;
  // Bounds of each coordinate.
  std::array<float, 3> low = {};
  std::array<float, 3> high = {};
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

// Sets `trunk` to true for roots, and for the only child joints below them.
// `children` is scratch memory.
void FindTrunk(const std::vector<Node>& nodes, std::vector<int32_t>* children,
               std::vector<bool>* trunk) {
  children->assign(nodes.size(), 0);
  for (const Node& node : nodes) {
    if (node.parent >= 0 && !IsEndSite(node)) {
      ++(*children)[static_cast<size_t>(node.parent)];
    }
  }
  trunk->assign(nodes.size(), false);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto parent = static_cast<size_t>(nodes[i].parent);
    (*trunk)[i] =
        nodes[i].parent < 0 ||
        (!IsEndSite(nodes[i]) && (*trunk)[parent] && (*children)[parent] == 1);
  }
}

float Spread(const PositionedNode& node) {
  float spread = 0;
  for (size_t axis = 0; axis < 3; ++axis) {
    spread = std::max(spread, node.high[axis] - node.low[axis]);
  }
  return spread;
}

class PositionRules final : public RowObserver {
 public:
  int64_t MemoryBytes(const Skeleton& skeleton,
                      const SkeletonFacts& /*facts*/) const override {
    return static_cast<int64_t>(
        skeleton.nodes.size() * (sizeof(PositionedNode) + 2 * sizeof(int32_t)) +
        2 * skeleton.channels.size() * sizeof(float));
  }
  void Begin(const ObservedClip& clip) override;
  void Add(const ObservedRows& rows) override;
  // A clip with void rows is refused, and the rules are not applied to it.
  void Truncate(int64_t /*frames*/) override {}
  void Finish(IssueLog* log) override;

 private:
  double Limit(Threshold threshold) const {
    return clip_->thresholds[threshold];
  }
  void AddRow(std::span<const float> row);
  void CountSteps(std::span<const float> row);
  void CountRow(std::span<const float> row);
  void FindMoving(std::span<const float> row);
  void FindBelowMoving();
  void CheckBone(const PositionedNode& node, IssueLog* log) const;
  void CheckRoot(IssueLog* log) const;

  std::optional<ObservedClip> clip_;
  std::vector<PositionedNode> nodes_;
  bool has_positions_ = false;
  // Values of the first row, and for each node whether one of its channels has
  // another value in a later row.
  std::vector<float> first_row_;
  // The first and the newest row wait until it is known whether they count.
  std::vector<float> newest_row_;
  std::vector<bool> moves_;
  // For each node: a node above it moves.
  std::vector<bool> below_moving_;
  std::vector<bool> trunk_;
  std::vector<int32_t> children_;
  // Nodes that have not moved so far.
  std::vector<int32_t> still_;
  double fast_step_ = 0;
  int64_t frames_ = 0;
  int64_t counted_ = 0;
};

void PositionRules::Begin(const ObservedClip& clip) {
  clip_.emplace(clip);
  frames_ = 0;
  counted_ = 0;
  nodes_.clear();
  still_.clear();
  const Skeleton& skeleton = clip.skeleton;
  has_positions_ = std::any_of(skeleton.channels.begin(),
                               skeleton.channels.end(), IsPosition);
  if (!has_positions_) return;
  FindTrunk(skeleton.nodes, &children_, &trunk_);
  for (const int32_t i : clip.facts.positioned_nodes) {
    PositionedNode node;
    node.node = i;
    node.columns =
        PositionColumns(skeleton, skeleton.nodes[static_cast<size_t>(i)]);
    node.is_trunk = trunk_[static_cast<size_t>(i)];
    nodes_.push_back(node);
  }
  moves_.assign(skeleton.nodes.size(), false);
  for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
    if (skeleton.nodes[i].channel_count > 0) {
      still_.push_back(static_cast<int32_t>(i));
    }
  }
  fast_step_ = clip.thresholds[Threshold::DATA_ROOT_SCALE_speed] *
               clip.motion.reach * clip.motion.dt;
}

void PositionRules::Add(const ObservedRows& rows) {
  if (!has_positions_) return;
  const size_t width = clip_->skeleton.channels.size();
  for (int64_t i = 0; i < rows.frames; ++i) {
    AddRow(rows.values.subspan(static_cast<size_t>(i) * width, width));
  }
}

void PositionRules::AddRow(std::span<const float> row) {
  if (frames_ == 0) first_row_.assign(row.begin(), row.end());
  if (frames_ > 0) CountSteps(row);
  // The row before is neither the first nor the last one.
  if (frames_ > 1) CountRow(newest_row_);
  newest_row_.assign(row.begin(), row.end());
  FindMoving(row);
  ++frames_;
}

void PositionRules::CountSteps(std::span<const float> row) {
  for (PositionedNode& node : nodes_) {
    if (!node.is_trunk) continue;
    double square = 0;
    for (const size_t column : node.columns) {
      const double step = double{row[column]} - newest_row_[column];
      square += step * step;
    }
    node.steps += square > 0 ? 1 : 0;
    node.fast_steps += square > fast_step_ * fast_step_ ? 1 : 0;
  }
}

void PositionRules::CountRow(std::span<const float> row) {
  for (PositionedNode& node : nodes_) {
    double square = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
      const float x = row[node.columns[axis]];
      square += double{x} * x;
      node.low[axis] = counted_ == 0 ? x : std::min(node.low[axis], x);
      node.high[axis] = counted_ == 0 ? x : std::max(node.high[axis], x);
    }
    node.least = std::min(node.least, square);
    node.most = std::max(node.most, square);
    node.sum += std::sqrt(square);
  }
  ++counted_;
}

// Nodes that move leave the list of still ones, so that most cost nothing after
// the second row.
void PositionRules::FindMoving(std::span<const float> row) {
  std::erase_if(still_, [&](int32_t i) {
    const Node& node = clip_->skeleton.nodes[static_cast<size_t>(i)];
    const auto first = static_cast<size_t>(node.first_channel);
    const auto count = static_cast<size_t>(node.channel_count);
    const auto now = row.subspan(first, count);
    const bool moves =
        !std::equal(now.begin(), now.end(),
                    first_row_.begin() + static_cast<ptrdiff_t>(first));
    if (moves) moves_[static_cast<size_t>(i)] = true;
    return moves;
  });
}

void PositionRules::FindBelowMoving() {
  const std::vector<Node>& nodes = clip_->skeleton.nodes;
  below_moving_.assign(nodes.size(), false);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent < 0) continue;
    const auto parent = static_cast<size_t>(nodes[i].parent);
    below_moving_[i] = moves_[parent] || below_moving_[parent];
  }
}

void PositionRules::CheckBone(const PositionedNode& node, IssueLog* log) const {
  const double least = std::sqrt(node.least);
  const double most = std::sqrt(node.most);
  const double mean = node.sum / static_cast<double>(counted_);
  const bool stretches =
      most - least > Limit(Threshold::DATA_BONE_LENGTH_spread) * mean &&
      most > Limit(Threshold::DATA_BONE_LENGTH_reach) * clip_->motion.reach;
  if (!stretches || node.is_trunk ||
      !below_moving_[static_cast<size_t>(node.node)])
    return;
  const auto& offset =
      clip_->skeleton.nodes[static_cast<size_t>(node.node)].offset;
  log->Add(IssueCode::DATA_BONE_LENGTH, LocationOf(*clip_, node.node),
           {{"joint", QuotedName(clip_->skeleton, node.node)},
            {"spread", Short(100 * (most - least) / mean)},
            {"mean", Short(mean)},
            {"offset", Short(Length(offset))}});
}

void PositionRules::CheckRoot(IssueLog* log) const {
  const float still = static_cast<float>(
      Limit(Threshold::DATA_ROOT_CONSTANT_reach) * clip_->motion.reach);
  bool is_constant = true;
  for (const PositionedNode& node : nodes_) {
    is_constant = is_constant && Spread(node) <= still;
    const bool is_fast = node.steps + 1 >= kFewestMotionFrames &&
                         static_cast<double>(node.fast_steps) >
                             kFastShare * static_cast<double>(node.steps);
    if (node.is_trunk && is_fast) {
      log->Add(
          IssueCode::DATA_ROOT_SCALE, LocationOf(*clip_, node.node),
          {{"what", "the speed of the root in a twentieth of its steps"},
           {"value", "above " + Short(Limit(Threshold::DATA_ROOT_SCALE_speed))},
           {"unit", "reaches a second"}});
      break;
    }
  }
  const bool moves =
      std::find(moves_.begin(), moves_.end(), true) != moves_.end();
  if (is_constant && moves && !nodes_.empty()) {
    log->Add(IssueCode::DATA_ROOT_CONSTANT, LocationOf(*clip_, nodes_[0].node));
  }
}

void PositionRules::Finish(IssueLog* log) {
  const MotionFacts& motion = clip_->motion;
  if (nodes_.empty() || frames_ < 2 || !(motion.reach > 0)) return;
  if (motion.non_finite_rows > 0) return;
  if (!motion.first_apart) CountRow(first_row_);
  if (!motion.last_apart) CountRow(newest_row_);
  if (counted_ < 2) return;
  if (!motion.has_global_positions) {
    FindBelowMoving();
    for (const PositionedNode& node : nodes_) CheckBone(node, log);
  }
  CheckRoot(log);
}

}  // namespace

std::unique_ptr<RowObserver> MakePositionRules() {
  return std::make_unique<PositionRules>();
}

}  // namespace bvhmill
