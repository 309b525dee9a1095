#pragma once

// Walks through a text word by word and knows the line and column of each. For
// the parts of a file that are not rows of numbers.

#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/text/lines.h"

namespace bvhmill {

// A word, a single brace, or the end of the text (empty text).
struct Word {
  std::string_view text;
  TextPosition place;
  // Only blanks stand before it on its line.
  bool first_on_line = false;
};

// Cheap to copy: a copy is a bookmark to go back to.
class Cursor {
 public:
  // Starts at byte `offset`, which counts as line 1, column 1 + offset.
  Cursor(std::string_view text, size_t offset);

  // The next word, across lines; comment lines are skipped and counted. A word
  // ends at a blank, a line end or a brace; a brace is a word by itself.
  Word Next();
  // The same without moving.
  Word Peek() const;
  // Moves to where the next word begins.
  void ToWord() { SkipToWord(); }

  // The bytes up to and without the line end, from here, but at most
  // `max_bytes`; does not move.
  std::string_view PeekLine(size_t max_bytes = std::string_view::npos) const;
  // Moves `bytes` on within the current line.
  void Skip(size_t bytes);
  // Skips blanks within the line.
  void SkipBlanks();
  // Goes where `other` stands in another text, which is the same up to there.
  void MoveLike(const Cursor& other);

  const TextPosition& place() const { return place_; }
  std::string_view text() const { return text_; }
  int64_t comments() const { return comments_; }
  const TextPosition& first_comment() const { return first_comment_; }

 private:
  // Skips blanks, line ends and comment lines; true if a line end was among
  // them or the text begins here.
  bool SkipToWord();
  void SkipLineEnd();
  size_t offset() const { return static_cast<size_t>(place_.offset); }

  std::string_view text_;
  TextPosition place_;
  bool line_is_fresh_ = true;
  int64_t comments_ = 0;
  TextPosition first_comment_;
};

// The word for a message: quoted and cut, "the end of the file" if empty.
std::string Describe(const Word& word);

// ASCII letters compared without case.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix);

}  // namespace bvhmill
