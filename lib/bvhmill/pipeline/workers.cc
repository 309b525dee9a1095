#include "bvhmill/pipeline/workers.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#ifdef __SANITIZE_THREAD__
extern "C" {
void __tsan_acquire(void* address);
// The tests release it where they pass a task to TBB.
char bvhmill_handed_over;
}
#endif

namespace bvhmill {
namespace {

// TBB is built without the thread sanitizer, which does not see that a task
// moves from one thread to another.
#ifdef __SANITIZE_THREAD__
void TakeOver() { __tsan_acquire(&bvhmill_handed_over); }
#else
void TakeOver() {}
#endif

int ThreadsOrCores(int threads) {
  return threads > 0 ? threads : tbb::info::default_concurrency();
}

using Task = std::function<void()>;

// A task that waits, and its unique number.
struct Waiting {
  Task task;
  int64_t number;
};

// The tasks of a pool. Shared with the calls in TBB, which may outlive the
// pool.
class TaskQueue {
 public:
  // Returns the number of the task.
  int64_t Add(Task task, Priority priority);
  // Removes a task whose call could not be enqueued. False if it has started.
  bool Withdraw(int64_t number, Priority priority);
  // Runs the next task, if one waits.
  void RunNext();
  void Wait();

  int busy() const { return busy_.load(std::memory_order_relaxed); }
  bool has_waiting(Priority priority) const {
    const auto& count = counts_[static_cast<size_t>(priority)];
    return count.load(std::memory_order_relaxed) > 0;
  }

 private:
  std::deque<Waiting>& QueueOf(Priority priority) {
    return queues_[static_cast<size_t>(priority)];
  }
  void CountWaiting();
  bool Take(Task* task);
  void RunOne(std::unique_lock<std::mutex>* lock);
  void RunOrphans(std::unique_lock<std::mutex>* lock);

  std::mutex mutex_;
  std::condition_variable idle_;
  // The queues by priority, and their lengths.
  std::array<std::deque<Waiting>, 2> queues_;
  std::array<std::atomic<size_t>, 2> counts_ = {};
  int64_t last_number_ = 0;
  int interactive_in_row_ = 0;
  // Waiting tasks that have no call of RunNext: see Withdraw.
  int64_t orphans_ = 0;
  // Tasks that wait or run.
  int64_t pending_ = 0;
  std::atomic<int> busy_ = 0;
};

// Requires that the mutex is locked. Call after each change of a queue.
void TaskQueue::CountWaiting() {
  for (size_t i = 0; i < queues_.size(); ++i) {
    counts_[i].store(queues_[i].size(), std::memory_order_relaxed);
  }
}

int64_t TaskQueue::Add(Task task, Priority priority) {
  const std::lock_guard lock(mutex_);
  QueueOf(priority).push_back({std::move(task), last_number_ + 1});
  ++pending_;
  CountWaiting();
  return ++last_number_;
}

bool TaskQueue::Withdraw(int64_t number, Priority priority) {
  const std::lock_guard lock(mutex_);
  std::deque<Waiting>& queue = QueueOf(priority);
  const auto found = std::find_if(
      queue.begin(), queue.end(),
      [number](const Waiting& entry) { return entry.number == number; });
  if (found == queue.end()) {
    // The call of another task has run it, so one call is missing.
    ++orphans_;
    return false;
  }
  queue.erase(found);
  if (--pending_ == 0) idle_.notify_all();
  CountWaiting();
  return true;
}

// Removes the next task by the rule of Workers. Requires that the mutex is
// locked.
bool TaskQueue::Take(Task* task) {
  std::deque<Waiting>& interactive = QueueOf(Priority::kInteractive);
  std::deque<Waiting>& background = QueueOf(Priority::kBackground);
  const bool is_turn_of_background =
      interactive.empty() || interactive_in_row_ >= Workers::kInteractiveInRow;
  const bool takes_background = !background.empty() && is_turn_of_background;
  std::deque<Waiting>& queue = takes_background ? background : interactive;
  if (queue.empty()) return false;
  interactive_in_row_ =
      takes_background || background.empty() ? 0 : interactive_in_row_ + 1;
  *task = std::move(queue.front().task);
  queue.pop_front();
  CountWaiting();
  return true;
}

// Unlocks the mutex while the task runs.
void TaskQueue::RunOne(std::unique_lock<std::mutex>* lock) {
  Task task;
  if (!Take(&task)) return;
  lock->unlock();
  busy_.fetch_add(1, std::memory_order_relaxed);
  task();
  // The task frees its data before it counts as done.
  task = nullptr;
  busy_.fetch_sub(1, std::memory_order_relaxed);
  lock->lock();
  if (--pending_ == 0) idle_.notify_all();
}

void TaskQueue::RunOrphans(std::unique_lock<std::mutex>* lock) {
  while (orphans_ > 0) {
    --orphans_;
    RunOne(lock);
  }
}

void TaskQueue::RunNext() {
  std::unique_lock lock(mutex_);
  RunOne(&lock);
  RunOrphans(&lock);
}

void TaskQueue::Wait() {
  std::unique_lock lock(mutex_);
  RunOrphans(&lock);
  idle_.wait(lock, [this] { return pending_ == 0; });
}

}  // namespace

struct Workers::Pool {
  // TBB runs enqueued work on its own threads: one fewer than the allowed
  // parallelism. Hence the limit is one higher, and no slot is reserved for
  // callers.
  explicit Pool(int threads)
      : control(tbb::global_control::max_allowed_parallelism,
                static_cast<size_t>(threads) + 1),
        arena(threads, /*reserved_for_masters=*/0) {}

  tbb::global_control control;
  tbb::task_arena arena;
  const std::shared_ptr<TaskQueue> tasks = std::make_shared<TaskQueue>();
};

namespace {

// Lets threads wait for each other, up to a timeout.
class StartupBarrier {
 public:
  explicit StartupBarrier(int threads) : missing_(threads) {}

  void Join() {
    constexpr std::chrono::milliseconds kTimeout(100);
    std::unique_lock lock(mutex_);
    if (--missing_ == 0) met_.notify_all();
    met_.wait_for(lock, kTimeout, [this] { return missing_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable met_;
  int missing_;
};

}  // namespace

// TBB starts its threads when work arrives, and becomes unusable if there is no
// memory for one. Hence the constructor makes all threads start.
Workers::Workers(int threads)
    : pool_(std::make_unique<Pool>(ThreadsOrCores(threads))) {
  const auto barrier = std::make_shared<StartupBarrier>(this->threads());
  for (int i = 0; i < this->threads(); ++i) {
    Enqueue([barrier] { barrier->Join(); });
  }
}

Workers::~Workers() { Wait(); }

// Each waiting task has one call of RunNext in the arena.
bool Workers::Enqueue(std::function<void()> task, Priority priority) {
  const int64_t number = pool_->tasks->Add(std::move(task), priority);
  try {
    pool_->arena.enqueue([tasks = pool_->tasks] {
      TakeOver();
      tasks->RunNext();
    });
    return true;
  } catch (...) {
    // TBB may still make the call, which then finds one task fewer.
    return !pool_->tasks->Withdraw(number, priority);
  }
}

void Workers::Wait() { pool_->tasks->Wait(); }

bool Workers::has_waiting(Priority priority) const {
  return pool_->tasks->has_waiting(priority);
}

int Workers::threads() const { return pool_->arena.max_concurrency(); }

int Workers::busy() const { return pool_->tasks->busy(); }

void RunBatch(int64_t count, int threads,
              const std::function<void(int64_t)>& task) {
  std::atomic<int64_t> next = 0;
  const auto run = [&] {
    for (int64_t k = next++; k < count; k = next++) task(k);
  };
  // Declared last: its destructor waits for the calls of `run`, which use
  // `next`.
  Workers workers(threads);
  const int64_t runners = std::min<int64_t>(count, workers.threads());
  bool is_queued = false;
  for (int64_t i = 0; i < runners; ++i) is_queued |= workers.Enqueue(run);
  if (!is_queued) run();
}

}  // namespace bvhmill
