// The threads of a conversion, by TBB.

#include <sys/types.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "bvhmill/base/parallel.h"
#include "bvhmill/pipeline/internal/converter_state.h"

namespace bvhmill {
namespace {

// Isolated: a thread that waits must not begin another clip, which would delay
// this one.
void RunIsolated(int64_t tasks, const std::function<void(int64_t)>& task) {
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(int64_t{0}, tasks, task, tbb::simple_partitioner());
  });
}

// An arena of its own. After a fork, the threads of the arena do not exist in
// the child: the calling thread then works alone. One call at a time.
class OwnArena final : public Parallel {
 public:
  explicit OwnArena(int threads)
      : arena_(threads), threads_(threads), process_(getpid()) {}

  int threads() const override { return is_forked() ? 1 : threads_; }
  void Run(int64_t tasks, const std::function<void(int64_t)>& task) override {
    if (is_forked()) return OneThread().Run(tasks, task);
    arena_.execute([&] { RunIsolated(tasks, task); });
  }

 private:
  bool is_forked() const { return getpid() != process_; }

  tbb::task_arena arena_;
  const int threads_;
  const pid_t process_;
};

}  // namespace

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
  return std::make_unique<OneThread>();
}

int ArenaParallel::threads() const {
  return tbb::this_task_arena::max_concurrency();
}

void ArenaParallel::Run(int64_t tasks,
                        const std::function<void(int64_t)>& task) {
  RunIsolated(tasks, task);
}

}  // namespace bvhmill
