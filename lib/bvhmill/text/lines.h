#pragma once

// Splits a text into lines and tracks positions. LF, CR and CRLF each end a
// line. Blanks are space, tab, vertical tab and form feed.

#include <cstdint>
#include <string_view>

#include "bvhmill/base/text_position.h"

namespace bvhmill {

constexpr bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
constexpr bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

// `text` without the blanks at both ends.
std::string_view TrimBlanks(std::string_view text);

// One line, without its line end.
struct Line {
  std::string_view text;
  // Position of the first byte of `text`. Its column is above 1 only if the
  // reader started inside the line.
  TextPosition start;

  // Position of byte `index` of this line.
  TextPosition At(size_t index) const;
};

// Returns the lines of `text` one by one. `start` is the position of the first
// byte of `text` in the file. The text must outlive the reader and its lines.
class LineReader {
 public:
  LineReader(std::string_view text, const TextPosition& start);

  // Reads the next line. At the end of the text, returns false and leaves
  // `line` as it is. A line end at the end of the text begins no further line.
  bool Next(Line* line);
  // Position where the next line starts. At the end of the text, the position
  // after its last byte; but the column is 1 if Skip went over a last line
  // without a line end.
  const TextPosition& next() const { return next_; }
  // Number of bytes of the text that were read or skipped.
  size_t taken() const { return static_cast<size_t>(next_.offset - base_); }
  // The text that is not read yet.
  std::string_view rest() const { return text_.substr(taken()); }
  // Skips `bytes` bytes that contain `lines` line ends; CRLF counts as one.
  // They must be whole lines of rest(); only the last line of the text may lack
  // its line end. Neither is checked. O(1).
  void Skip(size_t bytes, int64_t lines);

 private:
  // Index of the line end of the line that starts at `begin`, or the size of
  // the text.
  size_t FindLineEnd(size_t begin) const;

  std::string_view text_;
  int64_t base_ = 0;
  TextPosition next_;
};

// Number of line ends in `text`; CRLF counts as one.
int64_t CountLineEnds(std::string_view text);

// The number of blank lines before the first word of `text` and after its last
// one. The last of them may lack its line end.
int64_t LeadingBlankLines(std::string_view text);
int64_t TrailingBlankLines(std::string_view text);

// Returns the next word of `line` from `*index` on and moves `*index` past it.
// A word is a run of bytes that are not blanks. At the end of the line, returns
// "" and sets `*index` to line.size(). Requires *index <= line.size(), and a
// line without its line end.
std::string_view NextWord(std::string_view line, size_t* index);

// True if the first word of the line starts with # or //.
bool IsComment(std::string_view line);

}  // namespace bvhmill
