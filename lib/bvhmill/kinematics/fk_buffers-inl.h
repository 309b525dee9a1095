// The scratch memory of the kernels of forward kinematics: loads the values of
// frames into it, and stores rows of results from it. Included once for each
// target of Highway, hence no #pragma once.

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "bvhmill/kinematics/fk_tiles-inl.h"

#if defined(BVHMILL_KINEMATICS_FK_BUFFERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BVHMILL_KINEMATICS_FK_BUFFERS_INL_H_
#undef BVHMILL_KINEMATICS_FK_BUFFERS_INL_H_
#else
#define BVHMILL_KINEMATICS_FK_BUFFERS_INL_H_
#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace bvhmill {
namespace HWY_NAMESPACE {

HWY_INLINE Floats Broadcast(float value) { return hn::Set(Lanes(), value); }
HWY_INLINE Floats LoadLanes(const float* lanes, int64_t index) {
  return hn::Load(Lanes(), lanes + index * kLanes);
}
HWY_INLINE void StoreLanes(Floats v, float* lanes, int64_t index) {
  hn::Store(v, Lanes(), lanes + index * kLanes);
}

// The parts of the scratch memory, each aligned for vectors.
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

}  // namespace HWY_NAMESPACE
}  // namespace bvhmill
HWY_AFTER_NAMESPACE();
#endif

#endif  // BVHMILL_KINEMATICS_FK_BUFFERS_INL_H_
