#pragma once

// C++ sources as text, as far as rules about them need.

#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::testing {

// True for letters, digits and _.
bool IsWordLetter(char c);

// `code` with every comment and the inside of every literal blanked out; lines
// and columns stay. Raw strings are not known.
std::string CodeOnly(std::string_view code);

// Returns the name in an #include line, with its quotes or brackets; "" for any
// other line.
std::string_view IncludeOf(std::string_view line);

// True if `word` stands in `code` with no letter, digit or _ around it. A word
// that ends in "(" may have blanks before the parenthesis.
bool HasWord(std::string_view code, std::string_view word);

// Code points of UTF-8, so columns of a line without wide characters.
size_t ColumnsOf(std::string_view line);

}  // namespace bvhmill::testing
