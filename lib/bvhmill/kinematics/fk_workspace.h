#pragma once

// What the SIMD kernels work in. Private to kinematics/.

#include "bvhmill/base/uninitialized.h"

namespace bvhmill {

// Outputs from this size on are written past the caches.
inline constexpr size_t kStreamBytes = size_t{4} << 20;

// Frames that a kernel solves at once, at most: the floats of AVX-512.
inline constexpr int64_t kMaxLanes = 16;

// The memory of this thread, kept until it ends, for jobs without a scratch.
UninitializedVector<float>* ThreadFkScratch();

}  // namespace bvhmill
