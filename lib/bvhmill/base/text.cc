#include "bvhmill/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <utility>

#include "bvhmill/base/encodings.h"

namespace bvhmill {
namespace {

struct EncodingRow {
  TextEncoding encoding;
  std::string_view name;
  // The name for iconv; null if iconv is not used.
  const char* converter;
};

// Converters are the supersets that programs write: CP932 is Shift-JIS of
// Windows, GB18030 includes GBK.
constexpr EncodingRow kEncodings[] = {
    {TextEncoding::kUtf8, "utf-8", nullptr},
    {TextEncoding::kShiftJis, "shift-jis", "CP932"},
    {TextEncoding::kGbk, "gbk", "GB18030"},
    {TextEncoding::kBig5, "big5", "BIG5"},
    {TextEncoding::kCp949, "cp949", "CP949"},
    {TextEncoding::kLatin1, "latin-1", nullptr},
};

const char* ConverterOf(TextEncoding encoding) {
  for (const EncodingRow& row : kEncodings) {
    if (row.encoding == encoding) return row.converter;
  }
  return nullptr;
}

bool IsAscii(char c) { return static_cast<uint8_t>(c) < 0x80; }

void AppendLatin1(std::string_view bytes, std::string* out) {
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) {
      out->push_back(c);
    } else {
      out->push_back(static_cast<char>(0xC0 | (byte >> 6)));
      out->push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
}

// True if all bytes beyond ASCII are letters of Latin-1 with ASCII around them.
// In the other encodings most characters have two such bytes.
bool IsLatin1WithAscii(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte < 0x80) continue;
    const bool is_letter = byte >= 0xC0 && byte != 0xD7 && byte != 0xF7;
    const bool is_last = i + 1 == text.size();
    if (!is_letter || !(is_last || IsAscii(text[i + 1]))) return false;
  }
  return true;
}

struct Bytes {
  uint8_t first;
  uint8_t last;
};

bool IsIn(const Bytes& range, uint8_t byte) {
  return range.first <= byte && byte <= range.last;
}

// The common characters of an encoding. All have two bytes.
struct CommonCharacters {
  TextEncoding encoding;
  // Ranges of the first byte, and the least second byte.
  Bytes leads[2];
  uint8_t least_trail;
  // Bytes that are a character alone. None if the first is the larger one.
  Bytes singles;
  double least_share;
};

// Hangul comes first: its codes are hanzi of GBK and Big5, too, but few Chinese
// texts have no other hanzi.
constexpr CommonCharacters kCommon[] = {
    {TextEncoding::kCp949, {{0xB0, 0xC8}, {1, 0}}, 0xA1, {1, 0}, 1},
    // Signs, kana (81 to 83) and level 1 of JIS X 0208. Kana of half width is
    // not common.
    {TextEncoding::kShiftJis,
     {{0x81, 0x83}, {0x88, 0x98}},
     0x40,
     {0xA1, 0xDF},
     0.5},
    // Level 1 of GB 2312.
    {TextEncoding::kGbk, {{0xB0, 0xD7}, {1, 0}}, 0xA1, {1, 0}, 0.5},
    {TextEncoding::kBig5, {{0xA4, 0xC6}, {1, 0}}, 0x40, {1, 0}, 0.5},
};

// The share of common ones among the characters beyond ASCII.
double CommonShare(const CommonCharacters& common, std::string_view text) {
  int64_t all = 0;
  int64_t found = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsAscii(text[i])) continue;
    ++all;
    const auto lead = static_cast<uint8_t>(text[i]);
    if (IsIn(common.singles, lead) || i + 1 == text.size()) continue;
    const auto trail = static_cast<uint8_t>(text[++i]);
    const bool is_lead =
        IsIn(common.leads[0], lead) || IsIn(common.leads[1], lead);
    if (is_lead && trail >= common.least_trail) ++found;
  }
  return static_cast<double>(found) /
         static_cast<double>(std::max<int64_t>(all, 1));
}

}  // namespace

std::string_view EncodingName(TextEncoding encoding) {
  for (const EncodingRow& row : kEncodings) {
    if (row.encoding == encoding) return row.name;
  }
  return {};
}

std::vector<std::string_view> EncodingNames() {
  std::vector<std::string_view> names;
  for (const EncodingRow& row : kEncodings) names.push_back(row.name);
  return names;
}

TextEncoding EncodingNamed(std::string_view name) {
  for (const EncodingRow& row : kEncodings) {
    if (row.name == name) return row.encoding;
  }
  return TextEncoding::kUnknown;
}

bool DecodeText(TextEncoding encoding, std::string_view bytes,
                std::string* out) {
  out->clear();
  if (encoding == TextEncoding::kLatin1) {
    AppendLatin1(bytes, out);
    return true;
  }
  const char* converter = ConverterOf(encoding);
  if (converter != nullptr && !std::all_of(bytes.begin(), bytes.end(), IsAscii))
    return ToUtf8(converter, bytes, out);
  out->assign(bytes);
  return IsUtf8(bytes);
}

bool IsTextIn(TextEncoding encoding, std::string_view bytes) {
  if (encoding == TextEncoding::kLatin1) return true;
  const char* converter = ConverterOf(encoding);
  return converter == nullptr ? IsUtf8(bytes)
                              : ToUtf8(converter, bytes, nullptr);
}

TextEncoding GuessEncoding(std::string_view text) {
  if (IsUtf8(text)) return TextEncoding::kUtf8;
  if (IsLatin1WithAscii(text)) return TextEncoding::kLatin1;
  TextEncoding best = TextEncoding::kLatin1;
  double best_share = 0;
  for (const CommonCharacters& common : kCommon) {
    const double share = CommonShare(common, text);
    if (share < common.least_share || share <= best_share) continue;
    if (!IsTextIn(common.encoding, text)) continue;
    best = common.encoding;
    best_share = share;
  }
  return best;
}

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
  // Removes the bits that state the number of bytes.
  char32_t point = first & (0x7FU >> sequence.size());
  for (const char c : sequence.substr(1)) {
    point = point << 6 | (static_cast<uint8_t>(c) & 0x3F);
  }
  return point;
}

// Appends \uNNNN, or two of them for a point beyond the basic plane.
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
// direction of a text, and characters without width: categories Cc, Zl and Zp,
// and Default_Ignorable_Code_Point of Unicode 15; also marks of annotations,
// and U+FFFE and U+FFFF, which XML cannot contain.
constexpr CodePoints kUnseen[] = {
    {0x0000, 0x001F},   {0x007F, 0x009F},   {0x00AD, 0x00AD},
    {0x034F, 0x034F},   {0x061C, 0x061C},   {0x115F, 0x1160},
    {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},
    {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},   {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

// True if a terminal or a page does not show the character, or obeys it.
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

std::string Printable(std::string_view path) {
  constexpr size_t kMaxPath = 4096;
  return Excerpt(path, kMaxPath);
}

namespace {

char Lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// The number of edits between `a` and `b` (optimal string alignment). Cost:
// a.size() * b.size(). The rows of the usual table: `now` is for the first
// i + 1 letters of `a`, `last` and `older` are the two rows before it.
size_t EditsBetween(std::string_view a, std::string_view b) {
  std::vector<size_t> older;
  std::vector<size_t> last(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<size_t> now = {i + 1};
    for (size_t j = 0; j < b.size(); ++j) {
      const bool same = Lower(a[i]) == Lower(b[j]);
      size_t edits =
          std::min({last[j] + (same ? 0 : 1), last[j + 1] + 1, now[j] + 1});
      const bool swapped = i > 0 && j > 0 && Lower(a[i]) == Lower(b[j - 1]) &&
                           Lower(a[i - 1]) == Lower(b[j]);
      if (swapped) edits = std::min(edits, older[j - 1] + 1);
      now.push_back(edits);
    }
    older = std::exchange(last, std::move(now));
  }
  return last.back();
}

}  // namespace

std::string_view Nearest(std::string_view word,
                         const std::vector<std::string_view>& known) {
  if (word.empty()) return {};
  const size_t limit =
      std::min(std::max<size_t>(2, word.size() / 3), (word.size() - 1) / 2);
  std::string_view nearest;
  size_t fewest = limit + 1;
  for (const std::string_view name : known) {
    // A difference in length is at least as many edits: skips most words.
    if (std::max(name.size(), word.size()) -
            std::min(name.size(), word.size()) >
        limit) {
      continue;
    }
    const size_t edits = EditsBetween(word, name);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest;
}

std::string DidYouMean(std::string_view word,
                       const std::vector<std::string_view>& known) {
  const std::string_view nearest = Nearest(word, known);
  return nearest.empty() ? ""
                         : "; did you mean '" + std::string(nearest) + "'?";
}

namespace {

constexpr double kMega = 1e6;

template <typename T>
std::string ToChars(T value) {
  std::array<char, 64> buffer = {};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace

std::string Shortest(float value) { return ToChars(value); }
std::string Shortest(double value) { return ToChars(value); }

std::string Fixed(double value, int decimals) {
  // The largest double has 309 digits before the point.
  std::array<char, 400> buffer = {};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  const std::string_view text = buffer.data();
  const bool is_zero = text.find_first_of("123456789in") == text.npos;
  return std::string(is_zero && text.starts_with('-') ? text.substr(1) : text);
}

std::string Megabytes(int64_t bytes) {
  return Fixed(static_cast<double>(bytes) / kMega, 1) + " MB";
}

std::string Rate(int64_t bytes, double seconds) {
  if (seconds <= 0) return "0.0";
  return Fixed(static_cast<double>(bytes) / kMega / seconds, 1);
}

std::string Count(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) +
         (count == 1 ? "" : "s");
}

}  // namespace bvhmill
