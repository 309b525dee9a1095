#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "bvhmill/text/number.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAreArray;

struct RowCase {
  std::string_view what;
  std::string_view line;
  size_t start;
  size_t room;
  std::vector<float> values;
  RowEnd end;
  size_t stop;
};

TEST(ScanLine, Table) {
  const RowCase cases[] = {
      {"empty", "", 0, 4, {}, RowEnd::kLineEnd, 0},
      {"blanks", " \t\v\f ", 0, 4, {}, RowEnd::kLineEnd, 5},
      {"just full", "1 2 3", 0, 3, {1, 2, 3}, RowEnd::kLineEnd, 5},
      {"blanks around", "\t1  2\t3 \f", 0, 3, {1, 2, 3}, RowEnd::kLineEnd, 9},
      {"short", "1 2", 0, 3, {1, 2}, RowEnd::kLineEnd, 3},
      {"surplus", "1 2 3 4", 0, 3, {1, 2, 3}, RowEnd::kFull, 6},
      {"a surplus word", "1 2  x", 0, 2, {1, 2}, RowEnd::kFull, 5},
      {"no room", "1", 0, 0, {}, RowEnd::kFull, 0},
      {"no room and no word", "  ", 0, 0, {}, RowEnd::kLineEnd, 2},
      {"a word first", "x 1", 0, 3, {}, RowEnd::kNotANumber, 0},
      {"a word between", "1 1,5 3", 0, 3, {1}, RowEnd::kNotANumber, 2},
      {"a word last", "1 2 3f", 0, 3, {1, 2}, RowEnd::kNotANumber, 4},
      {"glued", "1 2-3", 0, 3, {1}, RowEnd::kNotANumber, 2},
      {"a brace", "1 }", 0, 3, {1}, RowEnd::kNotANumber, 2},
      {"a lone sign", "1 -", 0, 3, {1}, RowEnd::kNotANumber, 2},
      {"an open exponent", "1 2e", 0, 3, {1}, RowEnd::kNotANumber, 2},
      {"from the middle", "1 2 3", 2, 3, {2, 3}, RowEnd::kLineEnd, 5},
      {"from the end", "1 2 3", 5, 3, {}, RowEnd::kLineEnd, 5},
      {"forms",
       "+1 -.5 5. .25 1e2 1E+2 25e-2 -0",
       0,
       8,
       {1, -0.5f, 5, 0.25f, 100, 100, 0.25f, -0.0f},
       RowEnd::kLineEnd,
       31},
  };
  for (const RowCase& c : cases) {
    SCOPED_TRACE(c.what);
    std::vector<float> values(c.room + 2, 77.0f);
    const LineScan scan = ScanLine(c.line, c.start, {values.data(), c.room});
    EXPECT_EQ(scan.values, c.values.size());
    EXPECT_EQ(scan.end, c.end);
    EXPECT_EQ(scan.stop, c.stop);
    EXPECT_FALSE(scan.has_non_finite);
    EXPECT_EQ(values[c.room], 77) << "written beyond the end";
    values.resize(scan.values);
    EXPECT_THAT(values, ElementsAreArray(c.values));
  }
}

struct GluedCase {
  std::string_view word;
  std::vector<float> values;
};

TEST(ScanGlued, Table) {
  const GluedCase cases[] = {
      {"", {}},
      {"1", {1}},
      {"-1", {-1}},
      {"0.0-7.5", {0, -7.5f}},
      {"-1-2+3", {-1, -2, 3}},
      {"1e-2-3", {0.01f, -3}},
      {"1E+2+3e-1", {100, 0.3f}},
      {".5-.5", {0.5f, -0.5f}},
      {"1.-2", {1, -2}},
      {"--1", {}},
      {"1--2", {}},
      {"1-", {}},
      {"1-2x", {}},
      {"x-2", {}},
      {"1,5-2", {}},
      {"1-nan", {}},
      {"1-1e39", {}},
      {"1.2.3", {}},
  };
  for (const GluedCase& c : cases) {
    SCOPED_TRACE(c.word);
    std::vector<float> values(4, 77.0f);
    EXPECT_EQ(ScanGlued(c.word, values), c.values.size());
    EXPECT_EQ(ScanGlued(c.word, {}), c.values.size());
    if (c.values.empty()) continue;
    EXPECT_EQ(values[c.values.size()], 77) << "written beyond the end";
    values.resize(c.values.size());
    EXPECT_THAT(values, ElementsAreArray(c.values));
  }
}

TEST(ScanGlued, ReadsALine) {
  std::vector<float> values(3);
  const GluedScan scan = ScanGluedLine(" 1 2-3 4-5 ", values);
  EXPECT_EQ(scan.values, 5);
  EXPECT_EQ(scan.begin, 3);
  EXPECT_EQ(scan.size, 3);
  EXPECT_EQ(scan.numbers, 2);
  EXPECT_THAT(values, ElementsAreArray({1, 2, -3}));
  EXPECT_EQ(ScanGluedLine("1 2-3 x", values).values, 0);
  EXPECT_EQ(ScanGluedLine("1 2 3", values).numbers, 0);
}

TEST(ScanLine, KeepsWhatIsNotFiniteAndSaysSo) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const auto& [word, expected] :
       std::vector<std::pair<std::string, float>>{{"nan", NAN},
                                                  {"-1.#IND00", NAN},
                                                  {"inf", kInf},
                                                  {"-inf", -kInf},
                                                  {"1.#INF", kInf},
                                                  {"1e39", kInf},
                                                  {"-1e400", -kInf}}) {
    std::vector<float> values(3);
    const LineScan scan = ScanLine("1 " + word + " 3", 0, values);
    EXPECT_EQ(scan.values, 3) << word;
    EXPECT_EQ(scan.end, RowEnd::kLineEnd) << word;
    EXPECT_TRUE(scan.has_non_finite) << word;
    EXPECT_EQ(std::isnan(values[1]), std::isnan(expected)) << word;
    if (!std::isnan(expected)) {
      EXPECT_EQ(values[1], expected) << word;
    }
    EXPECT_EQ(values[2], 3) << word;
  }
}

TEST(ScanLine, ANumberMayEndTheBuffer) {
  // A heap block of the exact size, so that sanitizers see reads beyond it.
  for (const std::string_view word : {"1", "-12.5", "1e5", "123456789.25"}) {
    const std::vector<char> exact(word.begin(), word.end());
    float value = 0;
    const LineScan scan =
        ScanLine({exact.data(), exact.size()}, 0, {&value, 1});
    EXPECT_EQ(scan.values, 1) << word;
    EXPECT_EQ(value, std::strtof(std::string(word).c_str(), nullptr));
  }
}

TEST(ScanLine, RandomRowsAreReadWordByWord) {
  std::mt19937_64 random(11);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  for (int row = 0; row < 2'000; ++row) {
    std::string line;
    std::vector<float> expected;
    const int words = below(40);
    for (int i = 0; i < words; ++i) {
      std::string word(below(2) == 0 ? "-" : "");
      word += std::to_string(below(1000)) + ".";
      for (int digits = below(9); digits > 0; --digits) {
        word += static_cast<char>('0' + below(10));
      }
      if (below(20) == 0) word += "e" + std::to_string(below(60) - 30);
      expected.push_back(
          static_cast<float>(std::strtod(word.c_str(), nullptr)));
      line += std::string(below(3) + (i > 0 ? 1 : 0), " \t\v\f"[below(4)]);
      line += word;
    }
    std::vector<float> values(expected.size());
    const LineScan scan = ScanLine(line, 0, values);
    ASSERT_EQ(scan.end, RowEnd::kLineEnd) << line;
    ASSERT_THAT(values, ElementsAreArray(expected)) << line;
  }
}

}  // namespace
}  // namespace bvhmill::testing
