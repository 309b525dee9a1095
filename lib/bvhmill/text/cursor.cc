#include "bvhmill/text/cursor.h"

#include <array>

#include "bvhmill/base/utf8.h"

namespace bvhmill {
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
