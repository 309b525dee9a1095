#include "bvhmill/pipeline/internal/workspace.h"

#include <algorithm>

namespace bvhmill {

void Workspace::ReleaseClip() {
  MakeEmpty(&read);
  compiler.KeepOnly(cache.source);
}

int64_t Workspace::SkeletonBytesKept() const {
  const SourceSkeleton* last = read.room.shared.get();
  return std::max(SkeletonBytes(clip.skeleton),
                  last == nullptr ? 0 : SkeletonBytes(last->skeleton));
}

size_t Workspace::KeptBytes() const {
  const size_t floats = read.motion.values.capacity() +
                        clip.motion.values.capacity() + spare_values.capacity();
  return floats * sizeof(float) + poses.KeptBytes() + check.KeptBytes();
}

}  // namespace bvhmill
