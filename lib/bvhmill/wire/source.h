#pragma once

// The format of a source in the API and in the library. Both have the same
// numbers, and BVH is also the default of the API.

#include <optional>

#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/v1/server_service.pb.h"

namespace bvhmill::wire {

// Returns nullopt for a format that this version does not read.
std::optional<SourceFormat> FromProto(v1::SourceFormat format);

// UNSPECIFIED for BVH, so that a request for it is the same to servers that
// know no other format.
v1::SourceFormat ToProto(SourceFormat format);

void ToProto(const SourceFormatInfo& info, v1::SourceFormatInfo* out);

}  // namespace bvhmill::wire
