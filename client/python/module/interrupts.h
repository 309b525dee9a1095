#pragma once

// Ctrl-C during a call that runs without the GIL.

#include <chrono>
#include <thread>

#include "bvhmill/base/cancel.h"

namespace bvhmill::python {

// Looks for signals every 50 ms. Made by the thread that made the call, which
// may have released the GIL. Other threads may call Check; it does nothing
// there.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // True if a signal handler of Python has raised: the call must end. Takes the
  // GIL at most every 50 ms. The exception stays set in this thread, and
  // token() is cancelled.
  bool Check();
  // The same without a look at the clock.
  bool CheckNow();
  // Throws the exception that Check has found. Needs the GIL.
  void Throw() const;

  CancelToken* token() { return &token_; }

 private:
  static constexpr std::chrono::milliseconds kInterval{50};

  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point next_;
  CancelToken token_;
  bool is_raised_ = false;
};

}  // namespace bvhmill::python
