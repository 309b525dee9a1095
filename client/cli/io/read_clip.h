#pragma once

// The text of a clip, from a file or from stdin.

#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/unpack/decoder.h"
#include "client/cli/io/inputs.h"

namespace bvhmill::client {

using ClipText = UninitializedVector<char>;

inline std::string_view ViewOf(const ClipText& text) {
  return {text.data(), text.size()};
}

// Reads the whole of `input` as it is. RESOURCE_EXHAUSTED if it has more than
// `max_bytes` (0: any number), found out before that much memory is taken.
// NOT_FOUND "cannot be read: why". CANCELLED.
absl::Status ReadClip(const Input& input, int64_t max_bytes,
                      const CancelToken* cancel, ClipText* bytes);

// How `input` is packed, as its name says.
Encoding EncodingOf(const Input& input);

// Puts the text in the place of what it was packed to. Fails as ReadClip does.
absl::Status UnpackClip(Encoding encoding, int64_t max_bytes,
                        const CancelToken* cancel, ClipText* text);

// The status for a packed clip that is not what its name says.
absl::Status CannotUnpack(std::string_view why);

}  // namespace bvhmill::client
