#pragma once

// The check stage of a conversion: derives data from the skeleton, applies the
// rules of validate/, and turns the log into the report and the status of the
// clip.

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/issue_log.h"
#include "bvhmill/validate/measure.h"
#include "bvhmill/validate/motion/motion_rules.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {

// The data derived from a skeleton. Clips that share a skeleton share it.
// Immutable. The pointer is the identity, as with SharedSkeleton.
struct CompiledSkeleton {
  // The skeleton that the data is derived from.
  SharedSkeleton source;
  // The facts about the skeleton that the rules of validate/ use.
  SkeletonFacts facts;
  // The description of a clip without frames.
  ClipInfo info;
  // The plan for `conventions`; empty if has_plan is false.
  bool has_plan = false;
  Conventions conventions;
  Plan plan;
  // The plan of facts.landmarks.nodes, for `conventions`.
  Plan landmark_plan;
};

// Compiles skeletons and keeps the last one. Not thread-safe.
class SkeletonCompiler {
 public:
  // Returns the compiled form of `source`, with a plan for `conventions` if
  // `needs_plan`. Cost: none if it is the last one; else O(n log n) for n
  // nodes.
  std::shared_ptr<const CompiledSkeleton> Compile(
      const SharedSkeleton& source, bool needs_plan,
      const Conventions& conventions);
  // Drops the last one unless it was compiled from `source`.
  void KeepOnly(const SharedSkeleton& source);
  // May be null.
  const CompiledSkeleton* last() const { return last_.get(); }

 private:
  std::shared_ptr<const CompiledSkeleton> last_;
};

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

// Logs what the rules find in `motion`, the rows of `skeleton` before edits.
// With options.measures, also writes `measures`; `skeleton` must then have a
// plan. Draws memory and work from `budget`, and fails with its status.
absl::Status CheckClip(const CompiledSkeleton& skeleton,
                       const ConvertOptions& options, const Motion& motion,
                       Parallel* parallel, Budget* budget, CheckMemory* memory,
                       IssueLog* log, std::optional<ClipMeasures>* measures);

// Options of the log of a conversion with `options`.
ReportOptions LogOptions(const ConvertOptions& options);

// Logs the fields of a request that have no effect.
void LogUnknownFields(const ConvertOptions& options, IssueLog* log);

// Empties `result`, and keeps its memory.
void Reset(ConvertResult* result);

// Sets `result` for a clip that was not read to its end because of `status`. It
// has no report: a report about a part of a clip would mislead.
void RefuseUnread(const absl::Status& status, ConvertResult* result);

// The facts about a clip that FinalizeReport needs.
struct ClipRead {
  bool skeleton_read = false;
  bool motion_read = false;
  // Null unless the skeleton is read.
  const CompiledSkeleton* skeleton = nullptr;
  int64_t frames = 0;
  double frame_time = 0;
};

// Describes the clip, and sets the report and the status of `result`. The
// status is OK if the clip is good; else it is the error of the first issue
// that refuses the clip. Its reason is CLIP_BROKEN if `options`, those of the
// log, ignore all of these issues or lower their severities.
void FinalizeReport(const ClipRead& read, const ReportOptions& options,
                    const CancelToken* cancel, IssueLog* log,
                    ConvertResult* result);

// The error of a conversion that fails with `code` because of `issue`. The
// reason is the code of the issue; the args include its position.
absl::Status ErrorOf(absl::StatusCode code, const Issue& issue);

// Sets `info` to the description of a clip with this skeleton.
void DescribeClip(const CompiledSkeleton& skeleton, int64_t frames,
                  double frame_time, ClipInfo* info);

}  // namespace bvhmill
