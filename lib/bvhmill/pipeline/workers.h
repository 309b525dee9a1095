#pragma once

// A pool of threads for batches of clips.

#include <cstdint>
#include <functional>
#include <memory>

namespace bvhmill {

// A pool of worker threads. Tasks must not throw. The destructor waits for all
// tasks.
class Workers {
 public:
  // 0 threads: as many as the machine has cores.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Queues `task` for a worker. Never blocks. Thread-safe. Returns false, or
  // throws std::bad_alloc, if there is no memory for it: it then never runs.
  bool Enqueue(std::function<void()> task);
  // Waits until no task is queued or running.
  void Wait();
  int threads() const;
  // The number of running tasks.
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
