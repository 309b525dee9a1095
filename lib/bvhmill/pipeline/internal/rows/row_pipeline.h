#pragma once

// The one way of the rows of a clip: header -> observers -> editor -> outputs.
//
// Three drivers read a clip and deliver its header and its rows:
//
//   whole matrix      OnHeader, Observe, Finalize, EncodeWhole, Finish
//   tiles in threads  OnHeader, BeginOutputs, SolveTile and AddTile,
//                     Finalize, EndOutputs, Finish
//   pieces            OnHeader, BeginOutputs, Observe and Step,
//                     Finalize, EndOutputs, Finish
//
// All else that a conversion does stands here once. Private to pipeline/.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/parallel.h"
#include "bvhmill/bvh/clip_receiver.h"
#include "bvhmill/bvh/read_options.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/internal/outputs/checks_receiver.h"
#include "bvhmill/pipeline/internal/rows/held_rows.h"
#include "bvhmill/pipeline/internal/rows/row_editor.h"
#include "bvhmill/pipeline/internal/rows/row_window.h"
#include "bvhmill/pipeline/internal/workspace.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// One clip. One thread at a time, but for SolveTile. A failure of edits or
// outputs does not stop the reading: the rest of the clip is read for its
// report, and the failure becomes the result if the report is good.
class RowPipeline {
 public:
  // Starts a conversion into `result`. `receiver` may be null if no outputs are
  // asked for. All must outlive the pipeline, which has `workspace` alone.
  RowPipeline(const ConvertOptions& options, OutputReceiver* receiver,
              const CancelToken* cancel, Parallel* parallel,
              Workspace* workspace, ConvertResult* result);
  RowPipeline(const RowPipeline&) = delete;
  RowPipeline& operator=(const RowPipeline&) = delete;

  // False if the options are refused: the result is then complete, and no other
  // function may be called.
  bool is_good() const { return log_.has_value(); }
  // The options for the reader of this clip, without `parallel`.
  ReadOptions HowToRead();
  IssueLog* log() { return &*log_; }
  Budget* budget() { return &budget_; }

  bool has_outputs() const { return !options_.outputs.empty(); }
  bool has_edits() const;
  // The rows of the source are kept and edited together, at the end.
  bool edits_at_end() const { return NeedsAllRows(options_.edits); }
  // Outputs are made of all rows together, at the end.
  bool keeps_rows() const;
  // Rows are needed in tiles only, which several threads can read and solve.
  bool TakesTiles() const;

  // --- The header.

  // Derives the data of the skeleton and starts the observers. Up to `threads`
  // threads will call SolveTile. False if the clip is refused and need not be
  // read.
  bool OnHeader(const ClipHeader& header, int threads);
  // Starts edits, and outputs unless they are made at the end. For drivers that
  // deliver rows while they read. True if rows can become outputs.
  bool BeginOutputs();
  // The header, if one came.
  const std::optional<ClipHeader>& header() const { return header_; }

  // --- The rows, in order.

  // Gives rows to the observers.
  void Observe(int64_t frames, std::span<const float> values);
  // Edits the first rows, and makes outputs of them: about as many as the step
  // size says. `*used` rows were taken; the rest must come again.
  void Step(int64_t frames, std::span<const float> values, int64_t* used);
  // The size of a step, in bytes of outputs. 4 MiB by default.
  void SetStepBytes(int64_t bytes);
  // Draws the memory of a tile of `frames` frames that comes by Observe and
  // Step.
  void DrawTile(int64_t frames);
  // Draws the memory of tiles of at most `values` values for `threads` threads.
  void DrawTiles(int threads, int64_t values);
  // The last row that was taken makes more rows: call Step again.
  bool has_more() const { return editor_.has_more(); }

  // Observers and outputs take a tile in two steps. SolveTile may run in
  // several threads at once, each with its own `worker` number.
  void SolveTile(int worker, int64_t frames, std::span<const float> values);
  void AddTile(int worker, int64_t frames, std::span<const float> values);
  // Adds frames without values, which readers do not deliver, until there are
  // `frames`.
  void AddEmptyFrames(int64_t frames);

  // False after a failure: rows need not come by Step any more.
  bool ok() const { return status_.ok(); }
  // Sets the first failure.
  void Fail(const absl::Status& status);

  // --- The end.

  // All was read. Applies the rules, describes the clip and completes the
  // report. False if the clip is refused.
  bool Finalize(const StreamResult& read);
  // Ends edits and outputs; those that are made at the end are made here.
  void EndOutputs();
  // Edits and encodes the clip whose rows are in workspace->read.motion.
  void EncodeWhole();
  // Completes the result. Call once, in any case. Outputs were made by
  // `threads` threads while the clip was read; 0: not while it was read.
  void Finish(int threads);

 private:
  absl::Status BeginClip(const ClipHeader& header, int threads);
  absl::Status BeginStage();
  void SetSteps();
  bool IsLarge(int64_t frames) const;
  void AddToOutputs(const TileRows& rows, TileBuffers* buffers, bool is_solved);
  void Feed(int64_t frames, std::span<const float> values);
  void SolveAndAdd(const TileRows& rows);
  absl::Status DrawPoses(int64_t frames);
  void CheckEdits();
  void EndRows();
  void EncodeClipOf(const Clip& clip);
  void KeepSkeleton(const Skeleton& skeleton);
  void AddTimes(int threads);

  const ConvertOptions& options_;
  ChecksReceiver checks_receiver_;
  OutputReceiver* receiver_;
  const CancelToken* cancel_;
  Parallel& parallel_;
  Workspace& workspace_;
  OutputStage& stage_;
  PoseSolver& solver_;
  ConvertResult& result_;
  Budget budget_;
  std::optional<IssueLog> log_;
  // The issues of repairs and edits; none until then.
  std::optional<IssueLog> edit_log_;

  std::optional<ClipHeader> header_;
  std::shared_ptr<const CompiledSkeleton> compiled_;
  RowEditor editor_;
  RowWindow window_;
  HeldRows kept_;

  // The first failure of edits or outputs.
  absl::Status status_;
  bool outputs_failed_ = false;
  // Outputs have begun, and did not fail. Read by SolveTile.
  std::atomic<bool> makes_outputs_ = false;
  // Observers have begun.
  bool observes_ = false;

  // Bytes of outputs in a step; source rows and edited rows in a step, at most.
  int64_t step_bytes_ = int64_t{4} << 20;
  int64_t step_frames_ = 0;
  int64_t edit_frames_ = 0;
  // Frames of the largest tile, and of the most poses, that memory is drawn
  // for.
  int64_t drawn_frames_ = 0;
  int64_t drawn_poses_ = 0;
  // Frames that were given to the outputs, or kept for them.
  int64_t fed_ = 0;
  // Frames of the source. Known after Finalize.
  int64_t read_frames_ = 0;
};

}  // namespace bvhmill
