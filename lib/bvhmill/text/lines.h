#pragma once

// Lines and places in a text. LF, CR and CRLF each end a line; blanks are
// space, tab, vertical tab and form feed.

#include <cstdint>
#include <string_view>

#include "bvhmill/base/text_position.h"

namespace bvhmill {

constexpr bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
constexpr bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

// `text` without the blanks around it.
std::string_view TrimBlanks(std::string_view text);

// One line, without its line end.
struct Line {
  std::string_view text;
  // Of the first byte of `text`. Its column is above 1 only if the reader
  // started inside the line.
  TextPosition start;

  // The place of the byte `index` of this line.
  TextPosition At(size_t index) const;
};

// Hands out the lines of `text`, whose first byte is at `start` of the file.
// The text must outlive it.
class LineReader {
 public:
  LineReader(std::string_view text, const TextPosition& start);

  // False at the end of the text.
  bool Next(Line* line);
  // Where the next line starts; at the end of the text, its last place.
  const TextPosition& next() const { return next_; }
  // Bytes of the text that are behind.
  size_t taken() const { return static_cast<size_t>(next_.offset - base_); }
  // What is still to come.
  std::string_view rest() const { return text_.substr(taken()); }
  // Goes on by `bytes` in which `lines` lines end. They are whole lines, but
  // for the last of the text.
  void Skip(size_t bytes, int64_t lines);

 private:
  // Index of the line end that ends the line from `begin` on, or the size.
  size_t FindLineEnd(size_t begin) const;

  std::string_view text_;
  int64_t base_ = 0;
  TextPosition next_;
};

// Line ends in `text`; CRLF is one.
int64_t CountLineEnds(std::string_view text);

// Takes the next word (a run of bytes that are not blank) of `line` from
// `*index` on and moves `*index` behind it. Empty at the end of the line.
std::string_view NextWord(std::string_view line, size_t* index);

// True if the first word of the line opens a comment: # or //.
bool IsComment(std::string_view line);

}  // namespace bvhmill
