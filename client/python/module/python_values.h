#pragma once

// Values between C++ and Python: the options of a call (Choices), and reports,
// errors and descriptions of clips as tuples, to which the Python code adds
// names.

#include <pybind11/pybind11.h>

#include <string>

#include "absl/status/status.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/report/report.h"
#include "client/python/module/block.h"

namespace bvhmill::python {

// Everything that a caller can choose about one clip. Immutable once made.
struct Choices {
  ConvertOptions options;
  // Not OK: why the options are invalid. They must then not be used.
  absl::Status status;
  // The caller has named the format of the source.
  bool has_format = false;
  // Threads that may work on one clip; at least 1.
  int threads = 1;
};

// Parses the options of `json` (options_json.h). `format` is the name of a
// format of sources, or empty; `limits` maps names of limits to values. With
// `skeleton`, results contain the skeleton of the clip.
Choices ChoicesOf(const std::string& json, const std::string& format,
                  const pybind11::dict& limits, bool skeleton, int threads);

// (code, severity, message, occurrences, byte offset, line, column, frame, last
// frame, joint, joint name, channel, args, line of text); absent: None.
py::tuple ValueOf(const Issue& issue);

// None if the status is OK; else (status, reason, field, limit name, limit,
// args, message).
py::object ValueOf(const absl::Status& status);

// The names, or the channels, of the joints of a clip, with or without end
// sites.
py::tuple NamesOf(const ClipInfo& info, bool end_sites);
py::tuple ChannelsOf(const ClipInfo& info, bool end_sites);
// int32 (rows,), indices of rows, -1 for a root.
std::shared_ptr<Block> ParentsOf(const ClipInfo& info, bool end_sites);
// float32 (rows, 3).
std::shared_ptr<Block> OffsetsOf(const ClipInfo& info, bool end_sites);
// (name, parent, channels, is end site, offset) of each node.
py::tuple JointsOf(const ClipInfo& info);

}  // namespace bvhmill::python
