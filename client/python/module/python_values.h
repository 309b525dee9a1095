#pragma once

// Reports, errors and descriptions as values of Python: tuples that the Python
// code gives names to.

#include <pybind11/pybind11.h>

#include "absl/status/status.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/report.h"
#include "client/python/module/block.h"

namespace bvhmill::python {

// (code, severity, message, occurrences, byte offset, line, column, frame, last
// frame, joint, joint name, channel, args, line of text); absent: None.
py::tuple ValueOf(const Issue& issue);

// None if the status is OK; else (status, reason, field, limit name, limit,
// args, message).
py::object ValueOf(const absl::Status& status);

// Some parts of the description of a clip, with or without end sites.
py::tuple NamesOf(const ClipInfo& info, bool end_sites);
py::tuple ChannelsOf(const ClipInfo& info, bool end_sites);
// int32 (rows,), indices of rows, -1 for a root.
std::shared_ptr<Block> ParentsOf(const ClipInfo& info, bool end_sites);
// float32 (rows, 3).
std::shared_ptr<Block> OffsetsOf(const ClipInfo& info, bool end_sites);
// (name, parent, channels, is end site, offset) of each node.
py::tuple JointsOf(const ClipInfo& info);

}  // namespace bvhmill::python
