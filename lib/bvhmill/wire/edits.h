#pragma once

// Edits of the API as those of the library. Private to wire/.

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/text_encoding.h"
#include "bvhmill/clip/skeleton.h"
#include "bvhmill/edit/clip_edits.h"
#include "bvhmill/v1/options.pb.h"

namespace bvhmill::wire {

// Fills all of `edits` but its source. INVALID_ARGUMENT "field: why" for a
// value that `edits` cannot hold, such as an unknown enum value; CheckEdits
// checks the values that it can hold.
absl::Status FromProto(const v1::ClipEdits& message, ClipEdits* edits);

// The message that FromProto reads as `edits`, without their source; empty if
// they are the default.
v1::ClipEdits ToProto(const ClipEdits& edits);

// Reads the name of an encoding; "" is kUnknown. INVALID_ARGUMENT for any other
// word.
absl::Status NameEncodingFromProto(const std::string& name,
                                   TextEncoding* encoding);

absl::Status AxisFromProto(std::string_view field, v1::Axis message,
                           UpAxis* axis);
v1::Axis ToProto(UpAxis axis);

}  // namespace bvhmill::wire
