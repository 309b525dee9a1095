// Floats as text, against std::to_chars: the same characters.

#include "bvhmill/base/float_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace bvhmill {
namespace {

std::string Shortest(float value) {
  DecimalsGuess guess;
  char text[kMaxFixedText];
  return {text, WriteShortest(value, &guess, text)};
}

std::string Fixed(float value, int decimals) {
  char text[kMaxFixedText];
  return {text, WriteFixed(value, decimals, text)};
}

std::string Expected(float value) {
  char text[kMaxFixedText];
  return {text, std::to_chars(text, text + kMaxFixedText, value).ptr};
}

std::string Expected(float value, int decimals) {
  char text[kMaxFixedText];
  return {text, std::to_chars(text, text + kMaxFixedText, value,
                              std::chars_format::fixed, decimals)
                    .ptr};
}

TEST(FloatTextTest, Examples) {
  const struct {
    float value;
    int decimals;
    const char* shortest;
    const char* fixed;
  } cases[] = {
      {0.0F, 2, "0", "0.00"},
      {-0.0F, 2, "-0", "-0.00"},
      {12.5F, 3, "12.5", "12.500"},
      {-0.004F, 2, "-0.004", "-0.00"},
      {0.125F, 2, "0.125", "0.12"},
      {0.375F, 2, "0.375", "0.38"},
      {99.996F, 2, "99.996", "100.00"},
      {9.9999999F, 0, "10", "10"},
      {0.001F, 4, "0.001", "0.0010"},
      {1e-4F, 6, "1e-04", "0.000100"},
      {100000.0F, 0, "1e+05", "100000"},
      {1e6F, 1, "1e+06", "1000000.0"},
      {16777216.0F, 0, "16777216", "16777216"},
      {3.4028235e38F, 0, "3.4028235e+38",
       "340282346638528859811704183484516925440"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Shortest(c.value), c.shortest);
    EXPECT_EQ(Fixed(c.value, c.decimals), c.fixed);
  }
}

// Every exponent, the floats around powers of two and of ten, values with few
// decimals, and random bits.
std::vector<float> Values() {
  std::vector<float> values;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto around = [&](float value) {
    float below = value;
    float above = value;
    for (int i = 0; i < 4; ++i) {
      values.insert(values.end(), {below, above});
      below = std::nextafterf(below, -kInfinity);
      above = std::nextafterf(above, kInfinity);
    }
  };
  for (int e = -149; e < 128; ++e) around(std::ldexp(1.0F, e));
  for (int e = -45; e < 39; ++e)
    around(std::strtof(("1e" + std::to_string(e)).c_str(), nullptr));
  std::mt19937 random(7);
  for (int i = 0; i < 300'000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
    const auto whole = static_cast<double>(random() % 40'000'001) - 2e7;
    values.push_back(static_cast<float>(whole / std::pow(10, random() % 9)));
    values.push_back(static_cast<float>(std::ldexp(
        static_cast<double>(random()), -24 - static_cast<int>(random() % 12))));
  }
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  return values;
}

TEST(FloatTextTest, IsThatOfTheStandardLibrary) {
  DecimalsGuess guess;
  char text[kMaxFixedText];
  int at = 0;
  for (const float value : Values()) {
    const std::string shortest(text, WriteShortest(value, &guess, text));
    ASSERT_EQ(shortest, Expected(value));
    const int decimals = at++ % 13;
    ASSERT_EQ(Fixed(value, decimals), Expected(value, decimals)) << value;
  }
}

}  // namespace
}  // namespace bvhmill
