#pragma once

// Options as words: on a command line, and in a settings file.

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/base/from_chars.h"
#include "bvhmill/pipeline/option_rows.h"

namespace bvhmill {

// Sets the option of `row` at `place` to the value of `words`: one word, or
// several for a list. A list replaces the earlier one. Returns an empty string,
// or why the value is refused: "'5x' is not a whole number from 0 to 13".
//
//   bool             true, false
//   number           30, 29.97
//   unit             cm, or a number of metres
//   frames           A:B, A:B:STEP; A and B may be left out
//   trim             A:B in seconds, as 1.5s:3
//   three numbers    X,Y,Z
//   loop             true, false, IN:OUT in seconds
//   pairs            OLD=NEW, CODE=SEVERITY, CODE.NAME=NUMBER, NAME=PRIORITY
//
// Opens no files: stores the name of a joint map as it is, even if it is a file
// name, and ignores the file of constraints. CheckOptions finds errors in the
// meaning of the words, such as an unknown code.
std::string SetOption(const OptionRow& row, std::span<const std::string> words,
                      const OptionPlace& place);

// Parses the whole of `word` as a number. Returns nullopt if `word` has other
// bytes, such as a plus sign or a blank, or if the value does not fit into T.
// If T is a floating type, "inf" and "nan" are numbers.
template <typename T>
std::optional<T> NumberOf(std::string_view word) {
  T value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = FromChars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace bvhmill
