#pragma once

// The data derived from a skeleton. Clips that share a skeleton share it.
// Private to pipeline/.

#include <memory>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/validate/skeleton_facts.h"

namespace bvhmill {

// Immutable. The pointer is the identity, as with SharedSkeleton.
struct CompiledSkeleton {
  // It is compiled from this one, and keeps it.
  SharedSkeleton source;
  // Facts that the rules of validate/ find in the skeleton.
  SkeletonFacts facts;
  // The description of a clip without frames.
  ClipInfo info;
  // The plan for `conventions`; empty if none was asked for.
  bool has_plan = false;
  Conventions conventions;
  Plan plan;
  // The plan of facts.landmarks.nodes, for `conventions`.
  Plan landmark_plan;
};

// Compiles skeletons and keeps the last one. Not thread-safe.
class SkeletonCompiler {
 public:
  // The compiled form of `source`; with a plan by `conventions` if
  // `needs_plan`. Cost: none if it is the one that was made last; else O(n log
  // n) for n nodes.
  std::shared_ptr<const CompiledSkeleton> Compile(
      const SharedSkeleton& source, bool needs_plan,
      const Conventions& conventions);
  // Forgets the last one unless it was compiled from `source`.
  void KeepOnly(const SharedSkeleton& source);
  // The last one; may be null.
  const CompiledSkeleton* last() const { return last_.get(); }

 private:
  std::shared_ptr<const CompiledSkeleton> last_;
};

// Makes `info` the description of a clip with this skeleton.
void DescribeClip(const CompiledSkeleton& skeleton, int64_t frames,
                  double frame_time, ClipInfo* info);

}  // namespace bvhmill
