// Forward kinematics with one frame in each lane of a vector. The values of as
// many frames as a vector has lanes are transposed from rows to lanes, each
// joint is solved for these frames at once, and the results are transposed back
// to rows. Lanes are independent, so the arithmetic needs no shuffles.
//
// Highway compiles the kernels for each kind of vector: foreach_target.h
// includes this file once for each target, and FkJob::Run calls the code of one
// of them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/kinematics/fk_job.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/kinematics/pose_array.h"
#include "bvhmill/math/simd_targets.h"
#include "bvhmill/math/sincos.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bvhmill/kinematics/fk_simd.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "bvhmill/math/sincos-inl.h"

// Code that all targets share. It is compiled once.
#ifndef BVHMILL_KINEMATICS_FK_SIMD_SHARED_
#define BVHMILL_KINEMATICS_FK_SIMD_SHARED_
namespace bvhmill {
namespace {

// Outputs of at least this size, in bytes, are written past the caches.
constexpr size_t kStreamBytes = size_t{4} << 20;

// The most frames that a kernel solves at once: the floats of AVX-512.
constexpr int64_t kMaxLanes = 16;

// The scratch memory of this thread, for jobs without one. The thread frees it
// when it ends.
[[maybe_unused]] UninitializedVector<float>* ThreadFkScratch() {
  thread_local UninitializedVector<float> scratch;
  return &scratch;
}

}  // namespace
}  // namespace bvhmill
#endif  // BVHMILL_KINEMATICS_FK_SIMD_SHARED_

// A target without vectors has no kernels.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A vector with one frame in each lane. Its size must be known at compile time.
using Lanes = hn::CappedTag<float, 16>;
using Floats = hn::Vec<Lanes>;
inline constexpr size_t kLanes = hn::MaxLanes(Lanes());

// Loads four floats from each of `p`, `p + step`, ... into one vector.
template <class D>
HWY_INLINE hn::Vec<D> LoadPieces(D d, const float* p, size_t step) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    return hn::LoadU(d, p);
  } else {
    const hn::Half<D> half;
    const float* second = p + hn::MaxLanes(half) / 4 * step;
    return hn::Combine(d, LoadPieces(half, second, step),
                       LoadPieces(half, p, step));
  }
}

template <class D>
HWY_INLINE void StorePieces(D d, hn::Vec<D> v, float* p, size_t step) {
  if constexpr (hn::MaxLanes(d) <= 4) {
    hn::StoreU(v, d, p);
  } else {
    const hn::Half<D> half;
    float* second = p + hn::MaxLanes(half) / 4 * step;
    StorePieces(half, hn::LowerHalf(half, v), p, step);
    StorePieces(half, hn::UpperHalf(half, v), second, step);
  }
}

// Transposes 4 x 4 floats in each 16-byte block of the four vectors.
HWY_INLINE void TransposePieces(Floats* v) {
  const Lanes d;
  const hn::RepartitionToWide<hn::RebindToUnsigned<Lanes>> wide;
  const auto t0 = hn::BitCast(wide, hn::InterleaveLower(d, v[0], v[1]));
  const auto t1 = hn::BitCast(wide, hn::InterleaveUpper(d, v[0], v[1]));
  const auto t2 = hn::BitCast(wide, hn::InterleaveLower(d, v[2], v[3]));
  const auto t3 = hn::BitCast(wide, hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(wide, t0, t2));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(wide, t0, t2));
  v[2] = hn::BitCast(d, hn::InterleaveLower(wide, t1, t3));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(wide, t1, t3));
}

// Calls piece(c) for groups of four columns; the last group may overlap the one
// before it. Calls one(c) for each column if there are fewer than four.
template <class Piece, class One>
HWY_INLINE void ForColumns(size_t columns, Piece piece, One one) {
  size_t c = 0;
  for (; c + 4 <= columns; c += 4) piece(c);
  if (c == columns) return;
  if (columns >= 4) return piece(columns - 4);
  for (; c < columns; ++c) one(c);
}

// rows[f * stride + c] -> lanes[c * kLanes + f] for kLanes rows.
HWY_INLINE void RowsToLanes(const float* rows, size_t stride, size_t columns,
                            float* lanes) {
  const Lanes d;
  ForColumns(
      columns,
      [&](size_t c) HWY_ATTR {
        Floats v[4];
        for (size_t i = 0; i < 4; ++i) {
          v[i] = LoadPieces(d, rows + i * stride + c, 4 * stride);
        }
        TransposePieces(v);
        for (size_t i = 0; i < 4; ++i)
          hn::Store(v[i], d, lanes + (c + i) * kLanes);
      },
      [&](size_t c) HWY_ATTR {
        for (size_t f = 0; f < kLanes; ++f) {
          lanes[c * kLanes + f] = rows[f * stride + c];
        }
      });
}

// lanes[c * kLanes + f] -> rows[f * stride + c] for kLanes rows.
HWY_INLINE void LanesToRows(const float* lanes, size_t columns, size_t stride,
                            float* rows) {
  const Lanes d;
  if (columns == 3 && stride == 3) {
    return hn::StoreInterleaved3(hn::Load(d, lanes),
                                 hn::Load(d, lanes + kLanes),
                                 hn::Load(d, lanes + 2 * kLanes), d, rows);
  }
  ForColumns(
      columns,
      [&](size_t c) HWY_ATTR {
        Floats v[4];
        for (size_t i = 0; i < 4; ++i)
          v[i] = hn::Load(d, lanes + (c + i) * kLanes);
        TransposePieces(v);
        for (size_t i = 0; i < 4; ++i) {
          StorePieces(d, v[i], rows + i * stride + c, 4 * stride);
        }
      },
      [&](size_t c) HWY_ATTR {
        for (size_t f = 0; f < kLanes; ++f) {
          rows[f * stride + c] = lanes[c * kLanes + f];
        }
      });
}

// Copies `count` floats, most of them past the caches. Aligned vectors are
// streamed. The two ends share cache lines with their neighbours and are copied
// as usual.
HWY_INLINE void StreamOut(const float* image, size_t count, float* out) {
  const Lanes d;
  constexpr uintptr_t kAlign = kLanes * sizeof(float);
  const auto address = reinterpret_cast<uintptr_t>(out);
  const size_t head = std::min<size_t>(
      (kAlign - address % kAlign) % kAlign / sizeof(float), count);
  std::memcpy(out, image, head * sizeof(float));
  size_t at = head;
  for (; at + kLanes <= count; at += kLanes) {
    hn::Stream(hn::LoadU(d, image + at), d, out + at);
  }
  std::memcpy(out + at, image + at, (count - at) * sizeof(float));
}

HWY_INLINE Floats Broadcast(float value) { return hn::Set(Lanes(), value); }
HWY_INLINE Floats LoadLanes(const float* lanes, int64_t index) {
  return hn::Load(Lanes(), lanes + index * kLanes);
}
HWY_INLINE void StoreLanes(Floats v, float* lanes, int64_t index) {
  hn::Store(v, Lanes(), lanes + index * kLanes);
}

// The parts of the scratch memory, each aligned for vectors. Rows of values are
// loaded into it, and rows of results are stored from it.
struct Buffers {
  float* columns;
  float* rotations;
  float* lanes;
  float* image;
  float* last_rows;
};

HWY_INLINE Buffers PartBuffers(const FkJob& job, const FkSchedule& schedule,
                               UninitializedVector<float>* scratch) {
  const auto columns = static_cast<size_t>(job.plan->columns);
  const auto width =
      static_cast<size_t>(std::max<int64_t>(WidthOf(job.rotation_kind), 3));
  const size_t lanes = schedule.steps.size() * width;
  const size_t sizes[] = {columns, static_cast<size_t>(schedule.slots) * 9,
                          lanes, lanes, columns};
  size_t total = 1;
  for (const size_t size : sizes) total += size;
  static_assert(kLanes <= size_t{kMaxLanes});
  if (scratch->size() < total * kLanes) {
    // The old contents are not needed: do not copy them.
    *scratch = {};
    scratch->resize(total * kLanes);
  }
  constexpr uintptr_t kAlign = kLanes * sizeof(float);
  const auto address = reinterpret_cast<uintptr_t>(scratch->data());
  float* at =
      scratch->data() + (kAlign - address % kAlign) % kAlign / sizeof(float);
  float* parts[5];
  for (size_t i = 0; i < 5; ++i) {
    parts[i] = at;
    at += sizes[i] * kLanes;
  }
  return {parts[0], parts[1], parts[2], parts[3], parts[4]};
}

// Reduces angles that are too large for SinCosDegrees to less than a turn.
HWY_INLINE void ReduceAngles(const Plan& plan, float* columns) {
  const Floats limit = Broadcast(kMaxSinCosDegrees);
  auto are_small = hn::Le(Broadcast(0.0F), limit);
  for (const RotationStep& step : plan.steps) {
    const Floats size = hn::Abs(LoadLanes(columns, step.column));
    // False for NaN, which a maximum could lose.
    are_small = hn::And(are_small, hn::Le(size, limit));
  }
  if (hn::AllTrue(Lanes(), are_small)) return;
  for (const RotationStep& step : plan.steps) {
    for (size_t i = 0; i < kLanes; ++i) {
      float& angle = columns[step.column * kLanes + i];
      angle = std::fmod(angle, 360.0F);
    }
  }
}

// Prefetches the kLanes rows from `rows` on, `stride` apart.
HWY_INLINE void PrefetchRows(const float* rows, size_t columns, size_t stride) {
  constexpr size_t kLine = 64 / sizeof(float);
  // Rows without gaps are one long row.
  const size_t runs = stride == columns ? 1 : kLanes;
  const size_t length = kLanes * columns / runs;
  for (size_t run = 0; run < runs; ++run) {
    for (size_t i = 0; i < length; i += kLine) {
      hwy::Prefetch(rows + run * stride + i);
    }
  }
}

// Loads the values of `frames` <= kLanes frames of `job` from `first` on into
// lanes. Lanes without a frame are 0.
HWY_INLINE void LoadColumns(const FkJob& job, int64_t first, int64_t frames,
                            const Buffers& buffers) {
  const auto columns = static_cast<size_t>(job.plan->columns);
  const size_t stride = columns * static_cast<size_t>(job.row_step);
  const float* rows = job.values.data() + static_cast<size_t>(first) * stride;
  if (frames < static_cast<int64_t>(kLanes)) {
    std::fill_n(buffers.last_rows, kLanes * columns, 0.0F);
    for (size_t f = 0; f < static_cast<size_t>(frames); ++f) {
      std::copy_n(rows + f * stride, columns, buffers.last_rows + f * columns);
    }
    RowsToLanes(buffers.last_rows, columns, columns, buffers.columns);
  } else {
    RowsToLanes(rows, stride, columns, buffers.columns);
    // The rows of the next frames.
    PrefetchRows(rows + kLanes * stride, columns, stride);
  }
  ReduceAngles(*job.plan, buffers.columns);
}

// Stores `frames` <= kLanes rows of `stride` values to `out`. `image` is
// scratch memory for kLanes such rows. With `stream`, full groups of rows are
// written past the caches.
HWY_INLINE void StoreRows(const float* lanes, size_t stride, int64_t frames,
                          bool stream, float* image, float* out) {
  const auto count = static_cast<size_t>(frames) * stride;
  if (frames < static_cast<int64_t>(kLanes)) {
    LanesToRows(lanes, stride, stride, image);
    std::memcpy(out, image, count * sizeof(float));
  } else if (stream) {
    LanesToRows(lanes, stride, stride, image);
    StreamOut(image, count, out);
  } else {
    LanesToRows(lanes, stride, stride, out);
  }
}

// True for an output that is not read back from the caches.
HWY_INLINE bool IsLarge(std::span<const float> out) {
  return out.size_bytes() >= kStreamBytes;
}

// Stores `rows` rows of `width` components into `out`, for at most kLanes
// frames of `job` from `first` on.
HWY_INLINE void StoreFrames(const FkJob& job, const float* lanes, size_t rows,
                            size_t width, int64_t first, float* image,
                            std::span<float> out) {
  const auto frames =
      std::min<int64_t>(job.frames - first, static_cast<int64_t>(kLanes));
  const int64_t at = job.first_frame + first;
  if (job.layout == TensorLayout::kFrameMajor) {
    const size_t stride = rows * width;
    return StoreRows(lanes, stride, frames, IsLarge(out), image,
                     out.data() + at * stride);
  }
  const int64_t in_array =
      job.array_frames == 0 ? job.frames : job.array_frames;
  for (size_t row = 0; row < rows; ++row) {
    StoreRows(lanes + row * width * kLanes, width, frames, /*stream=*/false,
              image, out.data() + (row * in_array + at) * width);
  }
}

// The kernels.

// Row-major. GCC compiles constructors that it makes itself for no target.
struct Matrix {
  HWY_INLINE Matrix() {}  // NOLINT(modernize-use-equals-default)
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
    default:  // Validate refuses other kinds.
      return;
  }
}

// FkJob::Run for the vectors of this target.
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

#if HWY_ONCE
namespace bvhmill {
namespace {

// The vector code of deeper skeletons has too large an error: its errors grow
// with the depth. Scalar code solves them.
constexpr int32_t kMaxVectorDepth = 100;

// The bit of a target in HWY_TARGETS; 0 for scalar code.
constexpr int64_t TargetBit(FkTarget target) {
  switch (target) {
    case FkTarget::kReference:
      break;
    case FkTarget::kVector128:
      return HWY_SSE4 | HWY_NEON | HWY_WASM;
    case FkTarget::kAvx2:
      return HWY_AVX2;
    case FkTarget::kAvx512:
      return HWY_AVX3;
  }
  return 0;
}

}  // namespace

bool IsSupported(FkTarget target) {
  return target == FkTarget::kReference ||
         (HWY_TARGETS & HWY_SUPPORTED_TARGETS & TargetBit(target)) != 0;
}

// The size of PartBuffers for rotations as matrices, the widest kind.
int64_t FkScratchBytes(const Plan& plan) {
  constexpr int64_t kEntries = 9;
  const auto of_schedule = [](const FkSchedule& schedule) {
    return kEntries *
           (schedule.slots + 2 * static_cast<int64_t>(schedule.steps.size()));
  };
  const int64_t rows = std::max(of_schedule(plan.node_schedule),
                                of_schedule(plan.joint_schedule));
  return (1 + 2 * plan.columns + rows) * kMaxLanes *
         static_cast<int64_t>(sizeof(float));
}

void FkJob::Run() const {
  const bool is_deep = plan->depth > kMaxVectorDepth;
  switch (is_deep ? FkTarget::kReference : target) {
#if HWY_TARGETS & HWY_AVX3
    case FkTarget::kAvx512:
      return N_AVX3::SolveFrames(*this);
#endif
#if HWY_TARGETS & HWY_AVX2
    case FkTarget::kAvx2:
      return N_AVX2::SolveFrames(*this);
#endif
#if HWY_TARGETS & HWY_SSE4
    case FkTarget::kVector128:
      return N_SSE4::SolveFrames(*this);
#elif HWY_TARGETS & HWY_NEON
    case FkTarget::kVector128:
      return N_NEON::SolveFrames(*this);
#elif HWY_TARGETS & HWY_WASM
    case FkTarget::kVector128:
      return N_WASM::SolveFrames(*this);
#endif
    default:
      SolveReference<double>(*this);
  }
}

}  // namespace bvhmill
#endif  // HWY_ONCE
