#pragma once

// The vectors that the kernels are compiled for. Include before Highway.

// Left out: vectors whose size is not known at compile time, and targets that
// have no FkTarget (kinematics/fk_job.h).
#define HWY_DISABLED_TARGETS                                               \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | \
   HWY_AVX3_DL)
