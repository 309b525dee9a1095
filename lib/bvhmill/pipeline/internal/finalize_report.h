#pragma once

// What becomes of a clip that was read. Private to pipeline/.

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/compiled_skeleton.h"
#include "bvhmill/pipeline/internal/row_observers.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// How a log is kept of a clip that is converted by `options`.
ReportOptions LogOptions(const ConvertOptions& options);

// An issue as the reason of a failure, its place among the metadata.
Fault FaultOf(const Issue& issue);

// Forgets another clip, but keeps the memory.
void Reset(ConvertResult* result);

// `result` of a clip that was not read to its end, for `status`: what a report
// would say of it means nothing.
void RefuseUnread(const absl::Status& status, ConvertResult* result);

// What reading a clip has given, wherever its rows are.
struct ClipRead {
  bool skeleton_read = false;
  bool motion_read = false;
  // Null unless the skeleton is read.
  const CompiledSkeleton* skeleton = nullptr;
  int64_t frames = 0;
  double frame_time = 0;
};

// Logs what of a request has no effect.
void LogUnknownFields(const ConvertOptions& options, IssueLog* log);

// Lets the observers log what they found, describes the clip and makes the
// report. The status is OK if the clip is good; otherwise it and the fault say
// why not.
void FinalizeReport(const ClipRead& read, RowObservers* observers,
                    const CancelToken* cancel, IssueLog* log,
                    ConvertResult* result);

}  // namespace bvhmill
