#pragma once

// Messages of the API for the settings of an .anim.

#include <string>

#include "absl/status/status.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/v1/options.pb.h"

namespace bvhmill::wire {

// INVALID_ARGUMENT "field...: why" for a value that the API does not have.
absl::Status FromProto(const std::string& field, const v1::AnimFormat& message,
                       AnimFormat* format);
v1::AnimFormat ToProto(const AnimFormat& format);

}  // namespace bvhmill::wire
