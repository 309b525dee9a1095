#pragma once

// Applies the rules of validate/ to a clip that was read, and measures it.
// Private to pipeline/.

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/pipeline/internal/compiled_skeleton.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/measure/clip_measurer.h"
#include "bvhmill/validate/motion/motion_rules.h"

namespace bvhmill {

// Memory that is kept from clip to clip.
struct CheckMemory {
  MotionMemory motion;
  // World positions of landmarks, and of all nodes in some frames.
  UninitializedVector<float> landmarks;
  UninitializedVector<float> positions;
  // The scratch memory of kinematics.
  UninitializedVector<float> scratch;

  // The bytes of all that grows with clips.
  size_t KeptBytes() const {
    return motion.KeptBytes() +
           (landmarks.capacity() + positions.capacity() + scratch.capacity()) *
               sizeof(float);
  }
};

// Logs what the rules find in `motion`, the rows of `skeleton` as the file has
// them. With options.measures, writes `measures`; `skeleton` then has a plan.
// Draws memory and work from `budget`, and fails with its status.
absl::Status CheckClip(const CompiledSkeleton& skeleton,
                       const ConvertOptions& options, const Motion& motion,
                       Parallel* parallel, Budget* budget, CheckMemory* memory,
                       IssueLog* log, std::optional<ClipMeasures>* measures);

}  // namespace bvhmill
