#include "bvhmill/pipeline/workers.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

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

namespace {

// Work, until somebody has it.
struct Job {
  // True once.
  bool Claim() { return !claimed.exchange(true); }

  std::function<void()> work;
  std::atomic<bool> claimed = false;
};

// Threads that wait for each other, but not for long.
class StartupBarrier {
 public:
  explicit StartupBarrier(int threads) : missing_(threads) {}

  void Join() {
    constexpr std::chrono::milliseconds kPatience(100);
    std::unique_lock lock(mutex_);
    if (--missing_ == 0) met_.notify_all();
    met_.wait_for(lock, kPatience, [this] { return missing_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable met_;
  int missing_;
};

}  // namespace

// TBB begins threads when there is work, and is not of use any more once there
// was no memory for one: hence all begin now.
Workers::Workers(int threads)
    : pool_(std::make_unique<Pool>(ThreadsOrCores(threads))) {
  const auto barrier = std::make_shared<StartupBarrier>(this->threads());
  for (int i = 0; i < this->threads(); ++i) {
    Enqueue([barrier] { barrier->Join(); });
  }
}

Workers::~Workers() { Wait(); }

bool Workers::Enqueue(std::function<void()> task) {
  const auto job = std::make_shared<Job>();
  job->work = std::move(task);
  {
    const std::lock_guard lock(pool_->mutex);
    ++pool_->pending;
  }
  try {
    pool_->arena.enqueue([pool = pool_.get(), job] {
      TakeOver();
      if (!job->Claim()) return;
      pool->busy.fetch_add(1, std::memory_order_relaxed);
      job->work();
      pool->busy.fetch_sub(1, std::memory_order_relaxed);
      pool->Done();
    });
    return true;
  } catch (...) {
    // It may be queued nevertheless, and even have run.
    if (!job->Claim()) return true;
  }
  pool_->Done();
  return false;
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
  const auto run = [&] {
    for (int64_t k = next++; k < count; k = next++) task(k);
  };
  bool is_queued = false;
  for (int64_t i = 0; i < runners; ++i) is_queued |= workers.Enqueue(run);
  if (!is_queued) run();
}

}  // namespace bvhmill
