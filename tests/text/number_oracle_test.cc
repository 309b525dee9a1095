// Numbers against strtod of the C library, bit for bit.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bvhmill/text/number.h"

namespace bvhmill::testing {
namespace {

// True if both readers of numbers agree with strtod about `word`.
void ExpectAsStrtod(const std::string& word) {
  const double expected = std::strtod(word.c_str(), nullptr);
  const Number number = ParseNumber(word);
  ASSERT_EQ(std::bit_cast<uint64_t>(number.value),
            std::bit_cast<uint64_t>(expected))
      << word << " read as " << number.value;
  const auto as_float = static_cast<float>(expected);
  ASSERT_EQ(number.kind, std::isfinite(as_float) ? NumberKind::kFinite
                                                 : NumberKind::kOutOfRange)
      << word;
  float value = 0;
  const LineScan scan = ScanLine(word, 0, {&value, 1});
  ASSERT_EQ(scan.values, 1) << word;
  ASSERT_EQ(std::bit_cast<uint32_t>(value), std::bit_cast<uint32_t>(as_float))
      << word << " scanned as " << value;
  ASSERT_EQ(scan.has_non_finite, !std::isfinite(as_float)) << word;
}

class WordMaker {
 public:
  explicit WordMaker(uint64_t seed) : random_(seed) {}

  int Int(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random_);
  }
  uint64_t Bits() { return random_(); }

  // 1 to `most` digits with a point somewhere or nowhere.
  std::string Digits(int most) {
    std::string word;
    const int digits = Int(1, most);
    const int point = Int(-1, digits);
    for (int i = 0; i < digits; ++i) {
      if (i == point) word += '.';
      word += static_cast<char>('0' + Int(0, 9));
    }
    if (point == digits) word += '.';
    return word;
  }

  std::string Sign() { return std::array{"", "", "-", "+"}[Int(0, 3)]; }

  std::string Exponent(int most) {
    return std::string(Int(0, 1) == 0 ? "e" : "E") +
           (Int(0, 3) == 0 ? "+" + std::to_string(Int(0, most))
                           : std::to_string(Int(-most, most)));
  }

 private:
  std::mt19937_64 random_;
};

TEST(NumberOracle, WordsAsFilesHaveThem) {
  WordMaker maker(1);
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(maker.Sign() + maker.Digits(12)));
  }
}

TEST(NumberOracle, UpToFortyDigits) {
  WordMaker maker(2);
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(maker.Sign() + maker.Digits(40)));
  }
}

TEST(NumberOracle, Exponents) {
  WordMaker maker(3);
  for (int i = 0; i < 100'000; ++i) {
    const std::string word = maker.Sign() + maker.Digits(40);
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(word + maker.Exponent(40)));
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(word + maker.Exponent(360)));
  }
}

std::string Print(const char* format, double value) {
  char text[1500];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

TEST(NumberOracle, EveryKindOfDoublePrintedWithSeventeenDigits) {
  WordMaker maker(4);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>(maker.Bits());
    if (!std::isfinite(value)) continue;
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(Print("%.17g", value)));
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(Print("%.16e", value)));
  }
}

TEST(NumberOracle, Subnormals) {
  WordMaker maker(5);
  for (int i = 0; i < 50'000; ++i) {
    const uint64_t bits = maker.Bits() >> (12 + maker.Int(0, 51));
    const auto value = std::bit_cast<double>(bits);
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(Print("%.17g", value)));
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(Print("%.3e", value)));
  }
}

TEST(NumberOracle, PowersOfTen) {
  for (int exponent = -345; exponent <= 310; ++exponent) {
    for (const char* digits : {"1", "5", "9.999999999999999", "1.5", "-7"}) {
      ASSERT_NO_FATAL_FAILURE(
          ExpectAsStrtod(digits + ("e" + std::to_string(exponent))));
    }
  }
}

// The exact decimal digits of the point half way between `value` and the next
// double above, which takes up to 1100 digits.
std::string HalfWayAbove(double value) {
  const double next = std::nextafter(value, HUGE_VAL);
  const long double middle =
      (static_cast<long double>(value) + static_cast<long double>(next)) / 2;
  char text[1500];
  std::snprintf(text, sizeof(text), "%.1100Le", middle);
  return text;
}

// `word`, d.ddde+NN, with its last digit that is not 0 one higher or lower.
std::string Nudged(std::string word, int by) {
  const size_t digit = word.find_last_of("123456789", word.find('e') - 1);
  word[digit] = static_cast<char>(word[digit] + by);
  return word;
}

TEST(NumberOracle, HalfWayBetweenDoubles) {
  if (std::numeric_limits<long double>::digits <= 53) {
    GTEST_SKIP() << "SKIPPED: long double holds no half way point here";
  }
  WordMaker maker(6);
  for (int i = 0; i < 3'000; ++i) {
    // Exponents of two from -80 to 80.
    const uint64_t exponent = 1023 - 80 + maker.Int(0, 160);
    const auto value =
        std::bit_cast<double>(exponent << 52 | maker.Bits() >> 12);
    const std::string half_way = HalfWayAbove(value);
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(half_way));
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(Nudged(half_way, -1)));
    const std::string above = half_way.substr(0, half_way.find('e')) + "1" +
                              half_way.substr(half_way.find('e'));
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(above));
  }
}

TEST(NumberOracle, HardCases) {
  for (const char* word :
       {"8.10109172351e-10",
        "1.1897314953572317650857593266280070162e4932",
        "3.5177445137512e-310",
        "2.2250738585072012e-308",
        "2.2250738585072011e-308",
        "6631236846766476e-316",
        "5708990770823839207320493820740630171355185151999e-3",
        "5708990770823839207320493820740630171355185152001e-3",
        "9214843084008499",
        "0.5e-323",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.00000000000000011102230246251565404e0",
        "1.00000000000000033306690738754696213e0",
        "-2.2222222222223e-322",
        "7.2057594037927933e16",
        "1.4012984643248170709e-45",
        "7.0064923216240853547e-46",
        "7.0064923216240853546e-46",
        "1.1754942807573642918e-38",
        "1.1754943508222875080e-38",
        "3.4028235677973366163e38"}) {
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(word));
  }
}

// The nearest float of the nearest double is not always the nearest float of
// the text; the contract is the double's.
TEST(NumberOracle, HalfWayBetweenFloats) {
  WordMaker maker(7);
  for (int i = 0; i < 50'000; ++i) {
    const auto bits = static_cast<uint32_t>(maker.Bits()) & 0x7F7FFFFF;
    const auto value = std::bit_cast<float>(bits);
    const double middle =
        (static_cast<double>(value) +
         static_cast<double>(std::nextafterf(value, HUGE_VALF))) /
        2;
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(Print("%.17g", middle)));
    ASSERT_NO_FATAL_FAILURE(ExpectAsStrtod(Print("%.9g", value)));
  }
}

}  // namespace
}  // namespace bvhmill::testing
