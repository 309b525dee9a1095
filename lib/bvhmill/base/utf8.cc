#include "bvhmill/base/utf8.h"

#include <iconv.h>

#include <algorithm>
#include <cstdint>

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

// Converts with iconv. False if `bytes` are not valid in `encoding`.
bool ConvertFrom(const char* encoding, std::string_view bytes,
                 std::string* out) {
  const iconv_t converter = iconv_open("UTF-8", encoding);
  if (converter == reinterpret_cast<iconv_t>(-1)) return false;
  out->resize(bytes.size() * 4 + 8);
  char* in = const_cast<char*>(bytes.data());
  char* to = out->data();
  size_t in_left = bytes.size();
  size_t to_left = out->size();
  const size_t result = iconv(converter, &in, &in_left, &to, &to_left);
  iconv_close(converter);
  out->resize(out->size() - to_left);
  return result != static_cast<size_t>(-1) && in_left == 0;
}

std::string Latin1ToUtf8(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      out.push_back(c);
    } else {
      out.push_back(static_cast<char>(0xC0 | (byte >> 6)));
      out.push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
  return out;
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

// True if a terminal or a page does not show the character, but obeys it.
bool IsControl(std::string_view character) {
  const auto first = static_cast<uint8_t>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  // U+0080 to U+009F.
  if (character.size() == 2) return character < "\xC2\xA0";
  // U+202A to U+202E and U+2066 to U+2069 turn the direction of a text.
  const auto is_within = [&](std::string_view low, std::string_view high) {
    return character >= low && character <= high;
  };
  return is_within("\xE2\x80\xAA", "\xE2\x80\xAE") ||
         is_within("\xE2\x81\xA6", "\xE2\x81\xA9");
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
  } else if (!ConvertFrom("CP932", bytes, out)) {
    *out = Latin1ToUtf8(bytes);
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
    if (length == 0 || IsControl(character)) {
      AppendEscaped(character, &out);
    } else {
      out.append(character);
    }
    i += character.size();
  }
  if (cut) out.append("...");
  return out;
}

std::string Quote(std::string_view bytes) { return "'" + Excerpt(bytes) + "'"; }

}  // namespace bvhmill
