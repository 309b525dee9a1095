#pragma once

// A constraint of an .anim as a message of the API, and back.

#include <string>

#include "absl/status/status.h"
#include "bvhmill/encode/output.h"
#include "bvhmill/v1/options.pb.h"

namespace bvhmill::wire {

// INVALID_ARGUMENT "path.field: why" for what the plain data cannot hold: an
// unknown type, a chain above 255 joints. The check of all options finds values
// that no viewer takes.
absl::Status ReadConstraint(const std::string& path,
                            const v1::AnimConstraint& from, AnimConstraint* to);
void WriteConstraint(const AnimConstraint& from, v1::AnimConstraint* to);

}  // namespace bvhmill::wire
