#pragma once

// Measures of a clip as JSON: one line of UTF-8 without a line end. Keys are
// the field names of the message bvhmill.v1.ClipMeasures; see report_json.h for
// the rules of the format, and docs/schema/report.schema.json for the schema.

#include <string>

#include "bvhmill/clip/clip_measures.h"

namespace bvhmill {

std::string MeasuresJson(const ClipMeasures& measures);

// The name of the API for a rest pose, such as "REST_POSE_T".
const char* RestPoseEnum(RestPoseKind kind);

}  // namespace bvhmill
