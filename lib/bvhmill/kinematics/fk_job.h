#pragma once

// Forward kinematics: solves the pose of every joint in every frame,
//
//   M_j = M_parent * T(t_j) * R_j
//
// where t_j is the offset or position of joint j, and R_j the product of its
// rotation channels in file order, the first outermost.

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/kinematics/pose_array.h"

namespace bvhmill {

// Skeletons deeper than this are solved by scalar code, even if the target is a
// vector one: errors of vector code grow with the depth.
inline constexpr int32_t kMaxVectorDepth = 100;

// The implementation that solves the poses: scalar code in double precision, or
// vectors of frames in single precision, with vectors of 16 bytes (SSE4.1 or
// NEON), AVX2 or AVX-512. With vectors, the error of a position is at most 1e-6
// times the largest coordinate of its frame, and the error of an entry of a
// rotation is at most 4e-6.
enum class FkTarget { kReference, kVector128, kAvx2, kAvx512 };

// "reference", "vector128", "avx2", "avx512".
std::string_view FkTargetName(FkTarget target);
// True if this machine can run `target`.
bool IsSupported(FkTarget target);
// The fastest supported target. Cheap: it is determined once.
FkTarget BestFkTarget();

// An upper bound for the scratch memory of a job on `plan`, in bytes: about 1
// KB for a joint and 128 bytes for a channel. O(1).
int64_t FkScratchBytes(const Plan& plan);

// A job: plain inputs and outputs. It owns nothing, and works in buffers of a
// few frames. Any number of jobs may run at once on one plan if each has its
// own scratch:
//
//   FkJob job;
//   job.plan = &plan;
//   job.frames = frames;
//   job.values = values;
//   job.positions = positions;  // frames x joints x 3
//   BVHMILL_RETURN_IF_ERROR(job.Validate());
//   job.Run();
struct FkJob {
  const Plan* plan = nullptr;
  int64_t frames = 0;
  // (frames - 1) * row_step + 1 rows of plan->columns values: angles in
  // degrees, lengths in the unit of the clip. None if `frames` is 0. The job
  // solves every `row_step`th row, the first and the last one included.
  std::span<const float> values;
  int64_t row_step = 1;
  // True if the outputs have rows for end sites, in depth-first order between
  // the joints.
  bool with_end_sites = false;
  TensorLayout layout = TensorLayout::kFrameMajor;
  RotationKind rotation_kind = RotationKind::kQuaternion;
  // The outputs are arrays of `array_frames` frames; 0: of `frames`. The job
  // writes `frames` of them, from `first_frame` on. Jobs that write other
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
  // Memory that vector targets work in. The caller keeps it from job to job; it
  // grows to FkScratchBytes(*plan). Null: memory that the thread keeps until it
  // ends. Scalar code takes memory of its own, O(nodes), for each run.
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

// The reference implementation: one frame after the other, in double or single
// precision. Every faster implementation is compared with it in double
// precision.
template <typename Real>
void SolveReference(const FkJob& job);

}  // namespace bvhmill
