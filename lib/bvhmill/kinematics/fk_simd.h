#pragma once

// Forward kinematics with frames in the lanes of vectors. Private to
// kinematics/.

#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill {

// What FkJob::Run does, for a target other than kReference that this machine
// supports.
void SolveSimd(const FkJob& job);

bool IsSimdSupported(FkTarget target);

}  // namespace bvhmill
