#pragma once

// Splits a text into lines (LineReader) or into words (Cursor), and tracks the
// position of each.
//
//   LineReader reader(text, /*start=*/{});
//   for (Line line; reader.Next(&line);) {
//     if (IsComment(line.text)) Log(line.start);
//   }
//
// LF, CR and CRLF each end a line. Blanks are space, tab, vertical tab and form
// feed. Nothing is copied: a text must outlive its readers, lines and words.

#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/base/text.h"

namespace bvhmill {

constexpr bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
constexpr bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

// `text` without the blanks at both ends.
std::string_view TrimBlanks(std::string_view text);

// --- Lines.

// One line, without its line end.
struct Line {
  std::string_view text;
  // Position of the first byte of `text`. Its column is above 1 only if the
  // reader started inside the line.
  TextPosition start;

  // Position of byte `index` of this line.
  TextPosition At(size_t index) const;
};

// Returns the lines of a text one by one.
class LineReader {
 public:
  // `start` is the position of the first byte of `text` in the file.
  LineReader(std::string_view text, const TextPosition& start);

  // Reads the next line. At the end of the text, returns false and leaves
  // `line` as it is. A line end at the end of the text begins no further line.
  bool Next(Line* line);
  // Position where the next line starts. At the end of the text, the position
  // after its last byte; but the column is 1 if Skip skipped a last line
  // without a line end.
  const TextPosition& next() const { return next_; }
  // Number of bytes of the text that were read or skipped.
  size_t taken() const { return static_cast<size_t>(next_.offset - base_); }
  // The text after the lines that were read or skipped.
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

// True if the first word of the line starts with # or //.
bool IsComment(std::string_view line);

// --- Words.

// Returns the next word of `line` from `*index` on and moves `*index` past it.
// A word is a run of bytes that are not blanks. At the end of the line, returns
// "" and sets `*index` to line.size(). Requires *index <= line.size(), and a
// line without its line end.
std::string_view NextWord(std::string_view line, size_t* index);

// A word, a single brace, or the end of the text (`text` is empty).
struct Word {
  std::string_view text;
  TextPosition place;
  // True if the line has only blanks before the word.
  bool first_on_line = false;
};

// Reads a text word by word: the parts of a file that are not rows of numbers.
// Cheap to copy; keep a copy to return to a position.
class Cursor {
 public:
  // Starts at byte `offset` of `text`, which counts as line 1, column 1 +
  // offset.
  Cursor(std::string_view text, size_t offset);

  // Returns the next word and moves past it, also across lines. Comment lines
  // are skipped and counted. A word ends before a blank, a line end or a brace;
  // each brace is a word of its own.
  Word Next();
  // Returns the next word without moving.
  Word Peek() const;
  // Moves to the beginning of the next word.
  void ToWord() { SkipToWord(); }

  // The bytes from here up to the line end, which is not included, but at most
  // `max_bytes`. Does not move.
  std::string_view PeekLine(size_t max_bytes = std::string_view::npos) const;
  // Moves forward by `bytes` within the current line.
  void Skip(size_t bytes);
  // Skips blanks within the current line.
  void SkipBlanks();
  // Copies the position and the counts of `other`, a cursor in another text.
  // Both texts must be equal up to that position.
  void MoveLike(const Cursor& other);

  const TextPosition& place() const { return place_; }
  std::string_view text() const { return text_; }
  // The number of comment lines that were skipped, and the position of the
  // first one.
  int64_t comments() const { return comments_; }
  const TextPosition& first_comment() const { return first_comment_; }

 private:
  // Skips blanks, line ends and comment lines. True if only blanks stand before
  // the new position on its line.
  bool SkipToWord();
  void SkipLineEnd();
  size_t offset() const { return static_cast<size_t>(place_.offset); }

  std::string_view text_;
  TextPosition place_;
  bool line_is_fresh_ = true;
  int64_t comments_ = 0;
  TextPosition first_comment_;
};

// The word for a message: quoted and shortened, or "the end of the file" if it
// is empty.
std::string Describe(const Word& word);

// Compare without regard to the case of ASCII letters.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix);

}  // namespace bvhmill
