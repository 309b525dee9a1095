#pragma once

// Forward kinematics with one frame in each lane of a vector. Private to
// kinematics/.

#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill {

// FkJob::Run for a target other than kReference. The machine must support it.
void SolveSimd(const FkJob& job);

bool IsSimdSupported(FkTarget target);

}  // namespace bvhmill
