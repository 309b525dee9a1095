#pragma once

// The threads that do the work of many clips at once.

#include <cstdint>
#include <functional>
#include <memory>

namespace bvhmill {

// A pool of `threads` workers. Tasks must not throw. The destructor waits for
// every task.
class Workers {
 public:
  // 0 threads: as many as the machine has cores.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Runs `task` on a worker, soon. Never blocks. Thread-safe. False, or
  // std::bad_alloc, if the system has no memory for it: then it never runs.
  bool Enqueue(std::function<void()> task);
  // Waits until nothing is queued or running.
  void Wait();
  int threads() const;
  // Tasks that are running now.
  int busy() const;

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

// Calls `task(i)` for each i in [0, count), `threads` at a time (0: as many as
// cores), in ascending order of start. Returns when all are done.
void RunBatch(int64_t count, int threads,
              const std::function<void(int64_t)>& task);

}  // namespace bvhmill
