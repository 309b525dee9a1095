#pragma once

// The query of an HTTP request about a clip, and the HTTP status of errors.
//
//   ClipQuery query;
//   absl::Status read = ReadClipQuery({{"emit", "npz"}, {"fps", "30"}},
//   &query);

#include <map>
#include <string>

#include "absl/status/status.h"
#include "bvhmill/pipeline/options.h"

namespace bvhmill::server {

// What the query and the options of a request ask for.
struct ClipQuery {
  ConvertOptions options;
  // "report" is among the outputs.
  bool emits_report = false;
  // The file name of the clip, for messages and names of outputs.
  std::string name;
};

// Reads a query. INVALID_ARGUMENT "NAME: why" for an unknown name or a value
// that is refused.
absl::Status ReadClipQuery(
    const std::multimap<std::string, std::string>& params, ClipQuery* query);

// The status of HTTP for the error of a call, or of a clip if `is_of_clip`.
int HttpStatusOf(const absl::Status& status, bool is_of_clip);

}  // namespace bvhmill::server
