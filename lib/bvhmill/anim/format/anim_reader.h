#pragma once

// Reads an .anim from memory, versions 1.0 and 0.1.

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct AnimReadOptions {
  // max_clip_bytes and max_name_bytes count.
  Limits limits;
};

struct AnimReadResult {
  AnimMotion motion;
  // The bytes were understood to the end: the motion is whole.
  bool read = false;
  // The viewer would play it; it would take it as an upload. It looks at the
  // names of joints only when something is uploaded.
  bool plays = false;
  bool uploads = false;
};

// Reads `bytes`, applies every check of the viewer, and logs what it would
// refuse or ignore with its byte offset and joint. Goes on behind values that
// it refuses, so that a report names all of them; stops where the bytes end too
// early, or a count makes no sense.
//
// Keys are kept as they are stored: in their order, with repeated times. Those
// of version 0.1 are quantised as the viewer writes them. Constraints that the
// viewer ignores, padding and trailing bytes are not kept; otherwise
// WriteAnim(ReadAnim(bytes).motion) gives the bytes of a 1.0 file back.
//
// Memory grows with the bytes, never by a number that they state. Never throws.
// Cost: O(bytes).
AnimReadResult ReadAnim(std::string_view bytes, const AnimReadOptions& options,
                        IssueLog* log);

// The same checks of a motion that is in memory, with the byte offsets of the
// file it makes. Fails as WriteAnim does. Cost and memory: O(bytes).
absl::Status CheckAnim(const AnimMotion& motion, AnimReadResult* result,
                       IssueLog* log);

}  // namespace bvhmill
