#pragma once

// Messages of the API for the settings of an .anim.

#include <string>

#include "absl/status/status.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/v1/options.pb.h"

namespace bvhmill::wire {

// Fills `format`, which must have its defaults. `field` is the path of
// `message`, for errors. INVALID_ARGUMENT "field...: why" for an unknown enum
// value, a list that is too long and a chain above 255 joints; the check of all
// options finds other faults.
absl::Status FromProto(const std::string& field, const v1::AnimFormat& message,
                       AnimFormat* format);
v1::AnimFormat ToProto(const AnimFormat& format);

}  // namespace bvhmill::wire
