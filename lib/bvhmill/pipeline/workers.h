#pragma once

// A pool of threads that run tasks of two priorities.

#include <cstdint>
#include <functional>
#include <memory>

namespace bvhmill {

enum class Priority : uint8_t {
  // A caller waits for the task.
  kInteractive,
  // No caller waits: the task may be late.
  kBackground,
};

// Tasks of one priority begin in the order in which they were enqueued. A free
// worker begins an interactive task before a background task, except that every
// ninth task to begin is a background task while tasks of both priorities wait:
// so background work is slow under load but never stops. A task that has begun
// is not interrupted.
//
// Tasks must not throw. The destructor waits for every task.
class Workers {
 public:
  // Interactive tasks that begin in a row while a background task waits.
  static constexpr int kInteractiveInRow = 8;

  // 0 threads: as many as the machine has cores.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Runs `task` on a worker. Never blocks for long. Thread-safe. False, or
  // std::bad_alloc, if the system has no memory for it: then it never runs.
  bool Enqueue(std::function<void()> task,
               Priority priority = Priority::kInteractive);
  // Waits until no task is queued or running.
  void Wait();
  int threads() const;
  // The number of running tasks.
  int busy() const;
  // True if a task of `priority` waits for a worker. Takes no lock.
  bool has_waiting(Priority priority) const;

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

// Calls `task(i)` for each i in [0, count), `threads` at a time (0: as many as
// cores), in ascending order of start. Returns when all are done.
void RunBatch(int64_t count, int threads,
              const std::function<void(int64_t)>& task);

}  // namespace bvhmill
