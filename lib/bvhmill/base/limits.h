#pragma once

// The limits of one request: settings that bound the cost of a clip, and
// constants that bound its options.
//
//   Limits limits;
//   limits.max_frames = 10'000;
//   if (Exceeds(frames, limits.max_frames)) ...
//
// A limit is checked before the memory that it bounds is allocated.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"

namespace bvhmill {

// The limits on the cost of one clip: one member for each row of limits.inc,
// which states what it bounds. 0 means: no limit.
struct Limits {
#define BVHMILL_CLIP_LIMIT(name, value, ...) int64_t name = value;
#include "bvhmill/base/limits.inc"

  bool operator==(const Limits&) const = default;
};

// True if `value` is above `limit`; false if there is no limit.
constexpr bool Exceeds(int64_t value, int64_t limit) {
  return limit > 0 && value > limit;
}

// --- Bounds on the names and lists in the options of a request.
//
// Options stay in memory until their work is done, and a list of empty words
// needs much more memory than bytes on the wire. Therefore a list is counted
// before it is copied. The bounds are far above the need of real clips, so they
// are constants and not settings.

// Serialized bytes of all options of one clip.
inline constexpr size_t kMaxOptionBytes = size_t{1} << 20;
// Joints in one list of edits; rows in one joint map.
inline constexpr size_t kMaxJointNames = 20'000;
// Bytes of one joint name in such a list.
inline constexpr size_t kMaxJointNameBytes = 4096;
// Bytes and joints of the table of a rig.
inline constexpr size_t kMaxRigBytes = size_t{64} << 10;
inline constexpr size_t kMaxRigJoints = 1000;
// Bytes of the HIERARCHY of a rest pose.
inline constexpr size_t kMaxRestBytes = size_t{64} << 10;
// Issue codes in one list.
inline constexpr size_t kMaxCodes = 1024;
// Joints of an .anim output with a priority of their own.
inline constexpr size_t kMaxJointPriorities = 1024;
inline constexpr size_t kMaxOutputIdBytes = 1024;
// Bytes of the key that names a clip in a stream.
inline constexpr size_t kMaxClipKeyBytes = 1024;

// Checks the length of a list. INVALID_ARGUMENT "field: ..." if `count` is
// above `most`.
inline absl::Status CheckCount(std::string_view field, size_t count,
                               size_t most) {
  if (count <= most) return absl::OkStatus();
  return InvalidField(field, "has " + std::to_string(count) +
                                 " entries, more than " + std::to_string(most));
}

// Checks the size of a word or of a message. INVALID_ARGUMENT "field: ..." if
// `bytes` is above `most`.
inline absl::Status CheckBytes(std::string_view field, size_t bytes,
                               size_t most) {
  if (bytes <= most) return absl::OkStatus();
  return InvalidField(field, "has " + std::to_string(bytes) +
                                 " bytes, more than " + std::to_string(most));
}

}  // namespace bvhmill
