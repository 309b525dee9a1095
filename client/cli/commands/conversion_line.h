#pragma once

// The lines of --report-jsonl; docs/schema/convert.schema.json is their schema.

#include <string>
#include <vector>

#include "bvhmill/pipeline/convert.h"

namespace bvhmill::client {

// The line of the clip `path`, without a line end. `outputs` are the files that
// were written.
std::string ConversionLine(const std::string& path, const ConvertResult& result,
                           const std::vector<std::string>& outputs);

}  // namespace bvhmill::client
