#pragma once

// Options as JSON: web clients send them, and Python builds them from its
// keyword arguments. Does not depend on protobuf.
//
//   {"emit": ["npz", "anim"], "fps": 30, "rename": {"Hips": "pelvis"},
//    "end_sites": true, "anim_loop": [0.5, 2]}
//
// Keys are the names of options.inc. "emit" lists the outputs; an option of
// outputs is set in each output whose format has it. An output can also be an
// object with options of its own:
//
//   {"emit": ["positions", {"format": "rotations", "id": "world",
//                           "rotation_space": "world"}]}

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/pipeline/options.h"

namespace bvhmill {

// Sets the options that `json` states; null leaves an option as it is. Values
// are those of the schema. INVALID_ARGUMENT "name: why" for an unknown key, a
// value of a wrong kind or out of its bounds, and an option that no output has;
// "options: why" if the text is no JSON object, or larger than
// kMaxOptionBytes. Otherwise returns the status of CheckOptions.
absl::Status OptionsFromJson(std::string_view json, ConvertOptions* options);

// The JSON schema (draft 2020-12) of the options, indented.
std::string OptionsSchema();

}  // namespace bvhmill
