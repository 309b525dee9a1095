#include "bvhmill/kinematics/fk_simd.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bvhmill/kinematics/fk_workspace.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/math/simd_targets.h"
#include "bvhmill/math/sincos.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bvhmill/kinematics/fk_simd.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "bvhmill/kinematics/fk_kernels-inl.h"

#if HWY_ONCE
namespace bvhmill {
namespace {

constexpr int64_t TargetBit(FkTarget target) {
  switch (target) {
    case FkTarget::kReference:
      break;
    case FkTarget::kVector128:
      return HWY_SSE4 | HWY_NEON;
    case FkTarget::kAvx2:
      return HWY_AVX2;
    case FkTarget::kAvx512:
      return HWY_AVX3;
  }
  return 0;
}

}  // namespace

bool IsSimdSupported(FkTarget target) {
  return (HWY_TARGETS & hwy::SupportedTargets() & TargetBit(target)) != 0;
}

UninitializedVector<float>* ThreadFkScratch() {
  thread_local UninitializedVector<float> scratch;
  return &scratch;
}

// The memory that PartBuffers takes for rotations as matrices, the largest.
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
#endif
    default:
      SolveReference<double>(*this);
  }
}

}  // namespace bvhmill
#endif  // HWY_ONCE
