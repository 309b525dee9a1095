#include "client/cli/ui/source_line.h"

#include <algorithm>
#include <cstddef>

#include "bvhmill/base/utf8.h"
#include "client/cli/ui/text_width.h"

namespace bvhmill::client {
namespace {

// Bytes of a line that are shown before the place, and from the place on.
constexpr size_t kBefore = 48;
constexpr size_t kAfter = 24;
constexpr std::string_view kCut = "...";
constexpr std::string_view kIndent = "  ";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool EndsLine(char c) { return c == '\n' || c == '\r'; }

// True for all but the first byte of a code point.
bool GoesOn(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

size_t BeginOfShown(std::string_view text, size_t at) {
  size_t begin = at;
  while (begin > 0 && at - begin < kBefore && !EndsLine(text[begin - 1])) {
    --begin;
  }
  const bool is_cut = begin > 0 && !EndsLine(text[begin - 1]);
  while (is_cut && begin < at && GoesOn(text[begin])) ++begin;
  return begin;
}

size_t EndOfShown(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && end - at < kAfter && !EndsLine(text[end])) ++end;
  const bool is_cut = end < text.size() && !EndsLine(text[end]);
  while (is_cut && end > at && GoesOn(text[end])) --end;
  return end;
}

std::string Shown(std::string_view bytes) {
  std::string out;
  while (true) {
    const size_t tab = std::min(bytes.find('\t'), bytes.size());
    out += Excerpt(bytes.substr(0, tab), tab);
    if (tab == bytes.size()) return out;
    out += '\t';
    bytes.remove_prefix(tab + 1);
  }
}

// As wide as `shown`, where tabs are as wide.
std::string BlanksFor(std::string_view shown) {
  std::string blanks;
  while (true) {
    const size_t tab = std::min(shown.find('\t'), shown.size());
    blanks.append(WidthOf(shown.substr(0, tab)), ' ');
    if (tab == shown.size()) return blanks;
    blanks += '\t';
    shown.remove_prefix(tab + 1);
  }
}

}  // namespace

std::string SourceLine(std::string_view text, int64_t offset) {
  if (offset < 0 || static_cast<uint64_t>(offset) > text.size()) return {};
  // A byte order mark is not shown.
  const size_t first =
      text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  const auto at = std::max(static_cast<size_t>(offset), first);
  const size_t begin = std::max(BeginOfShown(text, at), first);
  const size_t end = EndOfShown(text, at);
  const std::string_view line = text.substr(begin, end - begin);
  if (line.find_first_not_of(" \t") == line.npos) return {};
  std::string before(kIndent);
  if (begin > first && !EndsLine(text[begin - 1])) before += kCut;
  before += Shown(text.substr(begin, at - begin));
  const bool is_cut = end < text.size() && !EndsLine(text[end]);
  return before + Shown(text.substr(at, end - at)) +
         std::string(is_cut ? kCut : "") + "\n" + BlanksFor(before) + "^";
}

int64_t Utf16Column(std::string_view text, int64_t offset) {
  if (offset < 0 || static_cast<uint64_t>(offset) > text.size()) return 0;
  std::string_view before = text.substr(0, static_cast<size_t>(offset));
  before.remove_prefix(before.find_last_of("\r\n") + 1);
  const bool is_first = before.size() == static_cast<size_t>(offset);
  if (is_first && before.starts_with(kByteOrderMark)) {
    before.remove_prefix(kByteOrderMark.size());
  }
  if (!IsUtf8(before)) return static_cast<int64_t>(before.size()) + 1;
  int64_t column = 1;
  for (const char c : before) {
    const bool has_two_units = static_cast<unsigned char>(c) >= 0xF0;
    column += GoesOn(c) ? 0 : has_two_units ? 2 : 1;
  }
  return column;
}

}  // namespace bvhmill::client
