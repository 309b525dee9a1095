// Issues about the motion state the line of their row, if each row is a line.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/converted.h"

namespace bvhmill::testing {
namespace {

constexpr char kHeader[] =
    "HIERARCHY\n"
    "ROOT Hips\n"
    "{\n"
    "OFFSET 0 0 0\n"
    "CHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n"
    "{\n"
    "OFFSET 0 1 0\n"
    "}\n"
    "}\n"
    "MOTION\n"
    "Frames: 300\n"
    "Frame Time: 0.0083333\n";
constexpr int64_t kHeaderLines = 13;
// The joint turns evenly, and is elsewhere in this frame.
constexpr int64_t kSpike = 200;

std::string Row(int64_t frame) {
  const int64_t angle = frame == kSpike ? 90 : 0;
  return std::to_string(angle) + " 0 0." + std::to_string(100 + frame);
}

// The file; `before` comes before the rows, `between` between rows 99 and 100,
// and `end` after the last row.
std::string FileWith(const std::string& before, const std::string& between,
                     const std::string& end) {
  std::string text = kHeader + before;
  for (int64_t t = 0; t < 300; ++t) {
    if (t > 0) text += t == 100 ? between : "\n";
    text += Row(t);
  }
  return text + end;
}

std::string WithEnds(std::string_view ends, const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += ends;
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<int64_t> LineOfSpike(const Converted& converted) {
  for (const Issue& issue : converted.result.report.issues) {
    if (issue.code == "DATA_SPIKE") return issue.location.line;
  }
  ADD_FAILURE() << "no spike";
  return std::nullopt;
}

void ExpectLine(const std::string& text, std::optional<int64_t> line) {
  ConvertOptions tiles;
  tiles.outputs = {{"", PositionsFormat{}}};
  Converter alone(Parallelism::None());
  Converter threads(Parallelism::Threads(4));
  EXPECT_EQ(LineOfSpike(ConvertWhole(text, {}, &alone)), line);
  EXPECT_EQ(LineOfSpike(ConvertWhole(text, tiles, &alone)), line);
  EXPECT_EQ(LineOfSpike(ConvertWhole(text, {}, &threads)), line);
  for (const size_t size : {1, 7, 500, 4096}) {
    EXPECT_EQ(LineOfSpike(ConvertPieces(text, {}, size, &alone)), line) << size;
  }
}

struct Case {
  const char* name;
  std::string text;
  std::optional<int64_t> line;
};

TEST(RowLines, AreThoseOfTheFile) {
  constexpr int64_t kLine = kHeaderLines + kSpike + 1;
  const std::vector<Case> cases = {
      {"usual", FileWith("", "\n", "\n"), kLine},
      {"no line end at the end", FileWith("", "\n", ""), kLine},
      {"blanks at the end", FileWith("", "\n", "\n\n  \n"), kLine},
      {"blanks without a line end", FileWith("", "\n", "\n\n  "), kLine},
      {"blanks in the last row", FileWith("", "\n", "  "), kLine},
      {"blank lines before the rows", FileWith("\n \n", "\n", "\n"), kLine + 2},
      {"a comment before the rows", FileWith("# rows\n", "\n", "\n"),
       kLine + 1},
      {"a blank line between rows", FileWith("", "\n\n", "\n"), {}},
      {"a blank line, no line end", FileWith("", "\n\n", ""), {}},
      {"a comment between rows", FileWith("", "\n# half\n", "\n"), {}},
      {"two rows in a line", FileWith("", " ", "\n"), {}},
      {"two rows in a line, then a blank one", FileWith("", " ", "\n\n"), {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ExpectLine(c.text, c.line);
    ExpectLine(WithEnds("\r\n", c.text), c.line);
    ExpectLine(WithEnds("\r", c.text), c.line);
  }
}

// A blank line between rows and two rows in another line leave the number of
// lines as it is.
TEST(RowLines, AreNotKnownIfRowsShareALineAfterABlankOne) {
  std::string text = FileWith("", "\n\n", "\n");
  const size_t at = text.find("\n" + Row(151));
  text[at] = ' ';
  ExpectLine(text, {});
}

}  // namespace
}  // namespace bvhmill::testing
