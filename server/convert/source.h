#pragma once

// The encodings of the source of a clip.

#include "absl/status/status.h"
#include "bvhmill/unpack/decoder.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/app/config.h"

namespace bvhmill::server {

// UNIMPLEMENTED, reason ENCODING_UNKNOWN, for one that is not served.
absl::Status ReadEncoding(v1::ContentEncoding encoding, Encoding* out);

// RESOURCE_EXHAUSTED or UNIMPLEMENTED if `source` cannot be taken.
absl::Status CheckSource(const ServerConfig& config, const v1::Source& source);

// What a status of a Decoder means to a caller: RESOURCE_EXHAUSTED that names
// max_clip_bytes; INVALID_ARGUMENT, reason ENCODING_BROKEN.
absl::Status DecodeFault(const ServerConfig& config,
                         const absl::Status& status);

}  // namespace bvhmill::server
