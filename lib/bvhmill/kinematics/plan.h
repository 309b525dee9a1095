#pragma once

// The plan of forward kinematics: a skeleton compiled, once per clip, into flat
// steps. A step says which column of a row drives which rotation or position.
// Plain data: threads may read one plan at the same time.
//
//   const Plan plan = MakePlan(clip.skeleton, conventions);
//   FkJob job;  // fk_job.h
//   job.plan = &plan;

#include <array>
#include <cstdint>
#include <vector>

#include "bvhmill/clip/clip.h"

namespace bvhmill {

// A rotation about one axis (0, 1, 2) by the value of one column, in degrees.
struct RotationStep {
  int32_t axis = 0;
  int32_t column = 0;
};

struct PlanNode {
  int32_t parent = -1;
  // Number of nodes from its root to this node, both included.
  int32_t depth = 1;
  bool is_end_site = false;
  // Translation from the parent. For each axis, `position_column` is the column
  // whose value is added to `offset`, or -1. Where a position replaces the
  // OFFSET, `offset` is 0.
  std::array<float, 3> offset = {};
  std::array<int32_t, 3> position_column = {-1, -1, -1};
  // Slice of Plan::steps, outermost rotation first.
  int32_t first_step = 0;
  int32_t step_count = 0;
};

// Schedules: the plan in the form that vector code reads. A schedule has one
// step for each row of the output, with all choices made beforehand.

// The order of rotation channels about three different axes; kOther for all
// other lists of channels.
enum class FkOrder : uint8_t { kXyz, kXzy, kYxz, kYzx, kZxy, kZyx, kOther };

struct FkStep {
  // Rows of the output. parent_row is -1 for a root.
  int32_t parent_row = -1;
  int32_t row = 0;
  // The slots that hold the world rotation of the parent and of this step.
  // parent_slot is -1 for a root; slot is -1 if no later step reads it.
  int32_t parent_slot = -1;
  int32_t slot = -1;
  // The fields below are as in PlanNode.
  std::array<float, 3> offset = {};
  std::array<int32_t, 3> position_column = {-1, -1, -1};
  // True if a position column is not -1.
  bool has_positions = false;
  FkOrder order = FkOrder::kOther;
  int32_t first_step = 0;
  int32_t step_count = 0;
};

struct FkSchedule {
  std::vector<FkStep> steps;
  // The number of slots: the most that are in use at once. They are few, since
  // the order is depth-first.
  int32_t slots = 0;
};

// Memory in which schedules are made; its contents do not matter.
struct FkScheduleScratch {
  std::vector<int32_t> rows;
  std::vector<int32_t> last_child;
  std::vector<int32_t> free_slots;
};

struct Plan {
  // In the order of the skeleton: parents before children.
  std::vector<PlanNode> nodes;
  std::vector<RotationStep> steps;
  // Values in a row of motion.
  int32_t columns = 0;
  int32_t joints = 0;
  // The largest depth of a node.
  int32_t depth = 0;
  // Schedules for rows of joints, and for rows of joints and end sites.
  FkSchedule joint_schedule;
  FkSchedule node_schedule;
  // Memory in which the schedules are made, kept for the next skeleton.
  FkScheduleScratch scratch;
};

// Compiles a skeleton by the rules of docs/conventions.md. If a position
// channel is repeated, the last one counts; repeated rotations compose; scales
// and channels of end sites are skipped. O(nodes + channels).
Plan MakePlan(const Skeleton& skeleton, const Conventions& conventions);

// As MakePlan, into `plan`, which may hold an older plan: its memory is reused.
// Its schedules are reused as well if nodes and steps are the same as before,
// bit for bit, as for clips of one skeleton.
void MakePlanInto(const Skeleton& skeleton, const Conventions& conventions,
                  Plan* plan);

// Rows of an output for one frame: joints, or joints and end sites.
int64_t RowsOf(const Plan& plan, bool with_end_sites);

}  // namespace bvhmill
