#pragma once

// The GIL, at the end of the program. Python up to 3.13 ends a thread that asks
// for the GIL then, by unwinding its stack, which C++ does not stand. So such a
// thread sleeps here instead, until the process is gone. Python 3.14 does the
// same.

#include <pybind11/pybind11.h>

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

// Makes Python say when the program ends. Call once, with the GIL.
void WatchTheEnd();

}  // namespace bvhmill::python
