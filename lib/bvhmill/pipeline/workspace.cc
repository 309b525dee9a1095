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

void Workspace::ReleaseSkeleton() {
  read.source.reset();
  compiler.KeepOnly(cache.source);
}

int64_t Workspace::SkeletonBytesKept() const {
  const SourceSkeleton* last = read.room.shared.get();
  return std::max(SkeletonBytes(clip.skeleton),
                  last == nullptr ? 0 : SkeletonBytes(last->skeleton));
}

size_t Workspace::KeptBytes() const {
  size_t floats = read.motion.values.capacity() +
                  clip.motion.values.capacity() + spare_values.capacity();
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
  workspace_->ReleaseSkeleton();
  if (workspace_->SkeletonBytesKept() > kMaxSkeletonBytes) return;
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
