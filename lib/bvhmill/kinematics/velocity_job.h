#pragma once

// Linear velocities of joints in the world.

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/kinematics/pose_array.h"

namespace bvhmill {

// Solves linear velocities of some frames of a clip, in units of the file per
// second, from the positions p of the frames before and after each one:
//
//   v[f] = (p[f + 1] - p[f - 1]) / (2 * frame_time)
//
// The first and the last frame of the clip use the one neighbour that exists.
// numpy.gradient does the same. The velocity of a clip of one frame is 0. A job
// owns nothing. Any number of jobs may run at once on one plan if each has its
// own scratch memory.
struct VelocityJob {
  const Plan* plan = nullptr;
  int64_t frames = 0;
  // Rows of the frames, as read from the file: rows x plan->columns. The first
  // row is that before the first frame if `has_before`, and the last row is
  // that after the last frame if `has_after`. Set the two wherever the clip has
  // such a row.
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
  // Output, 3 components.
  std::span<float> velocities;
  // Memory for positions, kept by the caller. Must not be null.
  UninitializedVector<float>* scratch = nullptr;
  // As FkJob::scratch.
  UninitializedVector<float>* fk_scratch = nullptr;

  // INVALID_ARGUMENT if `scratch` is missing, `frame_time` is not above 0, or a
  // span does not have the size that the other fields imply.
  absl::Status Validate() const;
  // Writes `velocities`. The job must be valid. O(frames x nodes).
  void Run() const;
};

}  // namespace bvhmill
