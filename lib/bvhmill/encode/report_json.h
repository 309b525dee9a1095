#pragma once

// Reports, clip facts and measures as JSON, for the command line and files of
// --emit report. docs/cli-json.md describes the format,
// docs/schema/report.schema.json is its JSON Schema.
//
// Keys are the field names of the messages bvhmill.v1.ValidationReport,
// ClipInfo and ClipMeasures. Every key is present. Integers and real numbers
// are JSON numbers; a value that is unknown or not finite is null.
//
// All functions but RestPoseEnum return one line of UTF-8 without a line end.

#include <string>
#include <string_view>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/report/report.h"

namespace bvhmill {

// {"file": ..., "report": ..., "info": ...}; without "file" if `file` is empty.
std::string ReportJson(std::string_view file, const Report& report,
                       const ClipInfo& info);

// The report alone.
std::string ReportJson(const Report& report);

// ClipInfo alone.
std::string ClipInfoJson(const ClipInfo& info);

// ClipMeasures alone.
std::string MeasuresJson(const ClipMeasures& measures);

// The name of the API for a rest pose, such as "REST_POSE_T".
const char* RestPoseEnum(RestPoseKind kind);

}  // namespace bvhmill
