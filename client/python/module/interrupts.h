#pragma once

// Ctrl-C during a call that runs without the GIL.

#include <chrono>
#include <thread>

#include "bvhmill/base/cancel.h"

namespace bvhmill::python {

// Looks for signals every 50 ms. Made by the thread that made the call, which
// may have released the GIL. Other threads may call Check; it only says there
// if the call was cancelled. So it does in any thread but the main one, in
// which alone Python runs the handlers of signals.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // True if a signal handler of Python has raised, or the token is cancelled:
  // the call must end. Takes the GIL at most every 50 ms. The exception stays
  // set in this thread, and token() is cancelled.
  bool Check();
  // Throws the exception that Check has found. Needs the GIL.
  void Throw();

  // A conversion that asks this token calls Check.
  CancelToken* token() { return &token_; }

 private:
  class Token final : public CancelToken {
   public:
    explicit Token(Interrupts* interrupts) : interrupts_(*interrupts) {}
    bool IsCancelled() const override { return interrupts_.Check(); }

   private:
    Interrupts& interrupts_;
  };
  static constexpr std::chrono::milliseconds kInterval{50};

  bool CheckNow();

  // None if the call was not made by the main thread.
  std::thread::id caller_;
  std::chrono::steady_clock::time_point next_;
  Token token_{this};
  bool is_raised_ = false;
};

}  // namespace bvhmill::python
