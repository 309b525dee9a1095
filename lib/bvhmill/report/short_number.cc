#include "bvhmill/report/short_number.h"

#include <array>
#include <charconv>

namespace bvhmill {

std::string Short(double value) {
  constexpr int kDigits = 4;
  std::array<char, 32> text = {};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value,
                    std::chars_format::general, kDigits);
  return error == std::errc() ? std::string(text.data(), end) : "";
}

}  // namespace bvhmill
