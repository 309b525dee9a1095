#pragma once

// The order in which workers take tasks: callers take turns.

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bvhmill/pipeline/workers.h"

namespace bvhmill::server {

// A queue in front of the workers. A free worker takes one task of the
// next caller that has waiting tasks, however many that caller has. Tasks of
// the two priorities form separate queues, and share the workers by the rule of
// Workers. Thread-safe.
//
// Tasks are not interrupted, so long tasks of one caller could keep all workers
// busy. Hence spare threads, while all workers are busy: if no task of a caller
// runs, and an interactive one has waited for `patience`, a spare thread runs
// it; if no background task runs at all, and one has waited for `patience`, a
// spare thread runs that.
//
// Long tasks take up to seconds, and the caller knows before that they do. They
// have threads of their own, half as many as there are workers, one at least.
// So the system shares the cores: neither kind keeps the other from running.
class FairQueue {
 public:
  struct Options {
    // 0 = as many as the machine has cores.
    int threads = 0;
    int spare_threads = 4;
    std::chrono::milliseconds patience{50};
    // Called if a task throws; std::current_exception() is its exception. Must
    // not throw.
    std::function<void()> on_exception = [] {};
  };

  explicit FairQueue(Options options);
  // Waits until all tasks have run. From here on only tasks may call Enqueue.
  ~FairQueue();
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  // Has a worker run `task` when it is the turn of `caller`. Never blocks for
  // long. Returns false, or throws std::bad_alloc, if the system has no memory
  // for the task: then it never runs.
  bool Enqueue(const std::string& caller, std::function<void()> task,
               Priority priority = Priority::kInteractive);
  // The same for a long task, when it is the turn of `caller` among long tasks.
  // Not for tasks to call. Throws std::bad_alloc if there is no memory for it.
  void EnqueueLong(const std::string& caller, std::function<void()> task);

  // The number of workers, without other threads.
  int threads() const { return workers_.threads(); }
  // The number of tasks that are running, on any thread.
  int busy() const { return busy_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Task {
    std::function<void()> work;
    Clock::time_point queued_at;
  };
  // The tasks of one caller.
  struct Line {
    std::string caller;
    std::deque<Task> waiting;
    int running = 0;
  };
  using Lines = std::list<Line>;
  // The tasks of one priority, or the long ones.
  struct Class {
    Priority priority = Priority::kInteractive;
    // Lines with waiting tasks, in the order of their turns; all other lines.
    Lines waiting;
    Lines resting;
    std::unordered_map<std::string, Lines::iterator> lines;
    // Calls of RunWorker that were given to the workers and have not returned.
    int active_workers = 0;
    // Running tasks, on any thread.
    int running = 0;
  };
  // A line that is due for a spare thread; null: none is.
  struct Overdue {
    Class* tasks = nullptr;
    Lines::iterator line;
  };

  // All of these with the mutex held.
  Class& ClassOf(Priority priority) {
    return classes_[static_cast<size_t>(priority)];
  }
  static Lines::iterator FindOrAdd(Class* tasks, const std::string& caller);
  static Lines::iterator Add(Class* tasks, const std::string& caller,
                             std::function<void()> task);
  bool StartWorker(Class* tasks);
  bool AreWorkersTaken() const;
  bool MustYield(const Class& tasks) const;
  void CallSpare();
  static Task Take(Class* tasks, Lines::iterator line);
  static void Done(Class* tasks, Lines::iterator line);
  bool MayBeOverdue();
  Overdue FindOverdue(Clock::time_point now);
  Clock::time_point NextLook(Clock::time_point now);
  Overdue AwaitOverdue(const std::stop_token& stop,
                       std::unique_lock<std::mutex>* lock);
  // Releases the mutex while the task runs.
  void RunOne(Class* tasks, Lines::iterator line,
              std::unique_lock<std::mutex>* lock);

  void RunWorker(Class* tasks);
  void RunSpare(const std::stop_token& stop);
  void RunLong(const std::stop_token& stop);

  const Options options_;
  std::mutex mutex_;
  // Tells spare threads that tasks wait. One of them then watches the lines.
  std::condition_variable_any backlog_;
  std::condition_variable_any stopped_;
  bool is_watched_ = false;
  // By priority.
  std::array<Class, 2> classes_;
  Class long_tasks_;
  std::condition_variable_any has_long_;
  std::atomic<int> busy_{0};
  Workers workers_;
  std::vector<std::jthread> spares_;
  std::vector<std::jthread> long_threads_;
};

}  // namespace bvhmill::server
