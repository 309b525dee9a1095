#pragma once

// Forward kinematics with one frame in each lane of a vector: FkJob::Run stands
// where the code for each kind of vector is compiled. Private to kinematics/.

#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill {

// True if the program and this machine have the vectors of `target`.
bool IsSimdSupported(FkTarget target);

}  // namespace bvhmill
