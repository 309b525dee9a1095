#pragma once

// A plan in the form that the SIMD kernels read: one step for each row that
// they write, with all choices made beforehand. The plan makes and keeps its
// schedules.

#include <array>
#include <cstdint>
#include <vector>

namespace bvhmill {

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
  std::array<float, 3> offset = {};
  // As in PlanNode.
  std::array<int32_t, 3> position_column = {-1, -1, -1};
  bool has_positions = false;
  FkOrder order = FkOrder::kOther;
  // As in PlanNode.
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

struct Plan;

// Makes the steps for every joint, or for every node with `with_end_sites`.
// O(nodes).
void MakeSchedule(const Plan& plan, bool with_end_sites,
                  FkScheduleScratch* scratch, FkSchedule* schedule);

}  // namespace bvhmill
