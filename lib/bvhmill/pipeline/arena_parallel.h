#pragma once

// Parallel work on the threads of the TBB arena that the caller runs in.

#include <cstdint>
#include <functional>

#include "bvhmill/base/parallel.h"

namespace bvhmill {

// Takes idle workers of the arena only: where all are busy with other clips, it
// is as good as sequential. Stateless; thread-safe.
class ArenaParallel final : public Parallel {
 public:
  int threads() const override;
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override;
};

}  // namespace bvhmill
