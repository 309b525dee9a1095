#pragma once

// The conversion of a clip that was read: report -> edits -> outputs. Private
// to pipeline/.

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/workspace.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// One clip: read it by HowToRead() into workspace->read, with the log and the
// budget of the conversion, then call Finish. One thread at a time.
class Conversion {
 public:
  // Starts a conversion into `result`. `receiver` may be null if no outputs are
  // asked for. All must outlive the conversion, which uses `workspace` alone.
  Conversion(const ConvertOptions& options, OutputReceiver* receiver,
             const CancelToken* cancel, Parallel* parallel,
             Workspace* workspace, ConvertResult* result);
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  // False if the options are refused: the result is then complete, and no other
  // function may be called.
  bool is_good() const { return log_.has_value(); }
  ReadOptions HowToRead();
  IssueLog* log() { return &*log_; }
  Budget* budget() { return &budget_; }
  // Where the time of reading is added up.
  std::chrono::nanoseconds* read_time() { return &result_.times.read; }

  // Starts the receiver once the header of the clip is read, with the frames
  // that it states. Does nothing before, and if the clip is edited: its outputs
  // are not known then.
  void Announce();
  // Checks, edits and encodes the clip in workspace->read, and completes the
  // result. Call once.
  void Finish();

 private:
  void Check();
  absl::Status CheckRules();
  absl::Status EditAndEncode();
  absl::Status MakeClip();
  absl::Status Edit();
  absl::Status EncodeOutputs();
  absl::Status KeepSkeleton();

  const ConvertOptions& options_;
  OutputReceiver* const receiver_;
  const CancelToken* const cancel_;
  Parallel& parallel_;
  Workspace& workspace_;
  ConvertResult& result_;
  const bool has_edits_;
  Budget budget_;
  std::optional<IssueLog> log_;
  // The derived data of the skeleton that was read. Null until Check.
  std::shared_ptr<const CompiledSkeleton> compiled_;
  bool has_begun_ = false;
  // The error of the receiver when it was started.
  absl::Status announced_;
};

}  // namespace bvhmill
