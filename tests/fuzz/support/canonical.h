#pragma once

// Messages of the API with every default written out, as the comments of the
// .proto files state them: two messages with the same meaning become equal. The
// slow twin of bvhmill/wire; it shares no code with it.

#include "bvhmill/base/limits.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::fuzz {

// Options of a request to a server that has `limits`. Requires options that the
// API allows.
void MakeCanonical(const Limits& limits, v1::ConvertOptions* options);

// A result as a client keeps it: without unknown fields, key and data. Statuses
// and times are left out.
void MakeCanonical(v1::ClipResult* result);

}  // namespace bvhmill::fuzz
