#pragma once

// Memory of the SIMD kernels. Private to kinematics/.

#include "bvhmill/base/uninitialized.h"

namespace bvhmill {

// Outputs of at least this size, in bytes, are written past the caches.
inline constexpr size_t kStreamBytes = size_t{4} << 20;

// The most frames that a kernel solves at once: the floats of AVX-512.
inline constexpr int64_t kMaxLanes = 16;

// The memory of this thread for jobs without a scratch. The thread keeps it
// until it ends.
UninitializedVector<float>* ThreadFkScratch();

}  // namespace bvhmill
