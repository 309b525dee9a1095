#include "bvhmill/text/lines.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "bvhmill/base/text.h"

namespace bvhmill {
namespace {

// Blanks and line ends.
constexpr std::string_view kNoWord = " \t\v\f\r\n";

// Index of the first `c` of `text` in [begin, end), or `end`.
size_t Find(std::string_view text, char c, size_t begin, size_t end) {
  // The data pointer of an empty view may be null.
  if (begin == end) return end;
  const void* found = std::memchr(text.data() + begin, c, end - begin);
  return found == nullptr ? end : static_cast<const char*>(found) - text.data();
}

}  // namespace

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

TextPosition Line::At(size_t index) const {
  return {start.offset + static_cast<int64_t>(index), start.line,
          start.column + static_cast<int32_t>(index)};
}

LineReader::LineReader(std::string_view text, const TextPosition& start)
    : text_(text), base_(start.offset), next_(start) {}

void LineReader::Skip(size_t bytes, int64_t lines) {
  if (bytes == 0) return;
  next_.offset += static_cast<int64_t>(bytes);
  next_.line += lines;
  next_.column = 1;
}

// Searches in steps of growing size. In a text that ends lines with CR only,
// the next LF may be far away, and the other way round.
size_t LineReader::FindLineEnd(size_t begin) const {
  for (size_t stretch = 1024;; stretch *= 2) {
    const size_t end = std::min(text_.size() - begin, stretch) + begin;
    const size_t feed = Find(text_, '\n', begin, end);
    const size_t found = Find(text_, '\r', begin, feed);
    if (found < end || end == text_.size()) return found;
    begin = end;
  }
}

bool LineReader::Next(Line* line) {
  const size_t begin = taken();
  if (begin == text_.size()) return false;
  const size_t end = FindLineEnd(begin);
  *line = {text_.substr(begin, end - begin), next_};
  if (end == text_.size()) {
    next_ = line->At(end - begin);
    return true;
  }
  const bool is_crlf = text_.substr(end, 2) == "\r\n";
  next_.offset = base_ + static_cast<int64_t>(end + (is_crlf ? 2 : 1));
  ++next_.line;
  next_.column = 1;
  return true;
}

int64_t CountLineEnds(std::string_view text) {
  const auto feeds = std::count(text.begin(), text.end(), '\n');
  int64_t returns = 0;
  for (size_t at = text.find('\r'); at != std::string_view::npos;
       at = text.find('\r', at + 1)) {
    returns += text.substr(at + 1, 1) == "\n" ? 0 : 1;
  }
  return feeds + returns;
}

int64_t LeadingBlankLines(std::string_view text) {
  return CountLineEnds(text.substr(0, text.find_first_not_of(kNoWord)));
}

int64_t TrailingBlankLines(std::string_view text) {
  const std::string_view tail = text.substr(text.find_last_not_of(kNoWord) + 1);
  const int64_t ends = CountLineEnds(tail);
  // The first of them ends the line of the word.
  return ends == 0 || !IsLineEnd(tail.back()) ? ends : ends - 1;
}

bool IsComment(std::string_view line) {
  line = TrimBlanks(line);
  return line.starts_with('#') || line.starts_with("//");
}

std::string_view NextWord(std::string_view line, size_t* index) {
  size_t begin = *index;
  while (begin < line.size() && IsBlank(line[begin])) ++begin;
  size_t end = begin;
  while (end < line.size() && !IsBlank(line[end])) ++end;
  *index = end;
  return line.substr(begin, end - begin);
}

namespace {

constexpr bool IsBrace(char c) { return c == '{' || c == '}'; }

// The role of each byte in a word, as a table: a hierarchy is read word by
// word, so this is its inner loop.
constexpr uint8_t kBlank = 1;
constexpr uint8_t kEndsWord = 2;
constexpr auto kKinds = [] {
  std::array<uint8_t, 256> kinds{};
  for (size_t i = 0; i < kinds.size(); ++i) {
    const char c = static_cast<char>(i);
    const bool ends = IsBlank(c) || IsLineEnd(c) || IsBrace(c);
    kinds[i] = (IsBlank(c) ? kBlank : 0) | (ends ? kEndsWord : 0);
  }
  return kinds;
}();

bool Is(char c, uint8_t kind) {
  return (kKinds[static_cast<unsigned char>(c)] & kind) != 0;
}

bool StartsComment(std::string_view text) {
  return text[0] == '#' || (text[0] == '/' && text.substr(1, 1) == "/");
}

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

}  // namespace

Cursor::Cursor(std::string_view text, size_t offset) : text_(text) {
  place_.offset = static_cast<int64_t>(offset);
  place_.column = static_cast<int32_t>(offset) + 1;
}

void Cursor::Skip(size_t bytes) {
  place_.offset += static_cast<int64_t>(bytes);
  place_.column += static_cast<int32_t>(bytes);
  if (bytes > 0) line_is_fresh_ = false;
}

void Cursor::SkipBlanks() {
  const size_t begin = offset();
  size_t end = begin;
  while (end < text_.size() && Is(text_[end], kBlank)) ++end;
  place_.offset += static_cast<int64_t>(end - begin);
  place_.column += static_cast<int32_t>(end - begin);
}

void Cursor::MoveLike(const Cursor& other) {
  const std::string_view text = text_;
  *this = other;
  text_ = text;
}

void Cursor::SkipLineEnd() {
  const bool crlf = text_[offset()] == '\r' && offset() + 1 < text_.size() &&
                    text_[offset() + 1] == '\n';
  place_.offset += crlf ? 2 : 1;
  ++place_.line;
  place_.column = 1;
  line_is_fresh_ = true;
}

bool Cursor::SkipToWord() {
  while (true) {
    SkipBlanks();
    if (offset() >= text_.size()) return line_is_fresh_;
    if (IsLineEnd(text_[offset()])) {
      SkipLineEnd();
    } else if (line_is_fresh_ && StartsComment(text_.substr(offset(), 2))) {
      if (comments_++ == 0) first_comment_ = place_;
      Skip(PeekLine().size());
    } else {
      return line_is_fresh_;
    }
  }
}

Word Cursor::Next() {
  Word word;
  word.first_on_line = SkipToWord();
  word.place = place_;
  const size_t begin = offset();
  size_t end = begin;
  if (end < text_.size() && IsBrace(text_[end])) {
    ++end;
  } else {
    while (end < text_.size() && !Is(text_[end], kEndsWord)) ++end;
  }
  word.text = text_.substr(begin, end - begin);
  Skip(end - begin);
  return word;
}

Word Cursor::Peek() const { return Cursor(*this).Next(); }

std::string_view Cursor::PeekLine(size_t max_bytes) const {
  const std::string_view rest = text_.substr(offset(), max_bytes);
  size_t end = 0;
  while (end < rest.size() && !IsLineEnd(rest[end])) ++end;
  return rest.substr(0, end);
}

std::string Describe(const Word& word) {
  if (word.text.empty()) return "the end of the file";
  return Quote(word.text);
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && StartsWithIgnoreCase(a, b);
}

bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (Lower(text[i]) != Lower(prefix[i])) return false;
  }
  return true;
}

}  // namespace bvhmill
