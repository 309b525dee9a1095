#include "bvhmill/kinematics/plan.h"

#include <algorithm>
#include <vector>

namespace bvhmill {
namespace {

// How the position channels of a node are read.
enum class Positions { kReplace, kAdd, kIgnore };

Positions PositionsOf(const Node& node, const Conventions& conventions) {
  if (node.kind == NodeKind::kRoot) {
    return conventions.root_offset == RootOffset::kAdded ? Positions::kAdd
                                                         : Positions::kReplace;
  }
  switch (conventions.joint_positions) {
    case JointPositions::kReplaceOffset:
      return Positions::kReplace;
    case JointPositions::kAddToOffset:
      return Positions::kAdd;
    case JointPositions::kIgnore:
      break;
  }
  return Positions::kIgnore;
}

void AddChannels(const Skeleton& skeleton, const Node& node,
                 Positions positions, PlanNode* out, Plan* plan) {
  int32_t column = node.first_channel;
  for (const Channel channel : ChannelsOf(skeleton, node)) {
    const int axis = AxisOf(channel);
    if (IsRotation(channel)) {
      plan->steps.push_back({axis, column});
      ++out->step_count;
    } else if (IsPosition(channel) && positions != Positions::kIgnore) {
      out->position_column[axis] = column;
      if (positions == Positions::kReplace) out->offset[axis] = 0;
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
  plan->steps.clear();
  plan->nodes.clear();
  plan->nodes.reserve(skeleton.nodes.size());
  for (const Node& node : skeleton.nodes) {
    PlanNode out;
    out.parent = node.parent;
    out.is_end_site = IsEndSite(node);
    out.offset = node.offset;
    out.first_step = static_cast<int32_t>(plan->steps.size());
    if (node.parent >= 0) out.depth = plan->nodes[node.parent].depth + 1;
    if (!out.is_end_site) {
      AddChannels(skeleton, node, PositionsOf(node, conventions), &out, plan);
    }
    plan->nodes.push_back(out);
    plan->depth = std::max(plan->depth, out.depth);
  }
  MakeSchedule(*plan, /*with_end_sites=*/false, &plan->room,
               &plan->joint_schedule);
  MakeSchedule(*plan, /*with_end_sites=*/true, &plan->room,
               &plan->node_schedule);
}

int64_t RowsOf(const Plan& plan, bool with_end_sites) {
  return with_end_sites ? static_cast<int64_t>(plan.nodes.size()) : plan.joints;
}

}  // namespace bvhmill
