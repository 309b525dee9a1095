#pragma once

// The outputs of a clip: encodes the poses that the solver has made of its
// rows, and gives the bytes to the receiver. Private to pipeline/.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/compiled_skeleton.h"
#include "bvhmill/pipeline/internal/outputs/output_plan.h"
#include "bvhmill/pipeline/internal/outputs/output_sink.h"
#include "bvhmill/pipeline/internal/outputs/pose_solver.h"
#include "bvhmill/pipeline/internal/rows/tile.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// Kept from clip to clip. SetOutputs, Begin, then for every tile
// solver().Solve in any thread and Add in order, then End.
class OutputStage {
 public:
  // The options must outlive the clip. Cheap if the requests are those of the
  // previous clip.
  void SetOutputs(const ConvertOptions& options);
  const OutputPlan& plan() const { return plan_; }

  // Makes the encoders ready for the clip of `context`, and starts `receiver`,
  // which must live until End. `context.frames` may be an estimate if no output
  // needs a frame count. `compiled` has the plan of context.skeleton and stays
  // until End; null: the stage makes a plan.
  // Fills result->outputs; result->info must be set. FAILED_PRECONDITION if an
  // output cannot hold the clip; RESOURCE_EXHAUSTED if the outputs are known to
  // be too large; the statuses of the receiver and of context.budget, from
  // which memory and work are drawn until End.
  absl::Status Begin(const EncodeContext& context,
                     const CompiledSkeleton* compiled, OutputReceiver* receiver,
                     ConvertResult* result);
  // Adds the issues of the encoders to `report`, once, after the outputs are
  // made or have failed.
  void FinishReport(Report* report);
  // Forgets these issues: the edits do not fit the clip, so the outputs are not
  // those of the edited clip.
  void DropReport();

  // Solves the arrays of the outputs. The stage begins it.
  PoseSolver& solver() { return solver_; }
  // The frames, at least one, whose outputs have about `bytes` bytes.
  int64_t StepFrames(int64_t bytes) const;

  // Encodes a tile that was solved with `buffers`.
  absl::Status Add(const TileRows& rows, TileBuffers* buffers);
  // Ends the outputs of a clip of `frames` frames. Makes result->outputs exact.
  absl::Status End(int64_t frames, TileBuffers* buffers);

  // Bytes of the memory that is kept for the next clip.
  size_t KeptBytes() const { return solver_.KeptBytes(); }

 private:
  void BeginLog(const EncodeContext& context);
  absl::Status Refuse(const absl::Status& status);
  absl::Status CheckClip(const EncodeContext& context);
  void DescribeOutputs(OutputReceiver* receiver);
  absl::Status CheckWork() const;
  absl::Status CheckSizes();
  absl::Status OnEncoderStatus(const absl::Status& status);
  PoseSpans SpansOf(size_t encoder, bool whole, TileBuffers* buffers);

  const ConvertOptions* options_ = nullptr;
  OutputPlan plan_;
  PoseSolver solver_;
  EncodeContext context_;
  // The issues of the encoders: a log until the outputs are refused or made,
  // then a report until FinishReport. Neither if no encoder logs.
  std::optional<IssueLog> log_;
  std::optional<Report> encoder_report_;
  ConvertResult* result_ = nullptr;
  OutputBudget budget_;
  // Units of work that a frame costs beside the bytes of its outputs.
  int64_t frame_work_ = 0;
  std::vector<OutputSink> sinks_;
  std::vector<std::span<const float>> spans_;
};

}  // namespace bvhmill
