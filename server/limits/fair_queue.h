#pragma once

// The order in which workers take up work: callers take turns.

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

// A queue in front of the workers. After a task of one caller comes a task of
// the next caller who waits, however many tasks each has. Thread-safe.
//
// Tasks are not interrupted, so long tasks of one caller could keep all
// workers. Hence spare threads: if no task of a caller runs, and one has waited
// for `patience`, a spare thread runs it beside the workers.
class FairQueue {
 public:
  struct Options {
    // 0 = as many as the machine has cores.
    int threads = 0;
    int spare_threads = 4;
    std::chrono::milliseconds patience{50};
    // Called with what a task threw, as current exception; must not throw.
    std::function<void()> on_exception = [] {};
  };

  explicit FairQueue(Options options);
  // Waits for every task. No task may be enqueued by then, but by tasks.
  ~FairQueue();
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  // Runs `task` when it is the turn of `caller`. Never blocks for long. False,
  // or std::bad_alloc, if the system has no memory for it: then it never runs.
  bool Enqueue(const std::string& caller, std::function<void()> task);

  // Workers, without spare threads.
  int threads() const { return workers_.threads(); }
  // Tasks that are running now, also on spare threads.
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

  // All of these with the mutex held.
  Lines::iterator FindOrAdd(const std::string& caller);
  bool StartWorker();
  void CallSpare();
  Task Take(Lines::iterator line);
  void Done(Lines::iterator line);
  Lines::iterator FindOverdue(Clock::time_point now);
  Lines::iterator AwaitOverdue(const std::stop_token& stop,
                               std::unique_lock<std::mutex>* lock);
  // Releases the mutex while the task runs.
  void RunOne(Lines::iterator line, std::unique_lock<std::mutex>* lock);

  void RunWorker();
  void RunSpare(const std::stop_token& stop);

  const Options options_;
  std::mutex mutex_;
  // Tells spare threads that tasks wait; one of them then watches the lines.
  std::condition_variable_any backlog_;
  std::condition_variable_any stopped_;
  bool is_watched_ = false;
  // Lines with waiting tasks, in the order of their turns; and all others.
  Lines waiting_;
  Lines resting_;
  std::unordered_map<std::string, Lines::iterator> lines_;
  int active_workers_ = 0;
  std::atomic<int> busy_{0};
  Workers workers_;
  std::vector<std::jthread> spares_;
};

}  // namespace bvhmill::server
