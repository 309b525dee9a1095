#pragma once

// Calls that run without the GIL: FreeGil releases it, and Interrupts ends such
// a call on Ctrl-C.
//
//   Interrupts interrupts;
//   {
//     const FreeGil free;
//     Convert(interrupts.token());
//   }
//   if (interrupts.Check()) interrupts.Throw();
//
// When the program ends, Python up to 3.13 terminates a thread that asks for
// the GIL by unwinding its stack, which C++ code does not survive. Here such a
// thread sleeps until the process ends, as in Python 3.14.

#include <pybind11/pybind11.h>

#include <chrono>
#include <thread>

#include "bvhmill/base/cancel.h"

namespace bvhmill::python {

// Releases the GIL for its scope. Use it instead of pybind11's class.
class FreeGil {
 public:
  FreeGil() : state_(PyEval_SaveThread()) {}
  ~FreeGil();
  FreeGil(const FreeGil&) = delete;
  FreeGil& operator=(const FreeGil&) = delete;

 private:
  PyThreadState* state_;
};

// Registers a handler of the end of the program, for FreeGil. Call once, with
// the GIL.
void WatchTheEnd();

// Checks for signals every 50 ms during a call. The thread of the call makes
// the object; it may have released the GIL. Python runs the handlers of signals
// only in the main thread, so Check looks for signals only if the main thread
// makes the call and calls Check. In other threads, Check only returns whether
// the call was cancelled.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // True if a signal handler of Python has raised, or the token is cancelled:
  // the call must end. Acquires the GIL at most every 50 ms. The exception
  // stays set in this thread, and token() is cancelled.
  bool Check();
  // Throws the exception that Check has found. Needs the GIL.
  void Throw();

  // A token whose IsCancelled calls Check.
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
