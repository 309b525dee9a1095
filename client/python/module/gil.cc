#include "client/python/module/gil.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

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

}  // namespace bvhmill::python
