#pragma once

// The text of a clip, from a file or from stdin.

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/uninitialized.h"
#include "client/inputs.h"

namespace bvhmill::client {

using ClipText = UninitializedVector<char>;

inline std::string_view ViewOf(const ClipText& text) {
  return {text.data(), text.size()};
}

// Reads the whole of `input`, decoded if its name says that it is packed.
// RESOURCE_EXHAUSTED if it has more than
// `max_bytes` (0: any number), found out before that much memory is taken.
// NOT_FOUND "cannot be read: why". CANCELLED.
absl::Status ReadClip(const Input& input, int64_t max_bytes,
                      const CancelToken* cancel, ClipText* text);

}  // namespace bvhmill::client
