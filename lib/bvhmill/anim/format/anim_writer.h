#pragma once

// Writes an .anim, version 1.0.

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/sink.h"

namespace bvhmill {

// Writes `motion` as it is. INVALID_ARGUMENT, before anything is written, for
// what a file cannot say: a NUL in a name, a volume of more than 16 bytes, more
// than 2^31 - 1 of anything. Says nothing about what the viewer would refuse;
// CheckAnim does. Else fails only if `sink` does.
// Memory: the bytes of the file once.
absl::Status WriteAnim(const AnimMotion& motion, Sink* sink);

}  // namespace bvhmill
