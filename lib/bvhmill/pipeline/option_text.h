#pragma once

// Options as words: on a command line, in a file of settings.

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/pipeline/option_rows.h"

namespace bvhmill {

// The number in `word`; none if `word` has other bytes, such as a plus or a
// blank, or if its value does not fit into T. If T is a floating type, "inf"
// and "nan" are numbers.
template <typename T>
std::optional<T> NumberOf(std::string_view word) {
  T value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// Sets the option of `row` at `place` to the value of `words`: one word, and
// several if it is a list. A list replaces what was there.
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
// The name of a joint map is stored as it is, also if it is that of a file. The
// file of constraints is not read: callers that have files do it.
// Returns why not, as "'5x' is not a whole number from 0 to 13"; empty if the
// value is set. CheckOptions finds what the words say, such as an unknown code.
std::string SetOption(const OptionRow& row, std::span<const std::string> words,
                      const OptionPlace& place);

}  // namespace bvhmill
