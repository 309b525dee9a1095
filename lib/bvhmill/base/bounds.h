#pragma once

// Bounds on the names and lists in the options of a request. base/limits.h
// bounds the clip itself.
//
// Options stay in memory until the work they belong to is done. A list of empty
// words takes many times the memory that it takes on the wire. Therefore a list
// is counted before it is copied. All bounds are far above what real clips
// need, so they are constants and not settings.

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/call_error.h"

namespace bvhmill {

// Serialized bytes of all options of one clip.
inline constexpr size_t kMaxOptionBytes = size_t{1} << 20;
// Joints in one list of edits; rows in one joint map.
inline constexpr size_t kMaxJointNames = 20'000;
// Bytes of one joint name in such a list.
inline constexpr size_t kMaxJointNameBytes = 4096;
// Issue codes in one list.
inline constexpr size_t kMaxCodes = 1024;
// Joints of an .anim output that have a priority of their own.
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
