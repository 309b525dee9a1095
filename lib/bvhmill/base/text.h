#pragma once

// Text for people and for messages, from the bytes of files: positions, the
// encodings of names, safe excerpts, suggestions for words with a typing error,
// and numbers.
//
//   const std::string name = ToUtf8(bytes);
//   return InvalidField("joint", Quote(name) + " is no joint" +
//                                    DidYouMean(name, joints));

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill {

// A position in a text. `offset` counts bytes from 0. `line` and `column` count
// from 1; the column counts bytes.
struct TextPosition {
  int64_t offset = 0;
  int64_t line = 1;
  int32_t column = 1;
};

// --- Encodings of texts that do not state theirs, such as names in BVH files.
// All are supersets of ASCII.

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
// The encoding named `name`; kUnknown if there is none.
TextEncoding EncodingNamed(std::string_view name);

// Converts `bytes` to UTF-8 into `out`, and reuses its memory. Returns false if
// they are not valid in `encoding`; the text in `out` is then unspecified. All
// bytes are valid in Latin-1.
bool DecodeText(TextEncoding encoding, std::string_view bytes,
                std::string* out);
// True if `bytes` are valid in `encoding`. Memory: a few KB.
bool IsTextIn(TextEncoding encoding, std::string_view bytes);

// The most probable encoding of `text`. The text should be long: all names of a
// file and not one of them. The rules, in this order:
//
//   - UTF-8 if `text` is valid UTF-8.
//   - Latin-1 if its bytes beyond ASCII are letters of Latin-1 and each stands
//     between bytes of ASCII.
//   - The East Asian encoding in which `text` is valid and the largest share of
//     the characters beyond ASCII is common: at least half of them, and for
//     CP949 all. Common are Hangul of KS X 1001 for CP949, kana and level 1
//     kanji for Shift-JIS, level 1 hanzi for GBK and Big5.
//   - Latin-1.
//
// Cost: O(bytes).
TextEncoding GuessEncoding(std::string_view text);

// --- UTF-8. Names of files and joints may be any bytes; these functions turn
// them into text that can be shown and sent.

// True if `bytes` is well-formed UTF-8 (no surrogates, no overlong forms).
bool IsUtf8(std::string_view bytes);

// Converts `bytes` to UTF-8. Valid UTF-8 is returned unchanged. Other bytes are
// decoded in the encoding that GuessEncoding returns. Never fails. For a single
// name: the names of a file share one encoding, which bvh/hierarchy determines.
std::string ToUtf8(std::string_view bytes);
// Writes the same into `out` and reuses its memory.
void ToUtf8Into(std::string_view bytes, std::string* out);

// At most the first `max_bytes` of `bytes`, as one line for terminals, logs and
// pages: UTF-8, with "..." if bytes were cut off. Invalid bytes and characters
// without a glyph become \xNN: controls, line separators, marks of direction,
// characters without width. Call it for every text of a peer or a file that is
// displayed. The result has up to 4 * max_bytes + 3 bytes.
std::string Excerpt(std::string_view bytes, size_t max_bytes = 80);

// `json` with the same characters, except ASCII controls other than U+007F, as
// \uNNNN. The meaning of the JSON is unchanged. Bytes below U+007F stay, since
// valid JSON has such controls outside of strings only.
std::string PlainJson(std::string_view json);

// The excerpt of `bytes` in single quotes.
std::string Quote(std::string_view bytes);

// A file name in one line of text: UTF-8, control characters as \xNN, cut after
// 4096 bytes.
std::string Printable(std::string_view path);

// --- Suggestions for a word with a typing error.

// The word of `known` with the fewest edits to `word`; the first one of
// several. An edit adds, removes or replaces a letter, or exchanges two
// neighbours; case is ignored. Empty if every word needs more than max(2, n /
// 3) edits, or at least n / 2, where n is the number of bytes of `word`.
std::string_view Nearest(std::string_view word,
                         const std::vector<std::string_view>& known);

// "; did you mean 'NAME'?", to append to a message; empty if Nearest is empty.
std::string DidYouMean(std::string_view word,
                       const std::vector<std::string_view>& known);

// --- Numbers as text.

// The shortest decimal number that reads back as `value`. Requires that `value`
// is finite.
std::string Shortest(float value);
std::string Shortest(double value);

// `value` with `decimals` digits after the decimal point. Never "-0.0".
std::string Fixed(double value, int decimals);

// "22.1 MB"; a megabyte is a million bytes.
std::string Megabytes(int64_t bytes);

// "42.5": megabytes per second; "0.0" if `seconds` is not above 0.
std::string Rate(int64_t bytes, double seconds);

// "1 clip", "2 clips".
std::string Count(int64_t count, std::string_view noun);

}  // namespace bvhmill
