#pragma once

// A report and the facts about a clip as JSON: the protobuf mapping of the
// messages bvhmill.v1.ValidationReport and ClipInfo, with proto field names.

#include <string>

#include "bvhmill/encode/clip_info.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// {"report": ..., "info": ...} on one line, without a line end. If `file` is
// not empty, the field "file" comes first.
std::string ReportJson(std::string_view file, const Report& report,
                       const ClipInfo& info);

// The report alone.
std::string ReportJson(const Report& report);

// ClipInfo alone.
std::string ClipInfoJson(const ClipInfo& info);

}  // namespace bvhmill
