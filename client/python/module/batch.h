#pragma once

// Converts many files in threads of its own. Holds no Python object.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
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
// end with Close. A child of a fork has none of them: Next then throws
// std::runtime_error, and Close leaves everything as it is.
class Batch {
 public:
  // Goes on with fewer threads if not all can be started; throws
  // std::system_error if none can.
  Batch(std::vector<std::string> paths, const Choices& choices, int threads,
        bool is_ordered, int64_t max_bytes);
  // Does as Close.
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // The next result: in the order of the paths, or as they are ready. None
  // after the last one, and after Close. `interrupts` ends the wait. Several
  // threads may call it; each result is given to one of them.
  std::optional<BatchResult> Next(Interrupts* interrupts);

  // Cancels what is running and waits for the threads. Other threads may be in
  // Next, but not in Close.
  void Close();

 private:
  struct State;
  static void Work(State* state);
  bool is_forked() const;

  // Never freed in a child of a fork: its lock may be held.
  std::unique_ptr<State> state_;
  std::vector<std::thread> threads_;
  int process_;
};

// Calls `task(i)` for each i in [0, count) in `threads` threads of its own, or
// in fewer if not all can be started; throws std::system_error if none can. A
// task that throws ends the others; the exception is thrown again. `interrupts`
// is looked at by the calling thread, which works on no task if there are two
// threads or more.
void RunTasks(int64_t count, int threads, Interrupts* interrupts,
              const std::function<void(int64_t)>& task);

}  // namespace bvhmill::python
