#pragma once

// Runs tasks on several threads. The interface does not say whose threads they
// are, so the library below pipeline/ needs no thread pool.

#include <cstdint>
#include <functional>

namespace bvhmill {

class Parallel {
 public:
  virtual ~Parallel() = default;

  // The number of threads that may work at one time, the caller included; >= 1.
  virtual int threads() const = 0;
  // Calls `task(i)` once for each i in [0, tasks), possibly in parallel, and
  // returns when all calls have returned. A task may wait for another task that
  // has begun; the implementation must not pause a task that has begun. If a
  // task throws, tasks that have not begun may be left out. Run then waits for
  // the running tasks and throws the same exception.
  virtual void Run(int64_t tasks, const std::function<void(int64_t)>& task) = 0;
};

}  // namespace bvhmill
