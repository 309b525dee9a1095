#pragma once

// The rotations on the path from one node of a skeleton to another. Private to
// anim/.

#include <cstdint>
#include <vector>

#include "bvhmill/kinematics/plan.h"

namespace bvhmill {

// A rotation about an axis (0, 1, 2) by the degrees of a column, times `sign`.
struct DriveStep {
  int32_t axis = 0;
  int32_t column = 0;
  float sign = 1;
};

// The path from the node `base` up to `above`, its lowest common ancestor with
// `node`, and down to `node`.
struct DriveWay {
  // -1 stands for the world, which is the ancestor of every root.
  int32_t base = -1;
  int32_t above = -1;
  int32_t node = -1;
  // The nodes on the path, except `above`, and the rotations of these nodes.
  int64_t nodes = 0;
  int64_t steps = 0;
};

// Finds the path from `base`, which may be -1, to `node`. Cost: O(nodes on the
// path), about 3 ns each.
DriveWay FindWay(const Plan& plan, int32_t base, int32_t node);

// Sets `steps` to the rotations that lead from way.base to way.node, outermost
// first. Cost: O(way.nodes + way.steps), about 3 ns each. Memory: exactly
// way.steps entries, unless `steps` has more already.
void SetSteps(const Plan& plan, const DriveWay& way,
              std::vector<DriveStep>* steps);

// Index into Plan::steps of rotation `i` of a node.
inline size_t StepIndex(const PlanNode& node, int32_t i) {
  return static_cast<size_t>(node.first_step) + static_cast<size_t>(i);
}

}  // namespace bvhmill
