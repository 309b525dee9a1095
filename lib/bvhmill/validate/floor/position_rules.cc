#include "bvhmill/validate/floor/position_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bvhmill/clip/frame_rates.h"
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
  // Values are added to it: the OFFSET, or 0 if they replace it.
  std::array<float, 3> base = {};
  // On the way from a root down to the first node that has not one child.
  bool is_trunk = false;
  // Squares of the least and the largest distance from the parent, and their
  // frames; the sum of the distances. Nodes of the trunk keep these values:
  // they never stretch.
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
        skeleton.nodes.size() * (sizeof(PositionedNode) + sizeof(int32_t) + 2) +
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
  void CountSteps(const ObservedRows& rows, PositionedNode* node) const;
  void CountPlaces(const ObservedRows& rows, PositionedNode* node) const;
  void CountRow(const std::vector<float>& row, int64_t frame);
  void FindMoving();
  // The row before number `i` of `rows`.
  const float* RowBefore(const ObservedRows& rows, int64_t i) const {
    return i == 0 ? newest_row_.data() : RowAt(rows, i - 1);
  }
  const float* RowAt(const ObservedRows& rows, int64_t i) const {
    return rows.values.data() + static_cast<size_t>(i) * width_;
  }
  void FindBelowMoving();
  void CheckBone(const PositionedNode& node, IssueLog* log) const;
  void CheckRoot(IssueLog* log) const;

  std::optional<ObservedClip> clip_;
  std::vector<PositionedNode> nodes_;
  bool has_positions_ = false;
  size_t width_ = 0;
  // The first and the newest row wait until it is known whether they count.
  std::vector<float> first_row_;
  std::vector<float> newest_row_;
  // For each node: the values of one of its channels differ.
  std::vector<bool> moves_;
  // For each node: a node above it moves.
  std::vector<bool> below_moving_;
  std::vector<bool> trunk_;
  std::vector<int32_t> children_;
  double fast_step_ = 0;
  int64_t frames_ = 0;
  int64_t counted_ = 0;
};

void PositionRules::Begin(const ObservedClip& clip) {
  clip_.emplace(clip);
  frames_ = 0;
  counted_ = 0;
  nodes_.clear();
  const Skeleton& skeleton = clip.skeleton;
  width_ = skeleton.channels.size();
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
    const bool is_added =
        clip.conventions.joint_positions == JointPositions::kAddToOffset;
    if (is_added) node.base = skeleton.nodes[static_cast<size_t>(i)].offset;
    nodes_.push_back(node);
  }
  fast_step_ = clip.thresholds[Threshold::DATA_ROOT_SCALE_speed] *
               clip.motion.reach * clip.motion.dt;
}

// Adds the place of the node in `row`, which is that of `frame`.
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

void PositionRules::Add(const ObservedRows& rows) {
  if (!has_positions_ || rows.frames == 0) return;
  if (frames_ == 0) {
    first_row_.assign(RowAt(rows, 0), RowAt(rows, 0) + width_);
  }
  for (PositionedNode& node : nodes_) {
    if (node.is_trunk) CountSteps(rows, &node);
    CountPlaces(rows, &node);
  }
  const float* last = RowAt(rows, rows.frames - 1);
  newest_row_.assign(last, last + width_);
  frames_ += rows.frames;
  // Neither the first nor the last row.
  counted_ = std::max<int64_t>(frames_ - 2, 0);
}

void PositionRules::CountSteps(const ObservedRows& rows,
                               PositionedNode* node) const {
  const double fast_square = fast_step_ * fast_step_;
  int64_t steps = 0;
  int64_t fast_steps = 0;
  for (int64_t i = frames_ > 0 ? 0 : 1; i < rows.frames; ++i) {
    const float* row = RowAt(rows, i);
    const float* before = RowBefore(rows, i);
    double square = 0;
    for (const size_t column : node->columns) {
      const double step = double{row[column]} - before[column];
      square += step * step;
    }
    steps += square > 0 ? 1 : 0;
    fast_steps += square > fast_square ? 1 : 0;
  }
  node->steps += steps;
  node->fast_steps += fast_steps;
}

// Counts each row when the next one is here: it is not the last one then. The
// first one does not count.
void PositionRules::CountPlaces(const ObservedRows& rows,
                                PositionedNode* node) const {
  // A copy, whose values stay in registers.
  PositionedNode counted = *node;
  for (int64_t i = std::max<int64_t>(2 - frames_, 0); i < rows.frames; ++i) {
    CountPlace(RowBefore(rows, i), frames_ + i - 1, &counted);
  }
  *node = counted;
}

void PositionRules::CountRow(const std::vector<float>& row, int64_t frame) {
  for (PositionedNode& node : nodes_) CountPlace(row.data(), frame, &node);
  ++counted_;
}

void PositionRules::FindMoving() {
  const std::span<const uint8_t> columns = clip_->motion.moving_columns;
  const std::vector<Node>& nodes = clip_->skeleton.nodes;
  moves_.assign(nodes.size(), false);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto channels =
        columns.subspan(static_cast<size_t>(nodes[i].first_channel),
                        static_cast<size_t>(nodes[i].channel_count));
    moves_[i] =
        std::find(channels.begin(), channels.end(), 1) != channels.end();
  }
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
  if (!stretches || !below_moving_[static_cast<size_t>(node.node)]) return;
  const auto& offset =
      clip_->skeleton.nodes[static_cast<size_t>(node.node)].offset;
  Location at = LocationOf(*clip_, node.node);
  // Where it differs most from the mean.
  at.frame = most - mean >= mean - least ? node.most_frame : node.least_frame;
  log->Add(IssueCode::DATA_BONE_LENGTH, at,
           {{"joint", QuotedName(clip_->skeleton, node.node)},
            {"spread", Short(100 * (most - least) / mean)},
            {"mean", Short(mean)},
            {"offset", Short(Length(offset))}});
}

void PositionRules::CheckRoot(IssueLog* log) const {
  const float still = static_cast<float>(
      Limit(Threshold::DATA_ROOT_CONSTANT_reach) * clip_->motion.reach);
  // If poses stand for several frames, each new one is a step.
  const bool has_speed =
      !IsBeyondRates(clip_->frame_time) && !clip_->motion.has_many_repeats;
  bool is_constant = true;
  for (const PositionedNode& node : nodes_) {
    is_constant = is_constant && Spread(node) <= still;
    const bool is_fast = node.steps + 1 >= kFewestMotionFrames &&
                         static_cast<double>(node.fast_steps) >
                             kFastShare * static_cast<double>(node.steps);
    if (node.is_trunk && is_fast && has_speed) {
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
  if (!motion.first_apart) CountRow(first_row_, 0);
  if (!motion.last_apart) CountRow(newest_row_, frames_ - 1);
  if (counted_ < 2) return;
  FindMoving();
  const bool are_ignored =
      clip_->conventions.joint_positions == JointPositions::kIgnore;
  if (!motion.has_global_positions && !are_ignored) {
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
