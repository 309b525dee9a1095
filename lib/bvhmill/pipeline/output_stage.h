#pragma once

// The last part of the mill: rows of a clip to poses, and these to outputs.
// Private to pipeline/.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/encode/encoder.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/pipeline/compiled_skeleton.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/pipeline/output_sink.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

// What a thread works in, kept from tile to tile and from clip to clip; and how
// long it took.
struct TileBuffers {
  // One for each array of the stage.
  std::vector<UninitializedVector<float>> arrays;
  // Of velocities.
  UninitializedVector<float> positions;
  // What kinematics works in.
  UninitializedVector<float> scratch;
  std::chrono::nanoseconds solve{};
  std::chrono::nanoseconds encode{};
};

// Consecutive frames of a clip.
struct TileRows {
  // Need not be known for Solve, unless arrays are taken whole.
  int64_t first_frame = 0;
  int64_t frames = 0;
  // frames x columns; and the same with one row more before and behind, where
  // the clip has one, for whoever NeedsNeighbours.
  std::span<const float> values;
  std::span<const float> around;
  bool has_before = false;
  bool has_after = false;
};

// Kept from clip to clip. SetOutputs, Begin, then Solve of every tile by any
// thread and Add of it, in order, then End.
class OutputStage {
 public:
  // The options must outlive the clip. Cheap if they ask for what was asked for
  // last.
  void SetOutputs(const ConvertOptions& options);

  const Conventions& conventions() const { return options_->conventions; }
  // It must be known how many frames there are before the first tile comes.
  bool NeedsFrameCount() const;
  // Tiles need the rows around them.
  bool NeedsNeighbours() const;

  // Makes the encoders ready for a clip, whose facts `context` has (the options
  // have the rest of it), and tells the receiver, which must live
  // until End. `context.frames` may be a guess where no frame count is needed.
  // Fills result->outputs; result->info must be set. FAILED_PRECONDITION where
  // an output cannot hold the clip; RESOURCE_EXHAUSTED where it is known that
  // outputs are too large; what the receiver and context.budget say, from
  // which memory and work are drawn until End.
  // `compiled` has the plan of context.skeleton and stays until End; null: the
  // stage makes a plan.
  absl::Status Begin(const EncodeContext& context,
                     const CompiledSkeleton* compiled, OutputReceiver* receiver,
                     ConvertResult* result);
  // Adds what the encoders said about the clip to `report`, once, when its
  // outputs are made or have failed.
  void FinishReport(Report* report);
  // A number of frames that is good for a tile, and the largest that is given
  // to Solve at once: little text can have many frames of many joints.
  int64_t TileFrames() const;
  int64_t MaxFrames() const;
  // The frames, one at least, of which about `bytes` of outputs are made: so
  // many are solved and added before it is looked whether to go on.
  int64_t StepFrames(int64_t bytes) const;

  // Draws the memory of the buffers of `threads` threads, each of which solves
  // `frames` frames at once at most. Call after Begin, before Solve.
  absl::Status DrawBuffers(int threads, int64_t frames);
  // Solves what the encoders want of `rows`. Any number of threads at once,
  // each with buffers of its own.
  void Solve(const TileRows& rows, TileBuffers* buffers);
  // Encodes what was solved of `rows`.
  absl::Status Add(const TileRows& rows, TileBuffers* buffers);
  // `frames` = what there were. Makes result->outputs exact.
  absl::Status End(int64_t frames, TileBuffers* buffers);

  // Memory that is kept.
  size_t KeptBytes() const;
  // Why a status is not OK, for programs; empty for what others said.
  const Fault& fault() const { return fault_; }

 private:
  // An array that some encoders want.
  struct SharedArray {
    PoseArray array;
    bool whole = false;
    // Encoders that want it.
    int64_t users = 0;
  };

  void AddNeeds(const EncoderNeeds& needs);
  bool NeedsLog() const;
  void BeginLog(const EncodeContext& context);
  absl::Status Refuse(const absl::Status& status);
  absl::Status CheckClip(const EncodeContext& context);
  absl::Status CheckWork(const EncodeContext& context) const;
  absl::Status CheckSizes(const EncodeContext& context);
  absl::Status ReserveFullArrays(const EncodeContext& context);
  absl::Status OnEncoderStatus(const absl::Status& status);
  int64_t FrameBytes() const;
  int64_t FrameWork() const;
  std::span<float> ArraySpan(size_t array, const TileRows& rows,
                             TileBuffers* buffers);
  void SolveArray(const SharedArray& shared, const TileRows& rows,
                  TileBuffers* buffers, std::span<float> out) const;
  absl::Status AddTo(size_t encoder, const PoseTile& tile,
                     TileBuffers* buffers);
  size_t FirstUse(size_t encoder) const;
  PoseSpans SpansOf(size_t encoder, bool whole, TileBuffers* buffers);

  const ConvertOptions* options_ = nullptr;
  std::vector<OutputRequest> requests_;
  std::vector<std::unique_ptr<Encoder>> encoders_;
  std::vector<SharedArray> arrays_;
  // Indices into arrays_: for each encoder in turn, as many as it needs.
  std::vector<size_t> uses_;

  EncodeContext context_;
  // Issues that the encoders find; until Refuse makes a report of them, and
  // FinishReport hands that on. Neither if none of them was asked.
  std::optional<IssueLog> log_;
  std::optional<Report> said_;
  // The plan of the clip; own_plan_ for a skeleton that no other clip has.
  const Plan* plan_ = nullptr;
  Plan own_plan_;
  ConvertResult* result_ = nullptr;
  OutputBudget budget_;
  // Units of work that a frame costs beside the bytes of its outputs.
  int64_t frame_work_ = 0;
  // Threads whose scratch is drawn for this clip.
  int scratch_threads_ = 0;
  std::vector<OutputSink> sinks_;
  std::vector<UninitializedVector<float>> full_arrays_;
  std::vector<std::span<const float>> spans_;
  Fault fault_;
};

}  // namespace bvhmill
