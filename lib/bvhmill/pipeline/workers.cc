#include "bvhmill/pipeline/workers.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/cleanup/cleanup.h"

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_acquire(void* address);
// Released wherever TBB is given a task, by the tests.
char bvhmill_handed_over;
}
#endif

namespace bvhmill {
namespace {

// The thread sanitizer does not see how TBB, which is built without it, hands a
// task from one thread to another.
#ifdef __SANITIZE_THREAD__
void TakeOver() { __tsan_acquire(&bvhmill_handed_over); }
#else
void TakeOver() {}
#endif

int ThreadsOrCores(int threads) {
  return threads > 0 ? threads : tbb::info::default_concurrency();
}

}  // namespace

struct Workers::Pool {
  // Enqueued work is done by TBB's own workers, of which there is one fewer
  // than the parallelism allowed; hence one more, and no slot for a caller.
  explicit Pool(int threads)
      : control(tbb::global_control::max_allowed_parallelism,
                static_cast<size_t>(threads) + 1),
        arena(threads, /*reserved_for_masters=*/0) {}

  void Done() {
    const std::lock_guard lock(mutex);
    if (--pending == 0) idle.notify_all();
  }

  tbb::global_control control;
  tbb::task_arena arena;
  std::mutex mutex;
  std::condition_variable idle;
  int64_t pending = 0;
  std::atomic<int> busy = 0;
};

Workers::Workers(int threads)
    : pool_(std::make_unique<Pool>(ThreadsOrCores(threads))) {}

Workers::~Workers() { Wait(); }

void Workers::Enqueue(std::function<void()> task) {
  {
    const std::lock_guard lock(pool_->mutex);
    ++pool_->pending;
  }
  absl::Cleanup not_queued = [this] { pool_->Done(); };
  pool_->arena.enqueue([pool = pool_.get(), task = std::move(task)] {
    TakeOver();
    pool->busy.fetch_add(1, std::memory_order_relaxed);
    task();
    pool->busy.fetch_sub(1, std::memory_order_relaxed);
    pool->Done();
  });
  std::move(not_queued).Cancel();
}

void Workers::Wait() {
  std::unique_lock lock(pool_->mutex);
  pool_->idle.wait(lock, [this] { return pool_->pending == 0; });
}

int Workers::threads() const { return pool_->arena.max_concurrency(); }

int Workers::busy() const {
  return pool_->busy.load(std::memory_order_relaxed);
}

void RunBatch(int64_t count, int threads,
              const std::function<void(int64_t)>& task) {
  Workers workers(threads);
  std::atomic<int64_t> next = 0;
  const int64_t runners = std::min<int64_t>(count, workers.threads());
  for (int64_t i = 0; i < runners; ++i) {
    workers.Enqueue([&] {
      for (int64_t k = next++; k < count; k = next++) task(k);
    });
  }
}

}  // namespace bvhmill
