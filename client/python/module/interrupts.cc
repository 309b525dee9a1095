#include "client/python/module/interrupts.h"

#include <pybind11/pybind11.h>

namespace bvhmill::python {

Interrupts::Interrupts()
    : next_(std::chrono::steady_clock::now() + kInterval) {}

bool Interrupts::Check() {
  if (std::this_thread::get_id() != caller_) return token_.IsCancelled();
  if (is_raised_) return true;
  const auto now = std::chrono::steady_clock::now();
  return now >= next_ && CheckNow();
}

bool Interrupts::CheckNow() {
  if (is_raised_) return true;
  const pybind11::gil_scoped_acquire gil;
  is_raised_ = PyErr_CheckSignals() != 0;
  if (is_raised_) token_.Cancel();
  next_ = std::chrono::steady_clock::now() + kInterval;
  return is_raised_;
}

void Interrupts::Throw() const {
  if (is_raised_) throw pybind11::error_already_set();
}

}  // namespace bvhmill::python
