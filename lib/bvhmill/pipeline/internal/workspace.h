#pragma once

// The memory of conversions, kept from clip to clip. Private to pipeline/.

#include <cstdint>
#include <vector>

#include "bvhmill/bvh/hierarchy/hierarchy_cache.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/tile_reader.h"
#include "bvhmill/pipeline/internal/compiled_skeleton.h"
#include "bvhmill/pipeline/internal/outputs/output_stage.h"
#include "bvhmill/pipeline/internal/rows/row_observers.h"

namespace bvhmill {

// One clip at a time.
struct Workspace {
  ParsedClip read;
  HierarchyCache cache;
  SkeletonCompiler compiler;
  // The clip that is edited, or that is encoded as a whole.
  Clip clip;
  TileWorkspace reader;
  RowObservers observers;
  OutputStage stage;
  // Memory for the rows of an edited clip; its bytes mean nothing.
  UninitializedVector<float> spare_values;
  // One for each thread.
  std::vector<TileBuffers> tiles;

  // Makes the buffers of `threads` threads ready for another clip.
  void BeginTiles(int threads);
  // Forgets the skeleton of the previous clip, unless the cache has it.
  void ReleaseSkeleton();
  // Bytes of the largest skeleton that the next clip would find here.
  int64_t SkeletonBytesKept() const;
  // Bytes of all that grows with clips.
  size_t KeptBytes() const;
};

}  // namespace bvhmill
