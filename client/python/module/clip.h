#pragma once

// A clip in the memory of Python, and the arrays that are solved from it.

#include <cstdint>
#include <memory>
#include <string>

#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/pipeline/convert.h"
#include "client/python/module/block.h"
#include "client/python/module/conversion.h"
#include "client/python/module/gil.h"
#include "client/python/module/python_values.h"

namespace bvhmill::python {

// A clip: its skeleton and its rows. Immutable. A slice shares both.
struct ClipHandle {
  SharedSkeleton skeleton;
  // float32 (frames of the block, channels); null if rows were not kept.
  std::shared_ptr<Block> rows;
  int64_t first_frame = 0;
  int64_t frames = 0;
  double frame_time = 0;
  Conventions conventions;

  // Throws std::logic_error if rows were not kept.
  ClipRows Rows() const;
};

// The arrays of ClipHandle: kind is "positions", "velocities", "rotations" or
// "world_rotations"; rotation is "quaternion", "matrix" or "6d".
struct SolveRequest {
  std::string kind;
  RotationKind rotation = RotationKind::kQuaternion;
  bool end_sites = false;
};

// Solves one array, in the calling thread. The result is bit-equal to an array
// that is solved while the clip is read. If `interrupts` cancels, the result is
// incomplete.
std::shared_ptr<Block> Solve(const ClipHandle& clip,
                             const SolveRequest& request,
                             Interrupts* interrupts);

// The parts of a skeleton that Python code passes, one entry a node.
struct NodeParts {
  std::string name;
  int32_t parent = -1;
  bool end_site = false;
  std::array<float, 3> offset = {};
  // As JointInfo::channels.
  std::string channels;
};

// Throws std::invalid_argument if the nodes are not a skeleton: a parent that
// does not stand before its child, an end site with children, an unknown
// letter. Unless `was_read`, also for what a file may have, but a new skeleton
// should not: an offset that is not finite, a name that BVH cannot hold.
SharedSkeleton SkeletonOf(const std::vector<NodeParts>& nodes, bool was_read);
std::vector<NodeParts> PartsOf(const Skeleton& skeleton);

}  // namespace bvhmill::python
