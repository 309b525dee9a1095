#include "tests/layering/source_text.h"

#include <algorithm>
#include <cctype>

namespace bvhmill::testing {
namespace {

// The end of the comment that begins at `start`, or `start` if none does.
size_t EndOfComment(std::string_view code, size_t start) {
  const std::string_view two = code.substr(start, 2);
  if (two == "//") return std::min(code.find('\n', start), code.size());
  if (two != "/*") return start;
  const size_t close = code.find("*/", start + 2);
  return close == std::string_view::npos ? code.size() : close + 2;
}

// The place of the quote that ends the literal which begins at `start`.
size_t EndOfLiteral(std::string_view code, size_t start) {
  size_t at = start + 1;
  while (at < code.size() && code[at] != code[start] && code[at] != '\n') {
    at += code[at] == '\\' ? 2 : 1;
  }
  return std::min(at, code.size());
}

// 10'000 has no literal in it.
bool OpensLiteral(std::string_view code, size_t at) {
  if (code[at] == '"') return true;
  return code[at] == '\'' && (at == 0 || !IsWordLetter(code[at - 1]));
}

void Blank(std::string* text, size_t first, size_t end) {
  for (size_t i = first; i < end && i < text->size(); ++i) {
    if ((*text)[i] != '\n') (*text)[i] = ' ';
  }
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first);
}

}  // namespace

bool IsWordLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string CodeOnly(std::string_view code) {
  std::string out(code);
  size_t at = 0;
  while (at < code.size()) {
    if (const size_t end = EndOfComment(code, at); end != at) {
      Blank(&out, at, end);
      at = end;
    } else if (OpensLiteral(code, at)) {
      const size_t last = EndOfLiteral(code, at);
      Blank(&out, at + 1, last);
      at = last + 1;
    } else {
      ++at;
    }
  }
  return out;
}

std::string_view IncludeOf(std::string_view line) {
  line = Trim(line);
  if (!line.starts_with('#')) return "";
  line = Trim(line.substr(1));
  if (!line.starts_with("include")) return "";
  line = Trim(line.substr(7));
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return "";
  const size_t close = line.find(line[0] == '<' ? '>' : '"', 1);
  return close == std::string_view::npos ? "" : line.substr(0, close + 1);
}

bool HasWord(std::string_view code, std::string_view word) {
  const bool is_call = word.ends_with('(');
  if (is_call) word.remove_suffix(1);
  for (size_t at = code.find(word); at != std::string_view::npos;
       at = code.find(word, at + 1)) {
    if (at > 0 && IsWordLetter(code[at - 1])) continue;
    const std::string_view rest = code.substr(at + word.size());
    if (!rest.empty() && IsWordLetter(rest[0])) continue;
    if (!is_call || Trim(rest).starts_with('(')) return true;
  }
  return false;
}

size_t ColumnsOf(std::string_view line) {
  return static_cast<size_t>(std::count_if(
      line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace bvhmill::testing
