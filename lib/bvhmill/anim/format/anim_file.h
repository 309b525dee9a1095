#pragma once

// Files of Second Life's .anim format: reads, checks, writes and edits them.
//
//   AnimReadResult file = ReadAnim(bytes, AnimReadOptions(), &log);
//   if (file.read) {
//     BVHMILL_RETURN_IF_ERROR(TrimAnim(0.5F, 2.0F, &file.motion));
//     return WriteAnim(file.motion, &sink);
//   }

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/anim/format/anim_motion.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/report/issue_log.h"

namespace bvhmill {

struct AnimReadOptions {
  // Uses only max_clip_bytes and max_name_bytes.
  Limits limits;
};

struct AnimReadResult {
  AnimMotion motion;
  // True: the reader has parsed all bytes, and the motion is complete.
  bool read = false;
  // True if the viewer would play the file, and if it would accept an upload of
  // it. The viewer checks the names of joints only for uploads.
  bool plays = false;
  bool uploads = false;
};

// Reads `bytes`, version 1.0 or 0.1, applies every check of the viewer, and
// logs the parts that it would refuse or ignore, with byte offset and joint.
// Continues after a refused value, so that the report lists all of them. Stops
// where the bytes end too early, or where a count is impossible. If there are
// more bytes than limits.max_clip_bytes, reads nothing and logs only that
// issue.
//
// Keeps keys as they are stored: in their order, with repeated times. Quantises
// keys of version 0.1 as the viewer writes them. Drops constraints that the
// viewer ignores, padding and trailing bytes; otherwise
// WriteAnim(ReadAnim(bytes).motion) returns the bytes of a 1.0 file.
//
// Memory grows with the bytes, never by a number that they state. Throws
// nothing but std::bad_alloc. Cost: O(bytes).
AnimReadResult ReadAnim(std::string_view bytes, const AnimReadOptions& options,
                        IssueLog* log);

// Applies the same checks to a motion in memory, with the byte offsets of its
// file. Fails as WriteAnim does. Cost and memory: O(bytes).
absl::Status CheckAnim(const AnimMotion& motion, AnimReadResult* result,
                       IssueLog* log);

// Writes `motion` without changes, in version 1.0. INVALID_ARGUMENT, before it
// writes any byte, for values that a file cannot hold: a NUL in a name, a
// volume name of more than 16 bytes, more than 2^31 - 1 joints, constraints or
// keys of a curve. Other errors are those of `sink`. Does not apply the checks
// of the viewer: CheckAnim does. Memory: the bytes of the file once.
absl::Status WriteAnim(const AnimMotion& motion, Sink* sink);

// Edits. (anim_settings.h changes priorities, loop, eases, hand pose, emote and
// constraints.)

// Keeps only the time from `begin` to `end`, in seconds. Adds a key with the
// played value where a curve has no key at an end. Shifts loop points and the
// times of constraints, and clamps them to the new duration; shortens eases to
// it. INVALID_ARGUMENT unless 0 <= begin < end <= duration. Sorts keys.
absl::Status TrimAnim(float begin, float end, AnimMotion* motion);

// Sets the duration to `duration` seconds, so that the motion is faster or
// slower. Scales loop points and the times of constraints, and shortens eases
// if necessary; keys do not change. INVALID_ARGUMENT unless 0 < duration <= 60
// and the motion has a duration.
absl::Status RetimeAnim(float duration, AnimMotion* motion);

// Removes joints by any of their names, and all constraints whose chains have a
// joint without curves. Returns the number of removed joints.
int64_t DropAnimJoints(std::span<const std::string> names, AnimMotion* motion);

// Swaps left and right: renames joints and hand poses that have a counterpart,
// and mirrors rotations, positions and constraints. Exact: mirroring twice
// restores the motion, except that 0 has two codes.
void MirrorAnim(AnimMotion* motion);

// Makes the changes that the viewer makes when it uploads the motion: replaces
// names of joints by their full names, sorts keys and drops repeated times,
// decodes and truncates all codes again, drops an unknown emote, and reverses
// the order of constraints.
void ResaveAsViewer(AnimMotion* motion);

}  // namespace bvhmill
