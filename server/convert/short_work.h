#pragma once

// Short work on a clip: a few milliseconds at most. A unary call does it in the
// thread where it came in, since handing it to a worker would take as long.

#include <cstdint>
#include <string_view>

#include "bvhmill/base/limits.h"
#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/v1/options.pb.h"

namespace bvhmill::server {

// True if the work is usually short: little text that is not compressed, no
// edits, few outputs of the least cost, and a report that lists limits.
bool IsShort(const v1::Source& source, const v1::ConvertOptions& options,
             int64_t request_bytes);

// Bounds what a clip may take to what is short. A small text may claim many
// frames.
void BoundWork(Limits* limits);

// True if the work was given up by these bounds. A lower limit of the server
// may be exceeded, too.
bool IsGivenUp(const ConvertResult& result);

// True if `result` failed because the limit `name` was exceeded.
bool ExceedsLimit(const ConvertResult& result, std::string_view name);

}  // namespace bvhmill::server
