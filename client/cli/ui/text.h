#pragma once

// Numbers and names as text.

#include <cstdint>
#include <string>
#include <string_view>

namespace bvhmill::client {

// A file name in one line of text: UTF-8, control characters as \xNN, cut after
// 4096 bytes.
std::string Printable(std::string_view path);

// The shortest decimal number that reads back as `value`. Requires that `value`
// is finite.
std::string Shortest(float value);
std::string Shortest(double value);

// `value` with `decimals` digits after the decimal point. Never "-0.0".
std::string Fixed(double value, int decimals);

// "22.1 MB"; a megabyte is a million bytes.
std::string Megabytes(int64_t bytes);

// "42.5": megabytes a second; "0.0" without time.
std::string Rate(int64_t bytes, double seconds);

// "1 clip", "2 clips".
std::string Count(int64_t count, std::string_view noun);

}  // namespace bvhmill::client
