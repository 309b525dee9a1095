#include "client/python/module/gil.h"

#include <pthread.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace bvhmill::python {
namespace {

// Threads that wait for the GIL, or are about to.
std::atomic<int> waiting = 0;
std::atomic<bool> is_ending = false;
std::atomic<std::thread::id> ending_thread;

bool MustSleep() {
  return is_ending && std::this_thread::get_id() != ending_thread.load();
}

void SleepForever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// From now on no other thread asks for the GIL. Those that have asked get it
// now; Python itself ends them later, outside of C++.
void BeginTheEnd() {
  ending_thread = std::this_thread::get_id();
  is_ending = true;
  const FreeGil free;
  while (waiting > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

FreeGil::~FreeGil() {
  ++waiting;
  if (MustSleep()) {
    --waiting;
    SleepForever();
  }
  PyEval_RestoreThread(state_);
  --waiting;
}

void WatchTheEnd() {
  // Threads that wait do not exist in the child of a fork.
  pthread_atfork(nullptr, nullptr, [] { waiting = 0; });
  const auto atexit = pybind11::module_::import("atexit");
  atexit.attr("register")(pybind11::cpp_function(&BeginTheEnd));
}

Interrupts::Interrupts() : next_(std::chrono::steady_clock::now() + kInterval) {
  if (gettid() == getpid()) caller_ = std::this_thread::get_id();
}

bool Interrupts::Check() {
  if (std::this_thread::get_id() == caller_ &&
      std::chrono::steady_clock::now() >= next_ && CheckNow()) {
    return true;
  }
  return token_.CancelToken::IsCancelled();
}

bool Interrupts::CheckNow() {
  // The exception must stay the one that was raised first.
  if (is_raised_) return true;
  const pybind11::gil_scoped_acquire gil;
  is_raised_ = PyErr_CheckSignals() != 0;
  if (is_raised_) token_.Cancel();
  next_ = std::chrono::steady_clock::now() + kInterval;
  return is_raised_;
}

void Interrupts::Throw() {
  if (std::exchange(is_raised_, false)) throw pybind11::error_already_set();
}

}  // namespace bvhmill::python
