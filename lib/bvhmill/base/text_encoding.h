#pragma once

// Encodings of texts that do not state theirs, such as names in BVH files:
// which one a text has, and its conversion to UTF-8. All agree with ASCII.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill {

enum class TextEncoding : uint8_t {
  kUnknown,
  kUtf8,
  kShiftJis,
  kGbk,
  kBig5,
  kCp949,
  kLatin1,
};

// "utf-8", "shift-jis" (as CP932), "gbk" (as GB 18030), "big5", "cp949",
// "latin-1"; empty for kUnknown.
std::string_view EncodingName(TextEncoding encoding);
// The names of all encodings, in the order of the enum.
std::vector<std::string_view> EncodingNames();
// The encoding of this name; kUnknown if there is none.
TextEncoding EncodingNamed(std::string_view name);

// Converts `bytes` to UTF-8 into `out`, and reuses its memory. Returns false,
// with any text in `out`, if they are not valid in `encoding`. All bytes are
// valid in Latin-1.
bool DecodeText(TextEncoding encoding, std::string_view bytes,
                std::string* out);
// True if `bytes` are valid in `encoding`. Memory: a few KB.
bool IsTextIn(TextEncoding encoding, std::string_view bytes);

// The encoding that `text` probably has. It should be long: all names of a file
// and not one of them.
//
// UTF-8 if it is valid. Latin-1 if its bytes beyond ASCII are letters of
// Latin-1, and each stands between bytes of ASCII. Else the encoding of East
// Asia in which `text` is valid and the largest share of the characters beyond
// ASCII is common: Hangul of KS X 1001 for CP949, where all must be; kana and
// the first level of kanji for Shift-JIS; the first level of hanzi for GBK and
// for Big5. At least half must be. Else Latin-1. Cost: O(bytes).
TextEncoding GuessEncoding(std::string_view text);

}  // namespace bvhmill
