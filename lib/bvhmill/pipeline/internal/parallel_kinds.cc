#include "bvhmill/pipeline/internal/parallel_kinds.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>

namespace bvhmill {
namespace {

// Isolated: while this thread waits, it must not begin another clip, which
// would hold up this one.
void RunIsolated(int64_t tasks, const std::function<void(int64_t)>& task) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(int64_t{0}, tasks, task, tbb::simple_partitioner());
  });
}

}  // namespace

int ArenaParallel::threads() const {
  return tbb::this_task_arena::max_concurrency();
}

void ArenaParallel::Run(int64_t tasks,
                        const std::function<void(int64_t)>& task) {
  RunIsolated(tasks, task);
}

OwnArena::OwnArena(int threads)
    : arena_(threads), threads_(threads), process_(getpid()) {}

bool OwnArena::is_forked() const { return getpid() != process_; }

int OwnArena::threads() const { return is_forked() ? 1 : threads_; }

void OwnArena::Run(int64_t tasks, const std::function<void(int64_t)>& task) {
  if (is_forked()) return NoParallel().Run(tasks, task);
  arena_.execute([&] { RunIsolated(tasks, task); });
}

std::unique_ptr<Parallel> MakeParallel(const Parallelism& parallelism) {
  switch (parallelism.kind()) {
    case Parallelism::Kind::kNone:
      break;
    case Parallelism::Kind::kThreads: {
      const int threads = parallelism.threads() > 0
                              ? parallelism.threads()
                              : tbb::info::default_concurrency();
      if (threads > 1) return std::make_unique<OwnArena>(threads);
      break;
    }
    case Parallelism::Kind::kCallersPool:
      return std::make_unique<ArenaParallel>();
  }
  return std::make_unique<NoParallel>();
}

}  // namespace bvhmill
