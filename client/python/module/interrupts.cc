#include "client/python/module/interrupts.h"

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <utility>

namespace bvhmill::python {

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
