#include "bvhmill/anim/avatar/source_pose.h"

#include <cmath>

#include "bvhmill/anim/avatar/drive_steps.h"

namespace bvhmill {
namespace {

// The values of one frame; the rest pose has none.
class FrameValues {
 public:
  FrameValues(const Clip& clip, int64_t frame) {
    if (frame == kRestPoseFrame) return;
    const size_t width = clip.skeleton.channels.size();
    row_ = clip.motion.values.data() + static_cast<size_t>(frame) * width;
  }

  bool is_rest() const { return row_ == nullptr; }

  double At(int32_t column) const {
    const float value = row_[column];
    return std::isfinite(value) ? value : 0.0;
  }

 private:
  const float* row_ = nullptr;
};

Quat<double> LocalTurn(const Plan& plan, const PlanNode& node,
                       const FrameValues& values) {
  Quat<double> q;
  if (values.is_rest()) return q;
  for (int32_t i = 0; i < node.step_count; ++i) {
    const RotationStep& step = plan.steps[StepIndex(node, i)];
    q = Multiply(q, AxisQuat(step.axis, values.At(step.column)));
  }
  return q;
}

Vec3<double> LocalShift(const Node& node, const PlanNode& plan,
                        const FrameValues& values) {
  Vec3<double> shift = {};
  for (size_t k = 0; k < shift.size(); ++k) {
    const int32_t column = plan.position_column[k];
    shift[k] = values.is_rest() || column < 0
                   ? node.offset[k]
                   : plan.offset[k] + values.At(column);
  }
  return shift;
}

}  // namespace

void SolveSourcePose(const Clip& clip, const Plan& plan, int64_t frame,
                     SourcePose* pose) {
  const FrameValues values(clip, frame);
  const size_t count = plan.nodes.size();
  pose->turns.resize(count);
  pose->places.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const PlanNode& node = plan.nodes[i];
    Quat<double> turn = LocalTurn(plan, node, values);
    Vec3<double> place = LocalShift(clip.skeleton.nodes[i], node, values);
    if (node.parent >= 0) {
      const auto parent = static_cast<size_t>(node.parent);
      turn = Multiply(pose->turns[parent], turn);
      place = Transform<double>(ToMatrix(pose->turns[parent]),
                                pose->places[parent], place);
    }
    pose->turns[i] = turn;
    pose->places[i] = place;
  }
}

Vec3<double> TurnVector(const Quat<double>& q, const Vec3<double>& v) {
  return Transform<double>(ToMatrix(q), {}, v);
}

Quat<double> Conjugate(const Quat<double>& q) {
  return {-q.x, -q.y, -q.z, q.w};
}

}  // namespace bvhmill
