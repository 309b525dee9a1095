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

// The status of ReadEncoding; or RESOURCE_EXHAUSTED if the data of `source` are
// not encoded and exceed `max_clip_bytes` (0 = no limit).
absl::Status CheckSource(int64_t max_clip_bytes, const v1::Source& source);

// The error of the call for `status`, the error of a Decoder: LIMIT_EXCEEDED of
// max_clip_bytes if it is RESOURCE_EXHAUSTED, else INVALID_ARGUMENT,
// ENCODING_BROKEN.
absl::Status DecodeError(int64_t max_clip_bytes, const absl::Status& status);

}  // namespace bvhmill::server
