#include "bvhmill/kinematics/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "bvhmill/clip/position_reading.h"

namespace bvhmill {
namespace {

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
