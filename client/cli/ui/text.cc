#include "client/cli/ui/text.h"

#include <array>
#include <charconv>
#include <cstdio>

#include "bvhmill/base/utf8.h"

namespace bvhmill::client {
namespace {

constexpr double kMega = 1e6;

template <typename T>
std::string ToChars(T value) {
  std::array<char, 64> buffer = {};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace

std::string Printable(std::string_view path) {
  constexpr size_t kMaxPath = 4096;
  return Excerpt(path, kMaxPath);
}

std::string Shortest(float value) { return ToChars(value); }
std::string Shortest(double value) { return ToChars(value); }

std::string Fixed(double value, int decimals) {
  // The largest double has 309 digits before the point.
  std::array<char, 400> buffer = {};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  const std::string_view text = buffer.data();
  const bool is_zero = text.find_first_of("123456789in") == text.npos;
  return std::string(is_zero && text.starts_with('-') ? text.substr(1) : text);
}

std::string Megabytes(int64_t bytes) {
  return Fixed(static_cast<double>(bytes) / kMega, 1) + " MB";
}

std::string Rate(int64_t bytes, double seconds) {
  if (seconds <= 0) return "0.0";
  return Fixed(static_cast<double>(bytes) / kMega / seconds, 1);
}

std::string Count(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) +
         (count == 1 ? "" : "s");
}

}  // namespace bvhmill::client
