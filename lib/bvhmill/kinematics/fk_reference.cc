#include <vector>

#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/math/linear.h"

namespace bvhmill {
namespace {

template <typename Real>
struct Pose {
  Mat3<Real> rotation = Identity<Real>();
  Vec3<Real> position = {};
  Quat<Real> world;
  Quat<Real> local;
};

// The pose of `node` for one row of values. `parent` is the pose of its parent,
// or null for a root.
template <typename Real>
Pose<Real> SolveNode(const Plan& plan, const PlanNode& node, const float* row,
                     const Pose<Real>* parent, bool with_quats) {
  Vec3<Real> t;
  for (int axis = 0; axis < 3; ++axis) {
    const int32_t column = node.position_column[axis];
    t[axis] = node.offset[axis] + (column < 0 ? Real{0} : Real{row[column]});
  }
  Pose<Real> pose;
  if (parent != nullptr) {
    pose.rotation = parent->rotation;
    pose.position = Transform(parent->rotation, parent->position, t);
    pose.world = parent->world;
  } else {
    pose.position = t;
  }
  const RotationStep* steps = plan.steps.data() + node.first_step;
  for (int32_t i = 0; i < node.step_count; ++i) {
    const Real degrees = row[steps[i].column];
    RotateAbout(steps[i].axis, degrees, &pose.rotation);
    if (with_quats) {
      const Quat<Real> q = AxisQuat(steps[i].axis, degrees);
      pose.local = Multiply(pose.local, q);
      pose.world = Multiply(pose.world, q);
    }
  }
  return pose;
}

template <typename Real>
void StoreRotation(RotationKind kind, const Quat<Real>& quat, float* out) {
  if (kind == RotationKind::kQuaternion) {
    const Quat<Real> q = PositiveW(quat);
    for (const Real value : {q.x, q.y, q.z, q.w}) {
      *out++ = static_cast<float>(value);
    }
    return;
  }
  const Mat3<Real> m = ToMatrix(quat);
  if (kind == RotationKind::kMatrix) {
    for (const auto& row : m) {
      for (const Real value : row) *out++ = static_cast<float>(value);
    }
    return;
  }
  for (int column = 0; column < 2; ++column) {
    for (const auto& row : m) *out++ = static_cast<float>(row[column]);
  }
}

template <typename Real>
void StorePose(const FkJob& job, const Pose<Real>& pose, int64_t index) {
  if (!job.positions.empty()) {
    for (int i = 0; i < 3; ++i) {
      job.positions[index * 3 + i] = static_cast<float>(pose.position[i]);
    }
  }
  const int64_t turn = index * WidthOf(job.rotation_kind);
  if (!job.world_rotations.empty()) {
    StoreRotation(job.rotation_kind, pose.world, &job.world_rotations[turn]);
  }
  if (!job.local_rotations.empty()) {
    StoreRotation(job.rotation_kind, pose.local, &job.local_rotations[turn]);
  }
}

// The index of a row of a frame of the job in the outputs.
int64_t IndexOf(const FkJob& job, int64_t rows, int64_t row, int64_t frame) {
  const int64_t frames = job.array_frames == 0 ? job.frames : job.array_frames;
  const int64_t at = job.first_frame + frame;
  return job.layout == TensorLayout::kFrameMajor ? at * rows + row
                                                 : row * frames + at;
}

}  // namespace

template <typename Real>
void SolveReference(const FkJob& job) {
  const Plan& plan = *job.plan;
  const bool with_quats =
      !job.world_rotations.empty() || !job.local_rotations.empty();
  std::vector<Pose<Real>> poses(plan.nodes.size());
  const int64_t rows = RowsOf(plan, job.with_end_sites);
  for (int64_t frame = 0; frame < job.frames; ++frame) {
    const float* values =
        job.values.data() + frame * job.row_step * plan.columns;
    int64_t row = 0;
    for (size_t i = 0; i < plan.nodes.size(); ++i) {
      const PlanNode& node = plan.nodes[i];
      const Pose<Real>* parent =
          node.parent < 0 ? nullptr : &poses[static_cast<size_t>(node.parent)];
      poses[i] = SolveNode(plan, node, values, parent, with_quats);
      if (node.is_end_site && !job.with_end_sites) continue;
      StorePose(job, poses[i], IndexOf(job, rows, row++, frame));
    }
  }
}

template void SolveReference<float>(const FkJob& job);
template void SolveReference<double>(const FkJob& job);

}  // namespace bvhmill
