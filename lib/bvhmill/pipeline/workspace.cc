#include "bvhmill/pipeline/workspace.h"

#include <mutex>
#include <utility>

namespace bvhmill {
namespace {

struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Workspace>> free;
};

// Never destroyed: threads may end after static objects do.
Pool& GlobalPool() {
  static Pool& pool = *new Pool;
  return pool;
}

}  // namespace

// The one that was used last, whose memory is nearest.
WorkspaceLease::WorkspaceLease() {
  Pool& pool = GlobalPool();
  const std::scoped_lock lock(pool.mutex);
  if (pool.free.empty()) {
    workspace_ = std::make_unique<Workspace>();
  } else {
    workspace_ = std::move(pool.free.back());
    pool.free.pop_back();
  }
}

WorkspaceLease::~WorkspaceLease() {
  const size_t values = workspace_->read.clip.motion.values.capacity() +
                        workspace_->spare_values.capacity();
  const size_t bytes = values * sizeof(float);
  if (bytes > kMostKeptBytes) return;
  Pool& pool = GlobalPool();
  const std::scoped_lock lock(pool.mutex);
  if (pool.free.size() < kMostKept) pool.free.push_back(std::move(workspace_));
}

}  // namespace bvhmill
