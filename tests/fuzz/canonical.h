#pragma once

// Messages of the API with every default written out, as the comments of the
// .proto files state them: two messages that mean the same become equal. The
// slow twin of what bvhmill/wire does, written apart from it.

#include "bvhmill/base/limits.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::fuzz {

// Options of a request to a server that has `limits`. Requires options that the
// API allows.
void MakeCanonical(const Limits& limits, v1::ConvertOptions* options);

// A result as a client keeps it: without what it does not know, without key and
// data. Statuses and times are left out.
void MakeCanonical(v1::ClipResult* result);

}  // namespace bvhmill::fuzz
