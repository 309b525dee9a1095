#pragma once

// Bounds on the words of a request, beside Limits, which are those of a clip.
// Options stay as long as what they are for, and a list of empty words takes
// many times its bytes on the wire; so lists are counted before they are
// copied. All are far above what clips need, so that nobody has to choose them.

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/status.h"

namespace bvhmill {

// Serialized bytes of all the options of a clip.
inline constexpr size_t kMaxOptionBytes = size_t{1} << 20;
// Joints that one list of edits names, rows of a map.
inline constexpr size_t kMaxJointNames = 20'000;
// Of one such name.
inline constexpr size_t kMaxJointNameBytes = 4096;
// Issue codes of one list.
inline constexpr size_t kMaxCodes = 1024;
// Joints of an .anim that have a priority of their own.
inline constexpr size_t kMaxJointPriorities = 1024;
inline constexpr size_t kMaxOutputIdBytes = 1024;
// Of the name of a clip in a stream.
inline constexpr size_t kMaxClipKeyBytes = 1024;

// INVALID_ARGUMENT "field: ..." if a list of `count` entries has more than
// `most`.
inline absl::Status CheckCount(std::string_view field, size_t count,
                               size_t most) {
  if (count <= most) return absl::OkStatus();
  return InvalidField(field, "has " + std::to_string(count) +
                                 " entries, more than " + std::to_string(most));
}

// The same of a word, or a message, of `bytes` bytes.
inline absl::Status CheckBytes(std::string_view field, size_t bytes,
                               size_t most) {
  if (bytes <= most) return absl::OkStatus();
  return InvalidField(field, "has " + std::to_string(bytes) +
                                 " bytes, more than " + std::to_string(most));
}

}  // namespace bvhmill
