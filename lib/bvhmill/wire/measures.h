#pragma once

// Measures of a clip as messages of the API, and back.

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::wire {

// Requires an empty message.
void ToProto(const ClipMeasures& measures, v1::ClipMeasures* out);
// A rest pose that this version does not know becomes kOther. Lists of another
// size than the API states are filled up or cut.
ClipMeasures FromProto(const v1::ClipMeasures& message);

}  // namespace bvhmill::wire
