#pragma once

// Reads the text of a clip from a file or from stdin.

#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/base/uninitialized.h"
#include "bvhmill/unpack/decoder.h"
#include "client/cli/io/inputs.h"
#include "client/cli/io/mapped_file.h"

namespace bvhmill::client {

using ClipText = UninitializedVector<char>;

inline std::string_view ViewOf(const ClipText& text) {
  return {text.data(), text.size()};
}

// Reads all bytes of `input`, without decompression. RESOURCE_EXHAUSTED if
// there are more than `max_bytes` (0: no limit); memory above that is never
// taken. NOT_FOUND "cannot be read: why". CANCELLED.
absl::Status ReadClip(const Input& input, int64_t max_bytes,
                      const CancelToken* cancel, ClipText* bytes);

// Maps `input` if it is a regular file of at least 16 MiB, but not more than
// `max_bytes`. Null: use ReadClip.
std::unique_ptr<MappedFile> MapLongClip(const Input& input, int64_t max_bytes);

// The compression of `input` by its name; none for stdin.
Encoding EncodingOf(const Input& input);

// Replaces compressed bytes by their text. Fails as ReadClip does.
absl::Status UnpackClip(Encoding encoding, int64_t max_bytes,
                        const CancelToken* cancel, ClipText* text);

// The status for a clip that cannot be decompressed.
absl::Status CannotUnpack(std::string_view why);

}  // namespace bvhmill::client
