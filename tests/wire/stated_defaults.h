#pragma once

#include "bvhmill/v1/options.pb.h"

namespace bvhmill::testing {

// Sets what `message` leaves open and the client always states: the defaults of
// reading, the number of issues, the bounds of an .anim.
void StateDefaults(v1::ConvertOptions* message);

}  // namespace bvhmill::testing
