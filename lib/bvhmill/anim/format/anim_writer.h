#pragma once

// Writes an .anim, version 1.0.

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/sink.h"

namespace bvhmill {

// Writes `motion` as it is. INVALID_ARGUMENT, before any byte is written, for
// values that a file cannot hold: a NUL in a name, a volume of more than 16
// bytes, more than 2^31 - 1 joints, constraints or keys of a curve. Other
// errors are those of `sink`. Does not check what the viewer would refuse:
// CheckAnim does. Memory: the bytes of the file once.
absl::Status WriteAnim(const AnimMotion& motion, Sink* sink);

}  // namespace bvhmill
