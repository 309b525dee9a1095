// Parts of client/cli/ui that make text of their arguments alone.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "bvhmill/base/text.h"
#include "client/cli/ui/issue_lines.h"

namespace bvhmill::client {
namespace {

struct LineCase {
  std::string text;
  int64_t offset;
  std::string shown;
};

TEST(SourceLine, PointsAtThePlace) {
  const LineCase cases[] = {
      {"one\ntwo\nthree\n", 4, "  two\n  ^"},
      {"one\ntwo\nthree\n", 6, "  two\n    ^"},
      {"one\r\ntwo", 5, "  two\n  ^"},
      // The end of a line and that of the text.
      {"one\ntwo", 3, "  one\n     ^"},
      {"one\ntwo", 7, "  two\n     ^"},
      // Tabs stand above tabs.
      {"\tab\tcd", 4, "  \tab\tcd\n  \t  \t^"},
      // Characters of several bytes have the width of one; \xNN that of four.
      {"J\xC3\xB6 x", 4, "  J\xC3\xB6 x\n     ^"},
      // Characters of East Asia have the width of two, accents none.
      {"\xE8\x85\xB0\xE9\xAA\xA8 x", 7,
       "  \xE8\x85\xB0\xE9\xAA\xA8 x\n       ^"},
      {"\xED\x97\x88\t\xE3\x81\x82x", 7,
       "  \xED\x97\x88\t\xE3\x81\x82x\n    \t  ^"},
      {"e\xCC\x81 x", 4, "  e\xCC\x81 x\n    ^"},
      // A byte order mark is not shown.
      {"\xEF\xBB\xBFROOT x", 8, "  ROOT x\n       ^"},
      {"\xEF\xBB\xBFROOT x", 3, "  ROOT x\n  ^"},
      {"\xEF\xBB\xBFROOT x", 0, "  ROOT x\n  ^"},
      {"a\x1B[2Jb", 5, "  a\\x1B[2Jb\n          ^"},
      {std::string("PK\0\x03", 4), 0, "  PK\\x00\\x03\n  ^"},
      {"\xFF x", 2, "  \\xFF x\n       ^"},
      // Nothing to be seen.
      {"one\n\t \ntwo", 5, ""},
      {"", 0, ""},
      {"one", 4, ""},
      {"one", -1, ""},
  };
  for (const LineCase& c : cases) {
    EXPECT_EQ(SourceLine(c.text, c.offset), c.shown) << c.text;
  }
}

TEST(Utf16Column, CountsAsEditorsDo) {
  const struct {
    std::string_view text;
    int64_t offset;
    int64_t column;
  } cases[] = {
      {"one\ntwo", 0, 1},
      {"one\ntwo", 6, 3},
      {"one\r\ntwo", 5, 1},
      {"one", 3, 4},
      {"\ta", 1, 2},
      // Two bytes, one unit; four bytes, two units.
      {"\xC3\xB6 x", 3, 3},
      {"\xF0\x9F\x98\x80x", 4, 3},
      // Latin-1 has one byte a character.
      {"\xF6 x", 2, 3},
      // A byte order mark is no character.
      {"\xEF\xBB\xBFROOT x", 8, 6},
      {"a\n\xEF\xBB\xBFx", 5, 2},
      {"one", 4, 0},
      {"one", -1, 0},
  };
  for (const auto& [text, offset, column] : cases) {
    EXPECT_EQ(Utf16Column(text, offset), column) << text;
  }
}

TEST(SourceLine, LongLinesAreCutAroundThePlace) {
  const std::string line = std::string(1000, 'a') + std::string(50, 'b') + "c" +
                           std::string(1000, 'd');
  EXPECT_EQ(SourceLine(line, 1050), "  ..." + std::string(48, 'b') + "c" +
                                        std::string(23, 'd') + "...\n     " +
                                        std::string(48, ' ') + "^");
}

TEST(SourceLine, NoCharacterIsCutInHalf) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "\xE2\x82\xAC";
  for (int64_t offset = 120; offset < 180; offset += 3) {
    EXPECT_EQ(SourceLine(line, offset).find("\\x"), std::string::npos);
  }
  // Bytes before the place that make no multiple of three.
  for (const std::string_view first : {"a", "ab"}) {
    EXPECT_EQ(SourceLine(std::string(first) + line,
                         150 + static_cast<int64_t>(first.size()))
                  .find("\\x"),
              std::string::npos);
  }
}

TEST(Fixed, HasNoMinusBeforeZero) {
  const struct {
    double value;
    int decimals;
    const char* text;
  } kCases[] = {
      {-0.04, 1, "0.0"},
      {-0.0, 3, "0.000"},
      {-0.4, 0, "0"},
      {-0.06, 1, "-0.1"},
      {0.04, 1, "0.0"},
      {-12.34, 1, "-12.3"},
      {-10.0, 1, "-10.0"},
      {1e300, 0, nullptr},
      {-std::numeric_limits<double>::infinity(), 1, "-inf"},
  };
  for (const auto& c : kCases) {
    const std::string text = Fixed(c.value, c.decimals);
    if (c.text == nullptr) {
      EXPECT_EQ(text.size(), 301u) << c.value;
    } else {
      EXPECT_EQ(text, c.text) << c.value;
    }
  }
}

}  // namespace
}  // namespace bvhmill::client
