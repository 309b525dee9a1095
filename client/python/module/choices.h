#pragma once

// The options of a call, from the texts that the Python code makes.

#include <pybind11/pybind11.h>

#include <string>

#include "absl/status/status.h"
#include "bvhmill/pipeline/options.h"

namespace bvhmill::python {

// Everything that a caller can choose about one clip. Immutable once made.
struct Choices {
  ConvertOptions options;
  // Not OK: why the options cannot be. They are then not to be used.
  absl::Status status;
  // The caller has named the format of the source.
  bool has_format = false;
  // Threads that may work on one clip; at least 1.
  int threads = 1;
};

// The options of `json` (options_json.h). `format` is the name of a format of
// sources, or empty; `limits` has limits by name. With `skeleton`, the result
// has that of the clip.
Choices ChoicesOf(const std::string& json, const std::string& format,
                  const pybind11::dict& limits, bool skeleton, int threads);

}  // namespace bvhmill::python
