#include "bvhmill/anim/avatar/drive_steps.h"

#include <algorithm>

namespace bvhmill {
namespace {

const PlanNode& NodeAt(const Plan& plan, int32_t node) {
  return plan.nodes[static_cast<size_t>(node)];
}

int32_t DepthOf(const Plan& plan, int32_t node) {
  return node < 0 ? 0 : NodeAt(plan, node).depth;
}

// Moves to the parent, and counts the node that is left.
void GoUp(const Plan& plan, int32_t* node, DriveWay* way) {
  const PlanNode& at = NodeAt(plan, *node);
  ++way->nodes;
  way->steps += at.step_count;
  *node = at.parent;
}

// Appends the rotations from `node` up to the child of `above`, innermost
// first.
void AppendUp(const Plan& plan, int32_t node, int32_t above, float sign,
              std::vector<DriveStep>* steps) {
  for (; node != above; node = NodeAt(plan, node).parent) {
    const PlanNode& at = NodeAt(plan, node);
    for (int32_t i = at.step_count; i-- > 0;) {
      const RotationStep& step = plan.steps[StepIndex(at, i)];
      steps->push_back({step.axis, step.column, sign});
    }
  }
}

}  // namespace

// The deeper one of the two moves up until they meet.
DriveWay FindWay(const Plan& plan, int32_t base, int32_t node) {
  DriveWay way;
  way.base = base;
  way.node = node;
  while (base != node) {
    GoUp(plan, DepthOf(plan, base) > DepthOf(plan, node) ? &base : &node, &way);
  }
  way.above = base;
  return way;
}

void SetSteps(const Plan& plan, const DriveWay& way,
              std::vector<DriveStep>* steps) {
  steps->clear();
  steps->reserve(static_cast<size_t>(way.steps));
  AppendUp(plan, way.base, way.above, -1, steps);
  const auto down = static_cast<std::ptrdiff_t>(steps->size());
  AppendUp(plan, way.node, way.above, 1, steps);
  std::reverse(steps->begin() + down, steps->end());
}

}  // namespace bvhmill
