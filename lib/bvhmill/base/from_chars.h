#pragma once

// std::from_chars for every kind of number. Some standard libraries have it for
// integers only; then real numbers are read by fast_float, with the same
// result.

#include <charconv>

#if !defined(__cpp_lib_to_chars)
#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <system_error>
#endif

namespace bvhmill {

template <typename Number>
std::from_chars_result FromChars(const char* first, const char* last,
                                 Number& value) {
  return std::from_chars(first, last, value);
}

#if !defined(__cpp_lib_to_chars)
template <std::floating_point Number>
std::from_chars_result FromChars(const char* first, const char* last,
                                 Number& value) {
  Number number = 0;
  const auto [end, error] = fast_float::from_chars(first, last, number);
  if (error == std::errc::invalid_argument) return {end, error};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const char* const mantissa_end =
      std::find_if(first, end, [](char c) { return c == 'e' || c == 'E'; });
  const bool has_digits = std::any_of(first, mantissa_end, is_digit);
  const bool is_zero = std::none_of(
      first, mantissa_end, [&](char c) { return is_digit(c) && c != '0'; });
  // A number of digits that becomes infinite, or 0 although it is not.
  if ((std::isinf(number) && has_digits) || (number == 0 && !is_zero)) {
    return {end, std::errc::result_out_of_range};
  }
  value = number;
  return {end, std::errc()};
}
#endif

}  // namespace bvhmill
