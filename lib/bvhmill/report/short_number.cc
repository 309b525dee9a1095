#include "bvhmill/report/short_number.h"

#include <array>
#include <charconv>

namespace bvhmill {
namespace {

std::string WithDigits(double value, int digits) {
  std::array<char, 32> text = {};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value,
                    std::chars_format::general, digits);
  return error == std::errc() ? std::string(text.data(), end) : "";
}

}  // namespace

std::string Short(double value) { return WithDigits(value, 4); }

std::string ShortRate(double frames_per_second) {
  return WithDigits(frames_per_second, 5);
}

}  // namespace bvhmill
