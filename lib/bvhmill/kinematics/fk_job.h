#pragma once

// Forward kinematics of whole clips: the pose of every joint in every frame,
// and linear velocities derived from positions.
//
//   M_j = M_parent * T(t_j) * R_j
//
// where t_j is the translation of joint j from its parent: its OFFSET, its
// position channels, or their sum, as the conventions of the plan state. R_j is
// the product of its rotation channels in file order, the first outermost.
//
//   const Plan plan = MakePlan(clip.skeleton, conventions);
//   FkJob job;
//   job.plan = &plan;
//   job.frames = clip.motion.frames;
//   job.values = clip.motion.values;
//   job.positions = positions;  // frames x joints x 3
//   BVHMILL_RETURN_IF_ERROR(job.Validate());
//   job.Run();
//
// A job is a plain struct of inputs and outputs. It owns no memory, and solves
// a few frames at a time. Any number of jobs may run at once on one plan if
// each has its own scratch memory. Outputs are in the layouts of pose_array.h.

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/kinematics/pose_array.h"

namespace bvhmill {

// The implementation that solves the poses: scalar code in double precision, or
// vectors of frames in single precision, with vectors of 16 bytes (SSE4.1,
// NEON or WebAssembly), AVX2 or AVX-512. With vectors, the error of a position
// is at most 1e-6 times the largest coordinate of its frame, and the error of
// an entry of a rotation is at most 4e-6. Errors grow with the depth of the
// skeleton: if the depth exceeds 100, Run uses scalar code for every target.
enum class FkTarget { kReference, kVector128, kAvx2, kAvx512 };

// "reference", "vector128", "avx2", "avx512".
std::string_view FkTargetName(FkTarget target);
// True if this machine can run `target`.
bool IsSupported(FkTarget target);
// The fastest supported target. Cheap: it is determined once.
FkTarget BestFkTarget();

// Solves poses.
struct FkJob {
  const Plan* plan = nullptr;
  int64_t frames = 0;
  // (frames - 1) * row_step + 1 rows of plan->columns values: angles in
  // degrees, lengths in the unit of the clip. None if `frames` is 0. The job
  // solves every `row_step`th row, the first and the last one included.
  std::span<const float> values;
  int64_t row_step = 1;
  // True if the outputs include end sites: one entry for each node, in the
  // order of Skeleton::nodes. False: one entry for each joint.
  bool with_end_sites = false;
  TensorLayout layout = TensorLayout::kFrameMajor;
  // Quaternion, matrix or 6d; others are made of these (rotation_kinds.h).
  RotationKind rotation_kind = RotationKind::kQuaternion;
  // The number of frames of the output arrays; 0 = `frames`. The job writes
  // `frames` of them, beginning with `first_frame`. Jobs that write different
  // frames of the same arrays may run at once.
  int64_t array_frames = 0;
  int64_t first_frame = 0;
  // Outputs; an empty one is skipped. World positions have 3 components, in
  // units of the file.
  std::span<float> positions;
  // World and local rotations, with the components of `rotation_kind`. The
  // world rotation of an end site is that of its parent; its local rotation is
  // the identity.
  std::span<float> world_rotations;
  std::span<float> local_rotations;
  // Memory for the vector targets, which the caller reuses from job to job; it
  // grows to FkScratchBytes(*plan). Null: the job uses memory that the calling
  // thread keeps until the thread ends. Scalar code allocates its own memory,
  // O(nodes), in each run.
  UninitializedVector<float>* scratch = nullptr;
  // The machine must support it, see IsSupported.
  FkTarget target = BestFkTarget();

  // INVALID_ARGUMENT if the plan is missing, a number is out of range, a span
  // does not have the size that the other fields imply, or the machine does not
  // support the target.
  absl::Status Validate() const;
  // Writes the outputs. The job must be valid. O(frames x nodes).
  void Run() const;
};

// Solves linear velocities of some frames of a clip, in units of the file per
// second, from the positions p of the frames before and after each one:
//
//   v[f] = (p[f + 1] - p[f - 1]) / (2 * frame_time)
//
// The first and the last frame of the clip use the one neighbour that exists.
// numpy.gradient does the same. The velocity of a clip of one frame is 0.
struct VelocityJob {
  const Plan* plan = nullptr;
  int64_t frames = 0;
  // The rows of the frames, and one row more on each side where the clip has
  // one: rows x plan->columns. Set `has_before` if the first row is the frame
  // before the first frame, and `has_after` if the last row is the frame after
  // the last frame.
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

  // INVALID_ARGUMENT if `plan` or `scratch` is missing, `frame_time` is not
  // above 0, a number is out of range, or a span does not have the size that
  // the other fields imply.
  absl::Status Validate() const;
  // Writes `velocities`. The job must be valid. O(frames x nodes).
  void Run() const;
};

// An upper bound for the scratch memory of a job on `plan`, in bytes: about 1
// KB for a joint and 128 bytes for a channel. O(1).
int64_t FkScratchBytes(const Plan& plan);

// The reference implementation: one frame after the other, in double or single
// precision. Tests compare the vector code with the double precision version.
// job.target has no effect.
template <typename Real>
void SolveReference(const FkJob& job);

}  // namespace bvhmill
