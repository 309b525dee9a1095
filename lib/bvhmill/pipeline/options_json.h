#pragma once

// Options as JSON: the form that web clients send, and that Python makes of its
// keywords. There is no protobuf in it.
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

// Sets in `options` what `json` states; all else stays. Values are those of the
// schema; null leaves an option as it is. INVALID_ARGUMENT "name: why" for a
// key that does not exist, a value of a wrong kind or out of its bounds, and an
// option that no output has; "options: why" if the text is no JSON object, or
// larger than kMaxOptionBytes. The status of CheckOptions for the rest.
absl::Status OptionsFromJson(std::string_view json, ConvertOptions* options);

// The JSON schema (draft 2020-12) of what OptionsFromJson reads, indented.
std::string OptionsSchema();

}  // namespace bvhmill
