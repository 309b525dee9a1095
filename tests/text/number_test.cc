#include "bvhmill/text/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace bvhmill::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct FiniteCase {
  std::string_view word;
  double value;
};

// [+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?
constexpr FiniteCase kFiniteCases[] = {
    {"0", 0},
    {"7", 7},
    {"42", 42},
    {"+5", 5},
    {"-5", -5},
    {"-0", -0.0},
    {"+0.0", 0.0},
    {"-0e5", -0.0},
    {"5.", 5},
    {"-5.", -5},
    {".5", 0.5},
    {"+.5", 0.5},
    {"-.5", -0.5},
    {"1.25", 1.25},
    {"00012.500", 12.5},
    {"1e3", 1000},
    {"1E3", 1000},
    {"1e+3", 1000},
    {"1e-3", 1e-3},
    {"1.5e-3", 1.5e-3},
    {"5.e2", 500},
    {".5e1", 5},
    {"1e0003", 1000},
    {"1e-0003", 1e-3},
    {"0e99999999999999999999", 0},
    {"-0e-99999999999999999999", -0.0},
    {"1e-99999999999999999999", 0},
    {"-1e-400", -0.0},
    {"123456789012345678901234567890e-29", 1.2345678901234567},
    {"9007199254740993", 9007199254740992},
    {"9007199254740993.0000000000000000000000001", 9007199254740994},
    {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
    {"4.9406564584124654e-324", 5e-324},
    {"2.4703282292062327208e-324", 0},
    {"2.4703282292062327209e-324", 5e-324},
    {"2.2250738585072011e-308", 2.2250738585072011e-308},
    {"3.4028234e38", 3.4028234e38},
    {"-3.4028235e38", -3.4028235e38},
};

TEST(ParseNumber, FiniteTable) {
  for (const auto& [word, value] : kFiniteCases) {
    const Number number = ParseNumber(word);
    EXPECT_EQ(number.kind, NumberKind::kFinite) << word;
    EXPECT_EQ(std::bit_cast<uint64_t>(number.value),
              std::bit_cast<uint64_t>(value))
        << word << " read as " << number.value;
  }
}

TEST(ParseNumber, ManyDigitsAreNoLimit) {
  const std::string zeros(5000, '0');
  EXPECT_EQ(ParseNumber("1" + zeros + "e-5000").value, 1);
  EXPECT_EQ(ParseNumber("0." + zeros + "1e5001").value, 1);
  EXPECT_EQ(ParseNumber("0." + zeros).kind, NumberKind::kFinite);
  EXPECT_EQ(ParseNumber("1" + zeros).kind, NumberKind::kOutOfRange);
  EXPECT_EQ(ParseNumber("9007199254740993." + zeros + "1").value,
            9007199254740994);
}

TEST(ParseNumber, OutOfRangeTable) {
  const FiniteCase kCases[] = {
      {"1e39", 1e39},
      {"-1e39", -1e39},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"1e309", kInf},
      {"-1e309", -kInf},
      {"1e99999999999999999999", kInf},
      // Half way between the largest float and 2^128: rounds to infinity.
      {"3.4028235677973366163753939545814e38", 0x1.ffffffp127},
  };
  for (const auto& [word, value] : kCases) {
    const Number number = ParseNumber(word);
    EXPECT_EQ(number.kind, NumberKind::kOutOfRange) << word;
    EXPECT_EQ(number.value, value) << word;
  }
  EXPECT_EQ(ParseNumber("3.4028235677973362e38").kind, NumberKind::kFinite);
}

TEST(ParseNumber, NotFiniteTable) {
  for (const std::string_view word :
       {"nan", "NaN", "NAN", "-nan", "+nan", "-nan(ind)", "nan(ind)",
        "nan(snan)", "1.#IND", "-1.#IND", "-1.#IND00", "1.#QNAN", "1.#QNAN0",
        "-1.#QNAN", "1.#SNAN"}) {
    const Number number = ParseNumber(word);
    EXPECT_EQ(number.kind, NumberKind::kNotFinite) << word;
    EXPECT_TRUE(std::isnan(number.value)) << word;
  }
  for (const std::string_view word : {"inf", "Inf", "INF", "+inf", "infinity",
                                      "Infinity", "1.#INF", "1.#INF00"}) {
    const Number number = ParseNumber(word);
    EXPECT_EQ(number.kind, NumberKind::kNotFinite) << word;
    EXPECT_EQ(number.value, kInf) << word;
  }
  for (const std::string_view word :
       {"-inf", "-Inf", "-INFINITY", "-1.#INF", "-1.#INF00"}) {
    const Number number = ParseNumber(word);
    EXPECT_EQ(number.kind, NumberKind::kNotFinite) << word;
    EXPECT_EQ(number.value, -kInf) << word;
  }
}

constexpr std::string_view kInvalidWords[] = {
    "",
    " ",
    "+",
    "-",
    ".",
    "+.",
    "-.",
    "e",
    "e5",
    "E+5",
    ".e5",
    "-.e5",
    "1e",
    "1e+",
    "1e-",
    "1.e",
    "1e5.5",
    "1e1e1",
    "1e+-5",
    "1e 5",
    "--5",
    "++5",
    "+-5",
    "-+5",
    "5-",
    "5+",
    "1-2",
    "1.0-2.0",
    "1.2.3",
    "1..2",
    "..5",
    "1,5",
    "1,000",
    "1;",
    "1'000",
    "1_000",
    "0x10",
    "0x1p3",
    "0b101",
    "1.0f",
    "1.0L",
    "1d5",
    "1.0D+02",
    "1%",
    "1\xC2\xB0",
    " 1",
    "1 ",
    "\t1",
    "1\n",
    "1 2",
    "\"1\"",
    "[1]",
    "{1}",
    "*",
    "?",
    "abc",
    "None",
    "null",
    "NA",
    "true",
    "nanx",
    "nan(",
    "xnan",
    "in",
    "infi",
    "infinit",
    "infinityx",
    "1.#",
    "1.#X",
    "1.#I",
    "2.#INF",
    "\u22125",
    "\xEF\xBC\x95",
    "\xB1",
};

TEST(ParseNumber, InvalidTable) {
  for (const std::string_view word : kInvalidWords) {
    const Number number = ParseNumber(word);
    EXPECT_EQ(number.kind, NumberKind::kInvalid) << word;
    EXPECT_EQ(number.value, 0) << word;
  }
}

TEST(ParseNumber, NulIsNoEnd) {
  for (const std::string_view word : {std::string_view("1\0", 2),
                                      std::string_view("\0"
                                                       "1",
                                                       2),
                                      std::string_view("1\0"
                                                       "2",
                                                       3),
                                      std::string_view("nan\0", 4)}) {
    EXPECT_EQ(ParseNumber(word).kind, NumberKind::kInvalid) << word;
  }
}

TEST(ParseNumber, EveryShortWordOfTheAlphabet) {
  constexpr std::string_view kAlphabet = "+-.e07";
  // The grammar, as a state machine: what may follow what.
  const auto is_number = [](const std::string& word) {
    size_t i = 0;
    const auto digits = [&] {
      const size_t from = i;
      while (i < word.size() && (word[i] == '0' || word[i] == '7')) ++i;
      return i - from;
    };
    const auto sign = [&] {
      if (i < word.size() && (word[i] == '+' || word[i] == '-')) ++i;
    };
    sign();
    size_t count = digits();
    if (i < word.size() && word[i] == '.') {
      ++i;
      count += digits();
    }
    if (count == 0) return false;
    if (i == word.size()) return true;
    if (word[i++] != 'e') return false;
    sign();
    return digits() > 0 && i == word.size();
  };
  for (int length = 1; length <= 6; ++length) {
    const int words = static_cast<int>(std::pow(6, length));
    for (int n = 0; n < words; ++n) {
      std::string word;
      for (int k = 0, rest = n; k < length; ++k, rest /= 6) {
        word += kAlphabet[rest % 6];
      }
      const bool valid = ParseNumber(word).kind != NumberKind::kInvalid;
      ASSERT_EQ(valid, is_number(word)) << word;
      if (valid) {
        ASSERT_EQ(ParseNumber(word).value, std::strtod(word.c_str(), nullptr));
      }
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
