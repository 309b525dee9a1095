#pragma once

// The large buffers of a conversion, kept from clip to clip. Private to
// pipeline/.

#include <exception>
#include <memory>
#include <vector>

#include "bvhmill/bvh/hierarchy/hierarchy_cache.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/tile_reader.h"
#include "bvhmill/pipeline/compiled_skeleton.h"
#include "bvhmill/pipeline/output_stage.h"
#include "bvhmill/validate/row_samples.h"

namespace bvhmill {

struct Workspace {
  ParsedClip read;
  HierarchyCache cache;
  SkeletonCompiler compiler;
  // The clip that is edited, or that is encoded as a whole.
  Clip clip;
  TileWorkspace reader;
  RowSamples samples;
  OutputStage stage;
  // Memory for the rows of an edited clip; its bytes mean nothing.
  UninitializedVector<float> spare_values;
  // One for each thread.
  std::vector<TileBuffers> tiles;

  // Makes buffers for so many threads ready for another clip.
  void BeginTiles(int threads);
  // Forgets the skeleton of the previous clip, unless the cache has it.
  void ReleaseSkeleton();
  // Bytes of the largest skeleton that the next clip would find here.
  int64_t SkeletonBytesKept() const;
  // Bytes of all that grows with clips.
  size_t KeptBytes() const;
};

// A workspace of its own for a conversion, from a pool that the whole process
// shares, so that a batch of clips takes its memory once. What would make those
// that nobody uses more than kMaxKept, or their memory more than
// kMaxKeptBytes, is not kept. Thread-safe.
class WorkspaceLease {
 public:
  static constexpr size_t kMaxKeptBytes = size_t{128} << 20;
  static constexpr size_t kMaxKept = 8;
  // One that has read a larger skeleton is not kept: its joints and their names
  // take memory in many small pieces.
  static constexpr int64_t kMaxSkeletonBytes = int64_t{1} << 20;

  WorkspaceLease();
  ~WorkspaceLease();
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;

  // What an exception has left half done is not kept either: one that ends the
  // life of the lease, or of a Use.
  class Use {
   public:
    explicit Use(WorkspaceLease* lease) : lease_(*lease) {}
    ~Use() {
      if (std::uncaught_exceptions() > exceptions_) lease_.is_whole_ = false;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    WorkspaceLease& lease_;
    int exceptions_ = std::uncaught_exceptions();
  };

  Workspace* operator->() const { return workspace_.get(); }
  Workspace& operator*() const { return *workspace_; }

 private:
  std::unique_ptr<Workspace> workspace_;
  bool is_whole_ = true;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace bvhmill
