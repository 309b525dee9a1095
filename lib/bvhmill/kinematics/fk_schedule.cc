#include "bvhmill/kinematics/fk_schedule.h"

#include <algorithm>
#include <span>

#include "bvhmill/kinematics/plan.h"

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

}  // namespace

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

}  // namespace bvhmill
