#pragma once

// How fast joints move in the world.

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/kinematics/pose_array.h"

namespace bvhmill {

// Linear velocities, in units of the file per second, of some frames of a clip,
// from the positions p of those next to each (numpy.gradient does the same):
//
//   v[f] = (p[f + 1] - p[f - 1]) / (2 * frame_time)
//
// and, of the first and last frame of the clip, from the one neighbour there
// is. A clip of one frame does not move. Owns nothing; any number of jobs may
// run at once on one plan.
struct VelocityJob {
  const Plan* plan = nullptr;
  int64_t frames = 0;
  // Rows of the frames, as read; with one more before and behind them where
  // the clip has one.
  std::span<const float> values;
  bool has_before = false;
  bool has_after = false;
  // Seconds; above 0.
  double frame_time = 0;
  // As in FkJob.
  bool with_end_sites = false;
  TensorLayout layout = TensorLayout::kFrameMajor;
  int64_t array_frames = 0;
  int64_t first_frame = 0;
  // Output; 3 components.
  std::span<float> velocities;
  // Room for the positions, kept by the caller.
  UninitializedVector<float>* scratch = nullptr;
  // As FkJob::scratch.
  UninitializedVector<float>* fk_scratch = nullptr;

  // INVALID_ARGUMENT if a span does not have the size that the others imply.
  absl::Status Validate() const;
  // The job must be valid. O(frames x nodes).
  void Run() const;
};

}  // namespace bvhmill
