#pragma once

// Work that may be done by several threads, without saying whose.

#include <cstdint>
#include <functional>

namespace bvhmill {

class Parallel {
 public:
  virtual ~Parallel() = default;

  // How many threads may work at once, the caller included; >= 1.
  virtual int threads() const = 0;
  // Calls `task(i)` once for each i in [0, tasks), possibly at the same time,
  // and returns when all have returned. A task may wait for others that have
  // begun, which must not be paused for it. If one throws, those that have
  // not begun may be left out; when all others have returned, so does Run, by
  // the same exception.
  virtual void Run(int64_t tasks, const std::function<void(int64_t)>& task) = 0;
};

}  // namespace bvhmill
