#pragma once

// What the SIMD kernels work in, kept from job to job. Private to kinematics/.

#include "bvhmill/base/uninitialized.h"

namespace bvhmill {

// Grows to what the largest job needs, about 1 KB for a joint. One thread at a
// time.
struct FkWorkspace {
  UninitializedVector<float> floats;
};

// Outputs from this size on are written past the caches.
inline constexpr size_t kStreamBytes = size_t{4} << 20;

// That of this thread, kept until it ends.
FkWorkspace* ThreadFkWorkspace();

}  // namespace bvhmill
