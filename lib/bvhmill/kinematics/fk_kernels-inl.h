// The kernels of forward kinematics. Included once for each target of Highway,
// hence no #pragma once. A target without vectors has no kernels.

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "bvhmill/kinematics/fk_buffers-inl.h"
#include "bvhmill/math/sincos-inl.h"

#if defined(BVHMILL_KINEMATICS_FK_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BVHMILL_KINEMATICS_FK_KERNELS_INL_H_
#undef BVHMILL_KINEMATICS_FK_KERNELS_INL_H_
#else
#define BVHMILL_KINEMATICS_FK_KERNELS_INL_H_
#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {

// Row-major.
struct Matrix {
  Floats m[9];
};

// m * R(axis, angle): only two columns change.
template <int kAxis>
HWY_INLINE void Rotate(const float* columns, const RotationStep& rotation,
                       Matrix* matrix) {
  constexpr int kU = (kAxis + 1) % 3;
  constexpr int kV = (kAxis + 2) % 3;
  Floats s;
  Floats c;
  SinCosDegrees(Lanes(), LoadLanes(columns, rotation.column), &s, &c);
  for (int i = 0; i < 3; ++i) {
    const Floats u = matrix->m[3 * i + kU];
    const Floats v = matrix->m[3 * i + kV];
    matrix->m[3 * i + kU] = hn::MulAdd(v, s, hn::Mul(u, c));
    matrix->m[3 * i + kV] = hn::MulSub(v, c, hn::Mul(u, s));
  }
}

template <int kFirst, int kSecond, int kThird>
HWY_INLINE void RotateThrice(const float* columns, const RotationStep* rotation,
                             Matrix* matrix) {
  Rotate<kFirst>(columns, rotation[0], matrix);
  Rotate<kSecond>(columns, rotation[1], matrix);
  Rotate<kThird>(columns, rotation[2], matrix);
}

HWY_INLINE void RotateByAny(const float* columns, const RotationStep* rotation,
                            int32_t count, Matrix* matrix) {
  for (int32_t i = 0; i < count; ++i) {
    switch (rotation[i].axis) {
      case 0:
        Rotate<0>(columns, rotation[i], matrix);
        break;
      case 1:
        Rotate<1>(columns, rotation[i], matrix);
        break;
      default:
        Rotate<2>(columns, rotation[i], matrix);
    }
  }
}

HWY_INLINE void RotateJoint(const Plan& plan, const FkStep& step,
                            const float* columns, Matrix* matrix) {
  const RotationStep* rotations = plan.steps.data() + step.first_step;
  switch (step.order) {
    case FkOrder::kXyz:
      return RotateThrice<0, 1, 2>(columns, rotations, matrix);
    case FkOrder::kXzy:
      return RotateThrice<0, 2, 1>(columns, rotations, matrix);
    case FkOrder::kYxz:
      return RotateThrice<1, 0, 2>(columns, rotations, matrix);
    case FkOrder::kYzx:
      return RotateThrice<1, 2, 0>(columns, rotations, matrix);
    case FkOrder::kZxy:
      return RotateThrice<2, 0, 1>(columns, rotations, matrix);
    case FkOrder::kZyx:
      return RotateThrice<2, 1, 0>(columns, rotations, matrix);
    case FkOrder::kOther:
      return RotateByAny(columns, rotations, step.step_count, matrix);
  }
}

// The translation of a joint from its parent.
HWY_INLINE void LoadTranslation(const float* columns, const FkStep& step,
                                Floats* t) {
  for (int i = 0; i < 3; ++i) {
    t[i] = Broadcast(step.offset[i]);
    if (step.has_positions && step.position_column[i] >= 0) {
      t[i] = hn::Add(t[i], LoadLanes(columns, step.position_column[i]));
    }
  }
}

// Solves world positions of kLanes frames. `columns`: [column][lane];
// `rotations`: [slot][9][lane]; `rows`: [row * 3 + axis][lane].
HWY_NOINLINE void SolvePositions(const Plan& plan, const FkSchedule& schedule,
                                 const float* HWY_RESTRICT columns,
                                 float* HWY_RESTRICT rotations,
                                 float* HWY_RESTRICT rows) {
  for (const FkStep& step : schedule.steps) {
    Matrix g;
    Floats t[3];
    LoadTranslation(columns, step, t);
    if (step.parent_row < 0) {
      for (int i = 0; i < 9; ++i) g.m[i] = Broadcast(i % 4 == 0 ? 1.0F : 0.0F);
    } else {
      const float* parent = rotations + step.parent_slot * 9 * kLanes;
      for (int i = 0; i < 9; ++i) g.m[i] = LoadLanes(parent, i);
      const Floats o[3] = {t[0], t[1], t[2]};
      for (int i = 0; i < 3; ++i) {
        t[i] = LoadLanes(rows, step.parent_row * 3 + i);
        for (int k = 0; k < 3; ++k) {
          t[i] = hn::MulAdd(g.m[3 * i + k], o[k], t[i]);
        }
      }
    }
    for (int i = 0; i < 3; ++i) StoreLanes(t[i], rows, step.row * 3 + i);
    // No later step reads its rotation.
    if (step.slot < 0) continue;
    RotateJoint(plan, step, columns, &g);
    float* own = rotations + step.slot * 9 * kLanes;
    for (int i = 0; i < 9; ++i) StoreLanes(g.m[i], own, i);
  }
}

struct Quaternion {
  Floats x;
  Floats y;
  Floats z;
  Floats w;
};

// q * R(axis, angle). `s` and `c` are sine and cosine of half the angle.
template <int kAxis>
HWY_INLINE Quaternion Turned(const Quaternion& q, Floats s, Floats c) {
  // In `out`: the components along the axis and along the next two axes.
  const Floats v[3] = {q.x, q.y, q.z};
  constexpr int kU = (kAxis + 1) % 3;
  constexpr int kV = (kAxis + 2) % 3;
  Floats out[3];
  out[kAxis] = hn::MulAdd(q.w, s, hn::Mul(v[kAxis], c));
  out[kU] = hn::MulAdd(v[kV], s, hn::Mul(v[kU], c));
  out[kV] = hn::NegMulAdd(v[kU], s, hn::Mul(v[kV], c));
  return {out[0], out[1], out[2], hn::NegMulAdd(v[kAxis], s, hn::Mul(q.w, c))};
}

// q times the rotation of a joint.
HWY_INLINE Quaternion TurnedByJoint(const Plan& plan, const FkStep& step,
                                    const float* columns, Quaternion q) {
  for (int32_t i = 0; i < step.step_count; ++i) {
    const RotationStep& rotation = plan.steps[step.first_step + i];
    const Floats half =
        hn::Mul(LoadLanes(columns, rotation.column), Broadcast(0.5F));
    Floats s;
    Floats c;
    SinCosDegrees(Lanes(), half, &s, &c);
    q = rotation.axis == 0   ? Turned<0>(q, s, c)
        : rotation.axis == 1 ? Turned<1>(q, s, c)
                             : Turned<2>(q, s, c);
  }
  return q;
}

HWY_INLINE void StoreQuaternion(const Quaternion& q, float* lanes,
                                int64_t row) {
  // -q is the same rotation as q: store the one with w >= 0.
  const Lanes d;
  const Floats sign = hn::And(hn::SignBit(d), q.w);
  StoreLanes(hn::Xor(q.x, sign), lanes, row * 4);
  StoreLanes(hn::Xor(q.y, sign), lanes, row * 4 + 1);
  StoreLanes(hn::Xor(q.z, sign), lanes, row * 4 + 2);
  StoreLanes(hn::Abs(q.w), lanes, row * 4 + 3);
}

// Solves local or world rotations of kLanes frames as quaternions.
// `rows`: [row * 4 + k][lane].
template <bool kWorld>
HWY_NOINLINE void SolveRotations(const Plan& plan, const FkSchedule& schedule,
                                 const float* HWY_RESTRICT columns,
                                 float* HWY_RESTRICT rows) {
  const Floats zero = Broadcast(0.0F);
  for (const FkStep& step : schedule.steps) {
    Quaternion q = {zero, zero, zero, Broadcast(1.0F)};
    if (kWorld && step.parent_row >= 0) {
      const int64_t parent = step.parent_row * int64_t{4};
      q = {LoadLanes(rows, parent), LoadLanes(rows, parent + 1),
           LoadLanes(rows, parent + 2), LoadLanes(rows, parent + 3)};
    }
    StoreQuaternion(TurnedByJoint(plan, step, columns, q), rows, step.row);
  }
}

// Stores a matrix row-major, or its first two columns.
template <RotationKind kKind>
HWY_INLINE void StoreMatrix(const Matrix& m, float* lanes, int64_t row) {
  if constexpr (kKind == RotationKind::kMatrix) {
    for (int i = 0; i < 9; ++i) StoreLanes(m.m[i], lanes, row * 9 + i);
  } else {
    for (int i = 0; i < 6; ++i) {
      StoreLanes(m.m[i % 3 * 3 + i / 3], lanes, row * 6 + i);
    }
  }
}

// As SolveRotations, with matrices. `rotations` as in SolvePositions.
template <bool kWorld, RotationKind kKind>
HWY_NOINLINE void SolveMatrices(const Plan& plan, const FkSchedule& schedule,
                                const float* HWY_RESTRICT columns,
                                float* HWY_RESTRICT rotations,
                                float* HWY_RESTRICT rows) {
  for (const FkStep& step : schedule.steps) {
    Matrix m;
    if (kWorld && step.parent_slot >= 0) {
      const float* parent = rotations + step.parent_slot * 9 * kLanes;
      for (int i = 0; i < 9; ++i) m.m[i] = LoadLanes(parent, i);
    } else {
      for (int i = 0; i < 9; ++i) m.m[i] = Broadcast(i % 4 == 0 ? 1.0F : 0.0F);
    }
    RotateJoint(plan, step, columns, &m);
    StoreMatrix<kKind>(m, rows, step.row);
    if (!kWorld || step.slot < 0) continue;
    float* own = rotations + step.slot * 9 * kLanes;
    for (int i = 0; i < 9; ++i) StoreLanes(m.m[i], own, i);
  }
}

// Solves rotations of any kind into `lanes`: [row * width + k][lane].
template <bool kWorld>
HWY_INLINE void SolveAnyRotations(const FkJob& job, const FkSchedule& schedule,
                                  const float* columns, float* rotations,
                                  float* lanes) {
  const Plan& plan = *job.plan;
  switch (job.rotation_kind) {
    case RotationKind::kQuaternion:
      return SolveRotations<kWorld>(plan, schedule, columns, lanes);
    case RotationKind::kMatrix:
      return SolveMatrices<kWorld, RotationKind::kMatrix>(
          plan, schedule, columns, rotations, lanes);
    case RotationKind::kSixD:
      return SolveMatrices<kWorld, RotationKind::kSixD>(plan, schedule, columns,
                                                        rotations, lanes);
  }
}

void SolveFrames(const FkJob& job) {
  const Plan& plan = *job.plan;
  const FkSchedule& schedule =
      job.with_end_sites ? plan.node_schedule : plan.joint_schedule;
  const size_t rows = schedule.steps.size();
  UninitializedVector<float>* const scratch =
      job.scratch == nullptr ? ThreadFkScratch() : job.scratch;
  const Buffers buffers = PartBuffers(job, schedule, scratch);
  for (int64_t first = 0; first < job.frames;
       first += static_cast<int64_t>(kLanes)) {
    const auto frames =
        std::min<int64_t>(job.frames - first, static_cast<int64_t>(kLanes));
    LoadColumns(job, first, frames, buffers);
    const auto store = [&](std::span<float> out, int64_t width) HWY_ATTR {
      StoreFrames(job, buffers.lanes, rows, static_cast<size_t>(width), first,
                  buffers.image, out);
    };
    const int64_t rotation_width = WidthOf(job.rotation_kind);
    if (!job.positions.empty()) {
      SolvePositions(plan, schedule, buffers.columns, buffers.rotations,
                     buffers.lanes);
      store(job.positions, 3);
    }
    if (!job.world_rotations.empty()) {
      SolveAnyRotations<true>(job, schedule, buffers.columns, buffers.rotations,
                              buffers.lanes);
      store(job.world_rotations, rotation_width);
    }
    if (!job.local_rotations.empty()) {
      SolveAnyRotations<false>(job, schedule, buffers.columns,
                               buffers.rotations, buffers.lanes);
      store(job.local_rotations, rotation_width);
    }
  }
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();
#endif

#endif  // BVHMILL_KINEMATICS_FK_KERNELS_INL_H_
