#include "bvhmill/kinematics/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {
namespace {

FkOrder OrderOf(std::span<const RotationStep> rotations) {
  if (rotations.size() != 3) return FkOrder::kOther;
  switch (rotations[0].axis * 9 + rotations[1].axis * 3 + rotations[2].axis) {
    case 0 * 9 + 1 * 3 + 2:
      return FkOrder::kXyz;
    case 0 * 9 + 2 * 3 + 1:
      return FkOrder::kXzy;
    case 1 * 9 + 0 * 3 + 2:
      return FkOrder::kYxz;
    case 1 * 9 + 2 * 3 + 0:
      return FkOrder::kYzx;
    case 2 * 9 + 0 * 3 + 1:
      return FkOrder::kZxy;
    case 2 * 9 + 1 * 3 + 0:
      return FkOrder::kZyx;
    default:
      return FkOrder::kOther;
  }
}

FkStep StepOf(const Plan& plan, const PlanNode& node) {
  FkStep step;
  step.offset = node.offset;
  step.position_column = node.position_column;
  step.has_positions =
      std::any_of(node.position_column.begin(), node.position_column.end(),
                  [](int32_t column) { return column >= 0; });
  step.first_step = node.first_step;
  step.step_count = node.step_count;
  step.order = OrderOf(std::span(plan.steps)
                           .subspan(static_cast<size_t>(node.first_step),
                                    static_cast<size_t>(node.step_count)));
  return step;
}

// Gives a slot to each rotation that a later step reads, up to the last such
// step.
void AssignSlots(FkScheduleScratch* scratch, FkSchedule* schedule) {
  std::vector<FkStep>& steps = schedule->steps;
  std::vector<int32_t>& last_child = scratch->last_child;
  last_child.assign(steps.size(), -1);
  for (const FkStep& step : steps) {
    if (step.parent_row >= 0) last_child[step.parent_row] = step.row;
  }
  std::vector<int32_t>& free = scratch->free_slots;
  free.clear();
  schedule->slots = 0;
  for (FkStep& step : steps) {
    if (step.parent_row >= 0) {
      step.parent_slot = steps[step.parent_row].slot;
      // A step reads the slot of its parent before it writes its own.
      if (last_child[step.parent_row] == step.row) {
        free.push_back(step.parent_slot);
      }
    }
    if (last_child[step.row] < 0) continue;
    if (free.empty()) {
      step.slot = schedule->slots++;
    } else {
      step.slot = free.back();
      free.pop_back();
    }
  }
}

// Makes the steps for every joint, or for every node with `with_end_sites`.
// O(nodes).
void MakeSchedule(const Plan& plan, bool with_end_sites,
                  FkScheduleScratch* scratch, FkSchedule* schedule) {
  schedule->steps.clear();
  scratch->rows.assign(plan.nodes.size(), -1);
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const PlanNode& node = plan.nodes[i];
    if (node.is_end_site && !with_end_sites) continue;
    FkStep step = StepOf(plan, node);
    step.row = static_cast<int32_t>(schedule->steps.size());
    scratch->rows[i] = step.row;
    if (node.parent >= 0) step.parent_row = scratch->rows[node.parent];
    schedule->steps.push_back(step);
  }
  AssignSlots(scratch, schedule);
}

// Compares bits: the sign of a zero counts, since it can reach the output.
bool AreSame(const std::array<float, 3>& a, const std::array<float, 3>& b) {
  using Bits = std::array<uint32_t, 3>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

bool AreSame(const PlanNode& a, const PlanNode& b) {
  return a.parent == b.parent && a.depth == b.depth &&
         a.is_end_site == b.is_end_site && AreSame(a.offset, b.offset) &&
         a.position_column == b.position_column &&
         a.first_step == b.first_step && a.step_count == b.step_count;
}

bool AreSame(const RotationStep& a, const RotationStep& b) {
  return a.axis == b.axis && a.column == b.column;
}

// Writes a list over the old one, and finds out whether both are the same.
template <typename T>
class Rewriter {
 public:
  explicit Rewriter(std::vector<T>* list) : list_(*list) {}

  void Put(const T& value) {
    if (size_ < list_.size() && !AreSame(list_[size_], value)) {
      list_.resize(size_);
    }
    same_ = same_ && size_ < list_.size();
    if (size_ == list_.size()) list_.push_back(value);
    ++size_;
  }
  size_t size() const { return size_; }
  // True if the new list is the same as the old one. Call once, last.
  bool EndsTheSame() {
    same_ = same_ && size_ == list_.size();
    list_.resize(size_);
    return same_;
  }

 private:
  std::vector<T>& list_;
  size_t size_ = 0;
  bool same_ = true;
};

void AddChannels(const Skeleton& skeleton, const Node& node,
                 PositionReading positions, PlanNode* out,
                 Rewriter<RotationStep>* steps) {
  int32_t column = node.first_channel;
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    const int axis = AxisOf(channel);
    if (IsRotation(channel)) {
      steps->Put({axis, column});
      ++out->step_count;
    } else if (IsPosition(channel) && positions != PositionReading::kIgnored) {
      out->position_column[axis] = column;
      if (positions == PositionReading::kReplaced) out->offset[axis] = 0;
    }
    ++column;
  }
}

}  // namespace

Plan MakePlan(const Skeleton& skeleton, const Conventions& conventions) {
  Plan plan;
  MakePlanInto(skeleton, conventions, &plan);
  return plan;
}

void MakePlanInto(const Skeleton& skeleton, const Conventions& conventions,
                  Plan* plan) {
  plan->columns = static_cast<int32_t>(skeleton.channels.size());
  plan->joints = JointCount(skeleton);
  plan->depth = 0;
  plan->nodes.reserve(skeleton.nodes.size());
  Rewriter nodes(&plan->nodes);
  Rewriter steps(&plan->steps);
  for (const Node& node : skeleton.nodes) {
    PlanNode out;
    out.parent = node.parent;
    out.is_end_site = IsEndSite(node);
    out.offset = node.offset;
    out.first_step = static_cast<int32_t>(steps.size());
    if (node.parent >= 0) out.depth = plan->nodes[node.parent].depth + 1;
    if (!out.is_end_site) {
      AddChannels(skeleton, node, ReadingOf(node, conventions), &out, &steps);
    }
    nodes.Put(out);
    plan->depth = std::max(plan->depth, out.depth);
  }
  const bool same_nodes = nodes.EndsTheSame();
  if (steps.EndsTheSame() && same_nodes) return;
  MakeSchedule(*plan, /*with_end_sites=*/false, &plan->scratch,
               &plan->joint_schedule);
  MakeSchedule(*plan, /*with_end_sites=*/true, &plan->scratch,
               &plan->node_schedule);
}

int64_t RowsOf(const Plan& plan, bool with_end_sites) {
  return with_end_sites ? static_cast<int64_t>(plan.nodes.size()) : plan.joints;
}

}  // namespace bvhmill
