#pragma once

// The large buffers of a conversion, kept from clip to clip. Private to
// pipeline/.

#include <chrono>
#include <memory>
#include <vector>

#include "bvhmill/base/uninitialized.h"
#include "bvhmill/bvh/reader.h"

namespace bvhmill {

// The arrays of one tile, and how long its thread took for them.
struct TileBuffers {
  UninitializedVector<float> joint_positions;
  UninitializedVector<float> node_positions;
  UninitializedVector<float> local_rotations;
  std::chrono::nanoseconds solve{};
  std::chrono::nanoseconds encode{};
};

struct Workspace {
  ReadResult read;
  // Memory for the rows of an edited clip; its bytes mean nothing.
  UninitializedVector<float> spare_values;
  // One for each thread.
  std::vector<TileBuffers> tiles;
};

// A workspace of its own for a conversion, from a pool that the whole process
// shares, so that a batch of clips takes its memory once. Workspaces with
// matrices of more than kMostKeptBytes, and more than kMostKept of them, are
// not kept. Thread-safe.
class WorkspaceLease {
 public:
  static constexpr size_t kMostKeptBytes = size_t{64} << 20;
  static constexpr size_t kMostKept = 8;

  WorkspaceLease();
  ~WorkspaceLease();
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;

  Workspace* operator->() const { return workspace_.get(); }
  Workspace& operator*() const { return *workspace_; }

 private:
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace bvhmill
