#pragma once

// Reads a text word by word and tracks the line and column of each word. For
// the parts of a file that are not rows of numbers.

#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/text/lines.h"

namespace bvhmill {

// A word, a single brace, or the end of the text (`text` is empty).
struct Word {
  std::string_view text;
  TextPosition place;
  // True if the line has only blanks before the word.
  bool first_on_line = false;
};

// Cheap to copy. Keep a copy to return to a position.
class Cursor {
 public:
  // Starts at byte `offset` of `text`, which counts as line 1, column 1 +
  // offset. The text must outlive the cursor and its words.
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
  // Takes the position and the counts of `other`, a cursor in another text.
  // Both texts must be equal up to that position.
  void MoveLike(const Cursor& other);

  const TextPosition& place() const { return place_; }
  std::string_view text() const { return text_; }
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

// Compares without regard to the case of ASCII letters.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix);

}  // namespace bvhmill
