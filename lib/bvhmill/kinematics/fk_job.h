#pragma once

// Forward kinematics: every joint of every frame.
//
//   M_j = M_parent * T(t_j) * R_j
//
// with t_j the offset or position of the joint, and R_j the product of its
// rotation channels in file order, first outermost.

#include <cstdint>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/kinematics/pose_array.h"

namespace bvhmill {

// Who does the work: plain code in double precision, or vectors of frames in
// single precision, of 16 bytes (SSE4.1 or NEON), AVX2 or AVX-512. By vectors,
// positions are within 1e-6 of the largest coordinate of a frame, and entries
// of rotations within 4e-6. Errors grow with the depth of a skeleton, so one
// that is deeper than kMaxVectorDepth is left to the plain code.
inline constexpr int32_t kMaxVectorDepth = 100;
enum class FkTarget { kReference, kVector128, kAvx2, kAvx512 };

// "reference", "vector128", "avx2", "avx512".
std::string_view FkTargetName(FkTarget target);
// Whether this machine can run it.
bool IsSupported(FkTarget target);
// The fastest that is supported. Cheap: found out once.
FkTarget BestFkTarget();

// The most memory that a job on `plan` works in, in bytes: about 1 KB for a
// joint and 128 bytes for a channel. O(1).
int64_t FkScratchBytes(const Plan& plan);

// Plain inputs and outputs; owns nothing. Works in buffers of a few frames. Any
// number of jobs may run at once on one plan, each with a scratch of its own.
struct FkJob {
  const Plan* plan = nullptr;
  int64_t frames = 0;
  // frames x plan->columns, as read.
  std::span<const float> values;
  // Whether the outputs have rows for end sites, in their place of the
  // depth-first order.
  bool with_end_sites = false;
  TensorLayout layout = TensorLayout::kFrameMajor;
  RotationKind rotation_kind = RotationKind::kQuaternion;
  // The outputs are arrays of so many frames, of which this job writes those
  // from `first_frame` on: jobs that write others of them may run at once. 0:
  // of `frames`.
  int64_t array_frames = 0;
  int64_t first_frame = 0;
  // Outputs; each is skipped if empty. World positions, 3 components, in the
  // units of the file.
  std::span<float> positions;
  // World and local rotations, components as `rotation_kind` says. An end site
  // has the rotation of its parent in the world and no rotation of its own.
  std::span<float> world_rotations;
  std::span<float> local_rotations;
  // What the job works in, kept by the caller from job to job: it grows to
  // FkScratchBytes(*plan). Null: memory that the thread keeps until it ends.
  UninitializedVector<float>* scratch = nullptr;
  // Must be supported.
  FkTarget target = BestFkTarget();

  // INVALID_ARGUMENT if a span does not have the size that the others imply.
  absl::Status Validate() const;
  // Solves. The job must be valid. O(frames x nodes).
  void Run() const;
};

// The reference: one frame after the other, in double or single precision.
// Every faster path is compared with the one in double precision.
template <typename Real>
void SolveReference(const FkJob& job);

}  // namespace bvhmill
