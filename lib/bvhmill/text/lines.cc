#include "bvhmill/text/lines.h"

#include <cstring>

namespace bvhmill {
namespace {

// Index of the first line end in `text`, or its size.
size_t FindLineEnd(std::string_view text) {
  const auto* lf =
      static_cast<const char*>(std::memchr(text.data(), '\n', text.size()));
  const size_t end = lf == nullptr ? text.size() : lf - text.data();
  const auto* cr =
      static_cast<const char*>(std::memchr(text.data(), '\r', end));
  return cr == nullptr ? end : cr - text.data();
}

}  // namespace

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

Place Line::At(size_t index) const {
  return {start.offset + static_cast<int64_t>(index), start.line,
          start.column + static_cast<int32_t>(index)};
}

bool LineReader::Next(Line* line) {
  std::string_view rest = text_.substr(static_cast<size_t>(next_.offset));
  if (rest.empty()) return false;
  const size_t end = FindLineEnd(rest);
  *line = {rest.substr(0, end), next_};
  rest.remove_prefix(end);
  const size_t ending = rest.empty() ? 0 : rest.starts_with("\r\n") ? 2 : 1;
  next_.offset += static_cast<int64_t>(end + ending);
  if (ending == 0) {
    next_.column += static_cast<int32_t>(end);
  } else {
    ++next_.line;
    next_.column = 1;
  }
  return true;
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
