#pragma once

// Recognizes files that are not BVH text by their first bytes, so that an error
// can name the kind of file.

#include <string_view>

namespace bvhmill {

enum class ContentKind { kText, kEmpty, kUtf16, kForeign };

struct Content {
  ContentKind kind = ContentKind::kText;
  // For messages: "UTF-16 (little endian)", "a gzip archive". Empty for kText
  // and kEmpty. Points to static memory.
  std::string_view name;
};

// Looks at the first bytes only. Cost: O(1) plus the blanks and line ends at
// the beginning.
Content Sniff(std::string_view bytes);

// Size of the UTF-8 byte order mark at the beginning of `bytes`: 0 or 3.
size_t ByteOrderMarkSize(std::string_view bytes);

}  // namespace bvhmill
