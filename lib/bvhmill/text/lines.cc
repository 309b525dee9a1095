#include "bvhmill/text/lines.h"

#include <algorithm>
#include <cstring>

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

std::string_view NextWord(std::string_view line, size_t* index) {
  size_t begin = *index;
  while (begin < line.size() && IsBlank(line[begin])) ++begin;
  size_t end = begin;
  while (end < line.size() && !IsBlank(line[end])) ++end;
  *index = end;
  return line.substr(begin, end - begin);
}

bool IsComment(std::string_view line) {
  line = TrimBlanks(line);
  return line.starts_with('#') || line.starts_with("//");
}

}  // namespace bvhmill
