#pragma once

// Solves the arrays of an output plan, tile by tile. Private to pipeline/.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/budget.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/pipeline/internal/compiled_skeleton.h"
#include "bvhmill/pipeline/internal/outputs/output_plan.h"
#include "bvhmill/pipeline/internal/rows/tile.h"

namespace bvhmill {

// Kept from clip to clip. Begin, then Solve for any tiles.
class PoseSolver {
 public:
  // Starts a clip of `context`. `compiled` has the plan of context.skeleton;
  // null: the solver makes one. All must stay until the next Begin.
  void Begin(const OutputPlan& outputs, const EncodeContext& context,
             const CompiledSkeleton* compiled, const Conventions& conventions);
  const Plan& plan() const { return *plan_; }

  // Takes the memory of arrays that are solved whole, drawn from the budget of
  // the context.
  absl::Status ReserveFullArrays();
  // Draws the memory of the buffers of `threads` threads, each of which solves
  // at most `frames` frames at once.
  absl::Status DrawBuffers(int threads, int64_t frames);

  // A good number of frames for a tile: its arrays fit the second cache.
  int64_t TileFrames() const;
  // The largest number of frames for Solve: a small text can have many frames
  // of many joints.
  int64_t MaxFrames() const;

  // Solves all arrays for `rows`. Any number of threads at once, each with its
  // own buffers. O(frames x nodes).
  void Solve(const TileRows& rows, TileBuffers* buffers);
  // Array number `array`: of the tile in `buffers`, or of all frames.
  std::span<const float> Array(size_t array, const TileBuffers& buffers) const;

  // Bytes of the memory that is kept for the next clip.
  size_t KeptBytes() const;

 private:
  std::span<float> Reserve(size_t array, const TileRows& rows,
                           TileBuffers* buffers);
  void SolveArray(const SharedArray& shared, const TileRows& rows,
                  TileBuffers* buffers, std::span<float> out) const;
  void SolveVelocities(const SharedArray& shared, const TileRows& rows,
                       TileBuffers* buffers, std::span<float> out) const;

  const OutputPlan* outputs_ = nullptr;
  // Null before the first clip.
  const Plan* plan_ = nullptr;
  // The plan of a skeleton that was not compiled.
  Plan own_plan_;
  const Skeleton* skeleton_ = nullptr;
  int64_t frames_ = 0;
  double frame_time_ = 0;
  Budget* budget_ = nullptr;
  // Threads whose scratch memory is drawn for this clip.
  int scratch_threads_ = 0;
  std::vector<UninitializedVector<float>> full_arrays_;
};

}  // namespace bvhmill
