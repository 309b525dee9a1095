#pragma once

// Converts many files in threads of its own. Holds no Python object.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "client/python/module/choices.h"
#include "client/python/module/conversion.h"

namespace bvhmill::python {

struct BatchResult {
  int64_t index = 0;
  Converted converted;
};

// Threads read, solve and put results into a queue that holds at most
// `max_bytes` of arrays, and always one result. They start with the object and
// end with it. A child of a fork has none of them: Next then throws
// std::runtime_error, and the destructor leaves everything as it is.
class Batch {
 public:
  Batch(std::vector<std::string> paths, const Choices& choices, int threads,
        bool is_ordered, int64_t max_bytes);
  // Cancels what is running and waits for the threads.
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // The next result: in the order of the paths, or as they are ready. None
  // after the last one. `interrupts` ends the wait, and then the batch.
  std::optional<BatchResult> Next(Interrupts* interrupts);

 private:
  struct State;
  static void Work(State* state);
  bool is_forked() const;

  // Lives on if the threads are gone.
  State* state_;
  std::vector<std::thread> threads_;
  int process_;
};

// Calls `task(i)` for each i in [0, count) in `threads` threads of its own. A
// task that throws ends the others; the exception is thrown again. `interrupts`
// is looked at by the calling thread, which works on no task if there are two
// threads or more.
void RunTasks(int64_t count, int threads, Interrupts* interrupts,
              const std::function<void(int64_t)>& task);

}  // namespace bvhmill::python
