#pragma once

// The options of a call, from the dictionary that the Python code makes.

#include <pybind11/pybind11.h>

#include "bvhmill/pipeline/options.h"

namespace bvhmill::python {

// Everything that a caller can choose about one clip. Immutable once made.
struct Choices {
  ConvertOptions options;
  // The caller has named the format of the source.
  bool has_format = false;
  // Threads that may work on one clip; at least 1.
  int threads = 1;
};

// Reads keys that _options.py writes. Throws std::invalid_argument for a key or
// a word that is unknown: faults of that file, since it checks the words of its
// callers. Throws pybind11::type_error or value_error, with the name of the
// keyword, for a value of a wrong type or out of range.
Choices ChoicesOf(const pybind11::dict& words);

}  // namespace bvhmill::python
