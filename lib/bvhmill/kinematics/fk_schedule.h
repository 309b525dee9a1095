#pragma once

// A plan as the SIMD kernels want it: one step for each row that they write,
// with all choices made. Made and kept by the plan.

#include <array>
#include <cstdint>
#include <vector>

namespace bvhmill {

// Rotation channels about three different axes, in listed order, or anything
// else.
enum class FkOrder : uint8_t { kXyz, kXzy, kYxz, kYzx, kZxy, kZyx, kOther };

struct FkStep {
  // Rows are those of the output: -1 = none, a root.
  int32_t parent_row = -1;
  int32_t row = 0;
  // Where the world rotation of the parent is kept, and where its own is; -1 =
  // of the world, and nobody asks for it.
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
  // Slots that are in use at once: few, since the order is depth-first.
  int32_t slots = 0;
};

// Room to make schedules in.
struct FkScheduleRoom {
  std::vector<int32_t> rows;
  std::vector<int32_t> last_child;
  std::vector<int32_t> free_slots;
};

struct Plan;

// Steps for every joint, or every node.
void MakeSchedule(const Plan& plan, bool with_end_sites, FkScheduleRoom* room,
                  FkSchedule* schedule);

}  // namespace bvhmill
