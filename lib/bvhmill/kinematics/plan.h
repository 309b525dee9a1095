#pragma once

// The schedule of forward kinematics: a skeleton compiled, once per clip, into
// flat steps that say which column of a row feeds what.

#include <array>
#include <cstdint>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/conventions.h"
#include "bvhmill/kinematics/fk_schedule.h"

namespace bvhmill {

// A rotation about one axis (0, 1, 2) by the value of one column, in degrees.
struct RotationStep {
  int32_t axis = 0;
  int32_t column = 0;
};

struct PlanNode {
  int32_t parent = -1;
  // Nodes on the way from its root, itself included.
  int32_t depth = 1;
  bool is_end_site = false;
  // Translation from the parent, and for each axis the column that drives it,
  // or -1. The value is added to `offset`, which is 0 where it is replaced.
  std::array<float, 3> offset = {};
  std::array<int32_t, 3> position_column = {-1, -1, -1};
  // Slice of Plan::steps, outermost rotation first.
  int32_t first_step = 0;
  int32_t step_count = 0;
};

struct Plan {
  // As the nodes of the skeleton: parents before children.
  std::vector<PlanNode> nodes;
  std::vector<RotationStep> steps;
  // Values in a row of motion.
  int32_t columns = 0;
  int32_t joints = 0;
  // Most joints on a way from a root to a node.
  int32_t depth = 0;
  // For rows of joints, and of joints and end sites.
  FkSchedule joint_schedule;
  FkSchedule node_schedule;
  // What it is made in, kept for the next one.
  FkScheduleRoom room;
};

// By docs/conventions.md. Of a repeated position channel
// the last counts, repeated rotations compose, scales and the channels of end
// sites are skipped.
Plan MakePlan(const Skeleton& skeleton, const Conventions& conventions);
// The same into `plan`, whatever it holds: its memory is used again, and so are
// its schedules if nodes and steps come out the same, bit for bit, as for takes
// of one rig.
void MakePlanInto(const Skeleton& skeleton, const Conventions& conventions,
                  Plan* plan);

// Rows of an output for one frame: joints, or joints and end sites.
int64_t RowsOf(const Plan& plan, bool with_end_sites);

}  // namespace bvhmill
