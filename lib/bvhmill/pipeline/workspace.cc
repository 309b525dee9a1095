#include "bvhmill/pipeline/workspace.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace bvhmill {
namespace {

struct Pool {
  Pool() { free.reserve(WorkspaceLease::kMaxKept); }

  std::mutex mutex;
  std::vector<std::unique_ptr<Workspace>> free;
  // Of all that are free.
  size_t bytes = 0;
};

// Never destroyed: threads may end after static objects do.
Pool& GlobalPool() {
  static Pool& pool = *new Pool;
  return pool;
}

}  // namespace

void Workspace::BeginTiles(int threads) {
  tiles.resize(std::max(tiles.size(), static_cast<size_t>(threads)));
  for (TileBuffers& buffers : tiles) buffers.solve = buffers.encode = {};
}

size_t Workspace::KeptBytes() const {
  size_t floats = read.clip.motion.values.capacity() + spare_values.capacity();
  for (const TileBuffers& buffers : tiles) {
    floats += buffers.positions.capacity() + buffers.scratch.capacity();
    for (const auto& array : buffers.arrays) floats += array.capacity();
  }
  for (const auto& tile : reader.tiles) floats += tile.capacity();
  return floats * sizeof(float) + stage.KeptBytes();
}

// The one that was used last, whose memory is nearest.
WorkspaceLease::WorkspaceLease() {
  Pool& pool = GlobalPool();
  const std::scoped_lock lock(pool.mutex);
  if (pool.free.empty()) {
    workspace_ = std::make_unique<Workspace>();
    return;
  }
  workspace_ = std::move(pool.free.back());
  pool.free.pop_back();
  pool.bytes -= workspace_->KeptBytes();
}

WorkspaceLease::~WorkspaceLease() {
  if (!is_whole_ || std::uncaught_exceptions() > exceptions_) return;
  // What is good for one clip only may be large, and has had it.
  if (workspace_->rig.id == 0) workspace_->rig = {};
  if (SkeletonBytes(workspace_->read.clip.skeleton) > kMaxSkeletonBytes) {
    return;
  }
  const size_t bytes = workspace_->KeptBytes();
  Pool& pool = GlobalPool();
  const std::scoped_lock lock(pool.mutex);
  if (pool.free.size() == kMaxKept || pool.bytes + bytes > kMaxKeptBytes) {
    return;
  }
  pool.bytes += bytes;
  pool.free.push_back(std::move(workspace_));
}

}  // namespace bvhmill
