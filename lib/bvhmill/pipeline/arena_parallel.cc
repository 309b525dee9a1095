#include "bvhmill/pipeline/arena_parallel.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace bvhmill {

int ArenaParallel::threads() const {
  return tbb::this_task_arena::max_concurrency();
}

void ArenaParallel::Run(int64_t tasks,
                        const std::function<void(int64_t)>& task) {
  // Isolated: while it waits, this thread must not begin another clip, which
  // would hold up this one.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(int64_t{0}, tasks, task, tbb::simple_partitioner());
  });
}

}  // namespace bvhmill
