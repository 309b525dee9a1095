#include "bvhmill/pipeline/internal/workspace.h"

#include <algorithm>

namespace bvhmill {

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
    floats += buffers.positions.capacity() + buffers.observed.capacity() +
              buffers.scratch.capacity();
    for (const auto& array : buffers.arrays) floats += array.capacity();
  }
  for (const auto& tile : reader.tiles) floats += tile.capacity();
  return floats * sizeof(float) + stage.KeptBytes() + observers.KeptBytes();
}

}  // namespace bvhmill
