#pragma once

// The memory of conversions, kept from clip to clip. Private to pipeline/.

#include <cstdint>

#include "bvhmill/bvh/hierarchy/hierarchy_cache.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/encode/poses.h"
#include "bvhmill/kinematics/plan.h"
#include "bvhmill/pipeline/internal/check_clip.h"
#include "bvhmill/pipeline/internal/compiled_skeleton.h"

namespace bvhmill {

// One clip at a time.
struct Workspace {
  // The clip as it was read.
  ParsedClip read;
  HierarchyCache cache;
  SkeletonCompiler compiler;
  CheckMemory check;
  // The clip that is edited and encoded, and the plan of its skeleton if it was
  // edited.
  Clip clip;
  Plan edited_plan;
  PoseWorkspace poses;
  // Memory for the rows of an edited clip; its bytes mean nothing.
  UninitializedVector<float> spare_values;

  // Drops the previous clip, and its skeleton unless the cache has it.
  void ReleaseClip();
  // Bytes of the largest skeleton that the next clip would find here.
  int64_t SkeletonBytesKept() const;
  // Bytes of all that grows with clips.
  size_t KeptBytes() const;
};

}  // namespace bvhmill
