#pragma once

// Turns the log of a clip into its report and status. Private to pipeline/.

#include "bvhmill/base/cancel.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/compiled_skeleton.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// The options for the log of a conversion with `options`.
ReportOptions LogOptions(const ConvertOptions& options);

// The error of a conversion that fails with `code` for `issue`: the reason is
// the code of the issue, and the args have its position, too.
absl::Status ErrorOf(absl::StatusCode code, const Issue& issue);

// Makes `result` empty, but keeps its memory.
void Reset(ConvertResult* result);

// Makes `result` that of a clip that was not read to its end because of
// `status`. A report about a part of a clip would mislead: there is none.
void RefuseUnread(const absl::Status& status, ConvertResult* result);

// The facts of a clip that was read.
struct ClipRead {
  bool skeleton_read = false;
  bool motion_read = false;
  // Null unless the skeleton is read.
  const CompiledSkeleton* skeleton = nullptr;
  int64_t frames = 0;
  double frame_time = 0;
};

// Logs the fields of a request that have no effect.
void LogUnknownFields(const ConvertOptions& options, IssueLog* log);

// Describes the clip and makes the report. The status is OK if the clip is
// good; else it is the error of the first issue that refuses the clip. If
// `options`, those of the log, keep all of these from being errors of the
// report, its reason is CLIP_BROKEN.
void FinalizeReport(const ClipRead& read, const ReportOptions& options,
                    const CancelToken* cancel, IssueLog* log,
                    ConvertResult* result);

}  // namespace bvhmill
