#pragma once

// The source of a clip: its encoding, its format and its size.

#include <cstdint>

#include "absl/status/status.h"
#include "bvhmill/pipeline/source_format.h"
#include "bvhmill/unpack/decoder.h"
#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::server {

// UNIMPLEMENTED, ENCODING_UNKNOWN: the server cannot decode `encoding`.
absl::Status ReadEncoding(v1::ContentEncoding encoding, Encoding* out);

// UNIMPLEMENTED, SOURCE_FORMAT_UNKNOWN: the server cannot read `format`.
absl::Status ReadFormat(v1::SourceFormat format, SourceFormat* out);

// RESOURCE_EXHAUSTED if `source` exceeds `max_clip_bytes` (0 = any size), or
// the status of ReadEncoding.
absl::Status CheckSource(int64_t max_clip_bytes, const v1::Source& source);

// The `status` of a Decoder as an error of the call: RESOURCE_EXHAUSTED that
// names max_clip_bytes, or INVALID_ARGUMENT, ENCODING_BROKEN.
absl::Status DecodeError(int64_t max_clip_bytes, const absl::Status& status);

}  // namespace bvhmill::server
