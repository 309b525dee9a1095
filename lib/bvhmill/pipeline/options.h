#pragma once

// Everything a caller may choose about one clip.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/clip/conventions.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct ConvertOptions {
  // Strictness and what reports list.
  ReportOptions report;
  // Readings of what BVH leaves open.
  Conventions conventions;
  // What is changed before anything is made of the clip, and what is known of
  // it (edits.source).
  ClipEdits edits;
  // What to make; may be empty: then the clip is only read and checked.
  std::vector<OutputRequest> outputs;
  // The outputs are made and thrown away: the report is that of a conversion.
  bool checks_only = false;
  Limits limits;
  // Fields of the request that are not known here, as path and number: they
  // have no effect, and the report has a warning (REQUEST_FIELD_UNKNOWN).
  std::vector<std::string> unknown_fields;
};

// True if a receiver gets outputs.
inline bool GivesOutputs(const ConvertOptions& options) {
  return !options.outputs.empty() && !options.checks_only;
}

// INVALID_ARGUMENT "field: why" for the first choice that cannot be: a code
// that is not in the catalogue, two outputs of one id, a negative number, more
// than base/bounds.h allows.
// RESOURCE_EXHAUSTED if there are more outputs than the limits allow. What
// CheckEdits says of the edits.
absl::Status CheckOptions(const ConvertOptions& options);

// Bytes of memory that `options` hold: the struct, and the capacity of its
// lists and strings. O(size of the lists).
int64_t OptionsBytes(const ConvertOptions& options);

}  // namespace bvhmill
