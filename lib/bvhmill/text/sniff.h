#pragma once

// Recognises bytes that are not BVH text by how they begin, so that an error
// can name what the file is.

#include <string_view>

namespace bvhmill {

enum class ContentKind { kText, kEmpty, kUtf16, kForeign };

struct Content {
  ContentKind kind = ContentKind::kText;
  // For people: "UTF-16 (little endian)", "a gzip archive"; empty for text.
  std::string_view name;
};

// Looks at the first bytes only; O(1) but for leading blanks.
Content Sniff(std::string_view bytes);

// Bytes of a UTF-8 byte order mark at the beginning: 0 or 3.
size_t ByteOrderMarkSize(std::string_view bytes);

}  // namespace bvhmill
