#include "bvhmill/base/text_encoding.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include "bvhmill/base/utf8.h"

namespace bvhmill {
namespace {

struct EncodingRow {
  TextEncoding encoding;
  std::string_view name;
  // The name for iconv; null if iconv is not needed.
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

// Converts with iconv and appends to `out`, unless that is null. False if
// `bytes` are not valid in `encoding`.
bool Convert(const char* encoding, std::string_view bytes, std::string* out) {
  const iconv_t converter = iconv_open("UTF-8", encoding);
  if (converter == reinterpret_cast<iconv_t>(-1)) return false;
  std::array<char, 1024> buffer = {};
  char* in = const_cast<char*>(bytes.data());
  size_t in_left = bytes.size();
  bool is_valid = true;
  while (in_left > 0 && is_valid) {
    char* to = buffer.data();
    size_t to_left = buffer.size();
    is_valid = iconv(converter, &in, &in_left, &to, &to_left) !=
                   static_cast<size_t>(-1) ||
               errno == E2BIG;
    if (out != nullptr) out->append(buffer.data(), to);
  }
  iconv_close(converter);
  return is_valid;
}

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
    return Convert(converter, bytes, out);
  out->assign(bytes);
  return IsUtf8(bytes);
}

bool IsTextIn(TextEncoding encoding, std::string_view bytes) {
  if (encoding == TextEncoding::kLatin1) return true;
  const char* converter = ConverterOf(encoding);
  return converter == nullptr ? IsUtf8(bytes)
                              : Convert(converter, bytes, nullptr);
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

}  // namespace bvhmill
