#pragma once

// A pool of threads that run tasks of two priorities.
//
//   Workers workers(/*threads=*/0);
//   workers.Enqueue([&] { result = converter.Convert(text, options, ...); });
//   workers.Wait();

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

// Tasks of one priority start in the order in which they are enqueued. A free
// worker starts an interactive task before a background task. While tasks of
// both priorities wait, every ninth task is a background task: background work
// is slow under load but never stops. A running task is not interrupted.
//
// Tasks must not throw. The destructor waits for all tasks.
class Workers {
 public:
  // Interactive tasks that start in a row while a background task waits.
  static constexpr int kInteractiveInRow = 8;

  // 0 threads: as many as the machine has cores.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Runs `task` on a worker. Does not wait for it. Thread-safe. If the system
  // has no memory for the task, returns false or throws std::bad_alloc; the
  // task then never runs.
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

// Calls `task(i)` for each i in [0, count) on `threads` threads (0: as many as
// the machine has cores). Calls start in ascending order. Returns when all have
// ended.
void RunBatch(int64_t count, int threads,
              const std::function<void(int64_t)>& task);

}  // namespace bvhmill
