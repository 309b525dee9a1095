#include "bvhmill/base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "bvhmill/base/text_encoding.h"

namespace bvhmill {
namespace {

// Length of the well-formed UTF-8 sequence at `s[i]`, or 0 (Unicode table 3-7).
size_t SequenceLength(std::string_view s, size_t i) {
  const auto byte = [&](size_t k) {
    return k < s.size() ? static_cast<uint8_t>(s[k]) : uint8_t{0};
  };
  const auto tail = [&](size_t k) { return (byte(k) & 0xC0) == 0x80; };
  const uint8_t a = byte(i);
  const uint8_t b = byte(i + 1);
  if (a < 0x80) return 1;
  if (a >= 0xC2 && a <= 0xDF) return tail(i + 1) ? 2 : 0;
  if (a >= 0xE0 && a <= 0xEF) {
    const bool overlong = a == 0xE0 && b < 0xA0;
    const bool surrogate = a == 0xED && b > 0x9F;
    return tail(i + 1) && tail(i + 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (a >= 0xF0 && a <= 0xF4) {
    const bool overlong = a == 0xF0 && b < 0x90;
    const bool beyond = a == 0xF4 && b > 0x8F;
    const bool tails = tail(i + 1) && tail(i + 2) && tail(i + 3);
    return tails && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// The largest cut position up to `max_bytes` that does not split a character.
size_t CutPoint(std::string_view bytes, size_t max_bytes) {
  if (bytes.size() <= max_bytes) return bytes.size();
  for (size_t back = 1; back <= 3 && back <= max_bytes; ++back) {
    if (SequenceLength(bytes, max_bytes - back) > back) return max_bytes - back;
  }
  return max_bytes;
}

void AppendEscaped(std::string_view bytes, std::string* out) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    out->append("\\x");
    out->push_back(kHex[byte >> 4]);
    out->push_back(kHex[byte & 15]);
  }
}

// The code point of one well-formed sequence, or the value of another byte.
char32_t CodePointOf(std::string_view sequence) {
  const auto first = static_cast<uint8_t>(sequence[0]);
  if (sequence.size() == 1) return first;
  // The bits that say how many bytes there are are removed.
  char32_t point = first & (0x7FU >> sequence.size());
  for (const char c : sequence.substr(1)) {
    point = point << 6 | (static_cast<uint8_t>(c) & 0x3F);
  }
  return point;
}

// As \uNNNN, two of them beyond the basic plane.
void AppendJsonEscape(char32_t point, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  if (point >= 0x10000) {
    AppendJsonEscape(0xD800 + ((point - 0x10000) >> 10), out);
    point = 0xDC00 + (point & 0x3FF);
  }
  out->append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) {
    out->push_back(kHex[point >> shift & 15]);
  }
}

struct CodePoints {
  char32_t first;
  char32_t last;
};

// Controls, the separators of lines and paragraphs, marks that turn the
// direction of a text, and all that has no width: category Cc, Zl and Zp, and
// Default_Ignorable_Code_Point of Unicode 15; also marks of annotations, and
// U+FFFE and U+FFFF, which XML cannot have.
constexpr CodePoints kUnseen[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},
    {0x034F, 0x034F},   {0x061C, 0x061C},   {0x115F, 0x1160},
    {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},
    {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

// True if a terminal or a page does not show the character, but obeys it.
bool IsUnseen(char32_t point) {
  const bool is_plain = point >= 0x20 && point < 0x7F;
  return !is_plain && std::any_of(std::begin(kUnseen), std::end(kUnseen),
                                  [point](const CodePoints& range) {
                                    return range.first <= point &&
                                           point <= range.last;
                                  });
}

}  // namespace

bool IsUtf8(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = SequenceLength(bytes, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string ToUtf8(std::string_view bytes) {
  std::string out;
  ToUtf8Into(bytes, &out);
  return out;
}

void ToUtf8Into(std::string_view bytes, std::string* out) {
  if (IsUtf8(bytes)) {
    out->assign(bytes);
  } else {
    DecodeText(GuessEncoding(bytes), bytes, out);
  }
}

std::string Excerpt(std::string_view bytes, size_t max_bytes) {
  const bool cut = bytes.size() > max_bytes;
  bytes = bytes.substr(0, CutPoint(bytes, max_bytes));
  std::string out;
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = SequenceLength(bytes, i);
    const std::string_view character =
        bytes.substr(i, std::max<size_t>(length, 1));
    if (length == 0 || IsUnseen(CodePointOf(character))) {
      AppendEscaped(character, &out);
    } else {
      out.append(character);
    }
    i += character.size();
  }
  if (cut) out.append("...");
  return out;
}

std::string PlainJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (size_t i = 0; i < json.size();) {
    const size_t length = std::max<size_t>(SequenceLength(json, i), 1);
    const std::string_view character = json.substr(i, length);
    const char32_t point = CodePointOf(character);
    if (point >= 0x7F && IsUnseen(point)) {
      AppendJsonEscape(point, &out);
    } else {
      out.append(character);
    }
    i += length;
  }
  return out;
}

std::string Quote(std::string_view bytes) { return "'" + Excerpt(bytes) + "'"; }

}  // namespace bvhmill
