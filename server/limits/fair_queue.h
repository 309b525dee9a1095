#pragma once

// A queue in front of the workers in which callers take turns: a free worker
// takes one task of the next caller that has waiting tasks, however many tasks
// that caller has.
//
//   FairQueue queue({.threads = 4});
//   queue.Enqueue("alice", [] { ... });
//   queue.Enqueue("alice", [] { ... }, Priority::kBackground);
//   queue.EnqueueLong("bob", [] { ... });

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

// Tasks of the two priorities form separate queues, and share the workers by
// the rule of Workers. Thread-safe.
//
// Spare threads. Tasks are not interrupted, so long tasks of one caller could
// occupy all workers. While all workers are busy, a spare thread runs
//   - the interactive task of a caller that has waited for `timeout`, if no
//     task of that caller runs,
//   - the background task that has waited for `timeout`, if no background task
//     runs at all.
//
// Long tasks are those of which the caller knows that they take up to seconds.
// They run in threads of their own, half as many as there are workers, at least
// one. The system shares the cores between both kinds of threads.
class FairQueue {
 public:
  struct Options {
    // 0 = as many as the machine has cores.
    int threads = 0;
    int spare_threads = 4;
    std::chrono::milliseconds timeout{50};
    // Called if a task throws; std::current_exception() is its exception. Must
    // not throw.
    std::function<void()> on_exception = [] {};
  };

  explicit FairQueue(Options options);
  // Waits until all tasks have run. Meanwhile only tasks may call Enqueue.
  ~FairQueue();
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  // A worker will run `task` when it is the turn of `caller`. Never blocks for
  // long. Returns false, or throws std::bad_alloc, if the system has no memory
  // for the task; the task then never runs.
  bool Enqueue(const std::string& caller, std::function<void()> task,
               Priority priority = Priority::kInteractive);
  // The same for a long task: `caller` takes turns with the callers of other
  // long tasks. Tasks must not call it. Throws std::bad_alloc if there is no
  // memory for the task.
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
    // Calls of RunWorker that the workers have and that have not returned.
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
