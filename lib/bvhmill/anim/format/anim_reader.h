#pragma once

// Reads an .anim from memory, versions 1.0 and 0.1.

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct AnimReadOptions {
  // Only max_clip_bytes and max_name_bytes have an effect.
  Limits limits;
};

struct AnimReadResult {
  AnimMotion motion;
  // The bytes were understood to the end: the motion is complete.
  bool read = false;
  // True if the viewer would play the file, and if it would accept an upload of
  // it. The viewer checks the names of joints only for uploads.
  bool plays = false;
  bool uploads = false;
};

// Reads `bytes`, applies every check of the viewer, and logs the parts that it
// would refuse or ignore, with byte offset and joint. Reading goes on after a
// refused value, so that a report names all of them. It stops where the bytes
// end too early, or where a count is impossible. If there are more bytes than
// limits.max_clip_bytes, that is the only issue and nothing is read.
//
// Keys are kept as they are stored: in their order, with repeated times. Keys
// of version 0.1 are quantised as the viewer writes them. Constraints that the
// viewer ignores, padding and trailing bytes are not kept; otherwise
// WriteAnim(ReadAnim(bytes).motion) gives the bytes of a 1.0 file back.
//
// Memory grows with the bytes, never by a number that they state. Throws
// nothing but std::bad_alloc. Cost: O(bytes).
AnimReadResult ReadAnim(std::string_view bytes, const AnimReadOptions& options,
                        IssueLog* log);

// Applies the same checks to a motion in memory, with the byte offsets of the
// file that it makes. Fails as WriteAnim does. Cost and memory: O(bytes).
absl::Status CheckAnim(const AnimMotion& motion, AnimReadResult* result,
                       IssueLog* log);

}  // namespace bvhmill
