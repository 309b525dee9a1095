#pragma once

// Forward kinematics: every joint of every frame.
//
//   M_j = M_parent * T(t_j) * R_j
//
// with t_j the offset or position of the joint, and R_j the product of its
// rotation channels in file order, first outermost.

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "bvhmill/kinematics/plan.h"

namespace bvhmill {

// Plain inputs and outputs; owns nothing and allocates only a scratch of one
// pose. Any number of jobs may run at once on one plan.
struct FkJob {
  const Plan* plan = nullptr;
  int64_t frames = 0;
  // frames x plan->columns, as read.
  std::span<const float> values;
  // Whether the outputs have rows for end sites, in their place of the
  // depth-first order.
  bool with_end_sites = false;
  // Outputs; each is skipped if empty. World positions, frames x rows x 3, in
  // the units of the file.
  std::span<float> positions;
  // World and local rotations as unit quaternions xyzw with w >= 0,
  // frames x rows x 4. An end site has the rotation of its parent in the world
  // and no rotation of its own.
  std::span<float> world_rotations;
  std::span<float> local_rotations;

  // INVALID_ARGUMENT if a span does not have the size that the others imply.
  absl::Status Validate() const;
  // Solves. The job must be valid. O(frames x nodes).
  void Run() const;
};

// The reference: one frame after the other, in double or single precision.
// Every faster path is compared with it.
template <typename Real>
void SolveReference(const FkJob& job);

}  // namespace bvhmill
