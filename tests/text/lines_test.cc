#include "bvhmill/text/lines.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAreArray;

struct ExpectedLine {
  std::string_view text;
  TextPosition start;
};

struct LinesCase {
  std::string_view what;
  std::string_view text;
  std::vector<ExpectedLine> lines;
  TextPosition end;
};

void CheckLines(const LinesCase& c, const TextPosition& start) {
  SCOPED_TRACE(c.what);
  LineReader reader(c.text, start);
  Line line;
  for (const ExpectedLine& expected : c.lines) {
    EXPECT_EQ(reader.next().offset, expected.start.offset);
    ASSERT_TRUE(reader.Next(&line)) << expected.text;
    EXPECT_EQ(line.text, expected.text);
    EXPECT_EQ(line.start.offset, expected.start.offset);
    EXPECT_EQ(line.start.line, expected.start.line);
    EXPECT_EQ(line.start.column, expected.start.column);
  }
  EXPECT_FALSE(reader.Next(&line)) << line.text;
  EXPECT_FALSE(reader.Next(&line));
  EXPECT_EQ(reader.next().offset, c.end.offset);
  EXPECT_EQ(reader.next().line, c.end.line);
  EXPECT_EQ(reader.next().column, c.end.column);
}

TEST(LineReader, Table) {
  const LinesCase cases[] = {
      {"empty", "", {}, {0, 1, 1}},
      {"no line end", "ab", {{"ab", {0, 1, 1}}}, {2, 1, 3}},
      {"LF", "ab\nc\n", {{"ab", {0, 1, 1}}, {"c", {3, 2, 1}}}, {5, 3, 1}},
      {"CR", "ab\rc\r", {{"ab", {0, 1, 1}}, {"c", {3, 2, 1}}}, {5, 3, 1}},
      {"CRLF", "ab\r\nc", {{"ab", {0, 1, 1}}, {"c", {4, 2, 1}}}, {5, 2, 2}},
      {"CR CR LF: a blank line between",
       "a\r\r\nb",
       {{"a", {0, 1, 1}}, {"", {2, 2, 1}}, {"b", {4, 3, 1}}},
       {5, 3, 2}},
      {"LF CR: a blank line between",
       "a\n\rb",
       {{"a", {0, 1, 1}}, {"", {2, 2, 1}}, {"b", {3, 3, 1}}},
       {4, 3, 2}},
      {"blank lines", "\n\n", {{"", {0, 1, 1}}, {"", {1, 2, 1}}}, {2, 3, 1}},
      {"a CR as the last byte", "a\r", {{"a", {0, 1, 1}}}, {2, 2, 1}},
      {"blanks stay", " a\t\n", {{" a\t", {0, 1, 1}}}, {4, 2, 1}},
  };
  for (const LinesCase& c : cases) CheckLines(c, {});
}

TEST(LineReader, StartsInsideALine) {
  const LinesCase c = {"from byte 3 of line 7",
                       "cd\r\nef\n",
                       {{"cd", {3, 7, 4}}, {"ef", {7, 8, 1}}},
                       {10, 9, 1}};
  CheckLines(c, {3, 7, 4});
}

TEST(LineReader, StartsAtALineEnd) {
  const LinesCase c = {"before the line end",
                       "\ncd",
                       {{"", {2, 1, 3}}, {"cd", {3, 2, 1}}},
                       {5, 2, 3}};
  CheckLines(c, {2, 1, 3});
  const LinesCase end = {"at the end", "", {}, {3, 2, 1}};
  CheckLines(end, {3, 2, 1});
}

TEST(LineReader, SkipsWholeLines) {
  LineReader reader("a\r\nb\n\nc", {10, 4, 1});
  Line line;
  ASSERT_TRUE(reader.Next(&line));
  EXPECT_EQ(reader.taken(), 3U);
  reader.Skip(3, 2);
  EXPECT_EQ(reader.rest(), "c");
  ASSERT_TRUE(reader.Next(&line));
  EXPECT_EQ(line.text, "c");
  EXPECT_EQ(line.start.offset, 16);
  EXPECT_EQ(line.start.line, 7);
  EXPECT_FALSE(reader.Next(&line));
}

TEST(LineReader, SkipsNothingOrOneLineEnd) {
  LineReader reader("a b\n\nc", {10, 4, 1});
  Line line;
  ASSERT_TRUE(reader.Next(&line));
  reader.Skip(0, 0);
  EXPECT_EQ(reader.taken(), 4U);
  reader.Skip(1, 1);
  EXPECT_EQ(reader.rest(), "c");
  EXPECT_EQ(reader.next().line, 6);
  EXPECT_EQ(reader.next().column, 1);
}

TEST(LineReader, FindsLineEndsAtAnyDistance) {
  for (size_t length = 0; length < 200; ++length) {
    const std::string text = std::string(length, 'x') + "\n" + "y";
    LineReader reader(text, {});
    Line line;
    ASSERT_TRUE(reader.Next(&line));
    EXPECT_EQ(line.text.size(), length);
    ASSERT_TRUE(reader.Next(&line));
    EXPECT_EQ(line.text, "y");
    EXPECT_EQ(line.start.offset, static_cast<int64_t>(length) + 1);
  }
}

TEST(Line, AtCountsFromItsStart) {
  const Line line = {"12 34", {100, 9, 21}};
  EXPECT_EQ(line.At(0).offset, 100);
  EXPECT_EQ(line.At(3).offset, 103);
  EXPECT_EQ(line.At(3).line, 9);
  EXPECT_EQ(line.At(3).column, 24);
  EXPECT_EQ(line.At(5).column, 26);
}

std::vector<std::string> WordsOfLine(std::string_view line) {
  std::vector<std::string> words;
  size_t index = 0;
  while (true) {
    const std::string_view word = NextWord(line, &index);
    if (word.empty()) break;
    EXPECT_EQ(word.data() + word.size(), line.data() + index);
    words.emplace_back(word);
  }
  EXPECT_EQ(index, line.size());
  return words;
}

TEST(NextWord, Table) {
  const struct {
    std::string_view line;
    std::vector<std::string> words;
  } kCases[] = {
      {"", {}},
      {" \t\v\f", {}},
      {"a", {"a"}},
      {"  a b\t\tc ", {"a", "b", "c"}},
      {"a\vb\fc", {"a", "b", "c"}},
      {"1,5 {x}", {"1,5", "{x}"}},
      // A no-break space is not a blank.
      {"a\xC2\xA0z", {"a\xC2\xA0z"}},
  };
  for (const auto& [line, words] : kCases) {
    EXPECT_THAT(WordsOfLine(line), ElementsAreArray(words)) << line;
  }
}

TEST(TrimBlanks, CutsBlanksAroundOnly) {
  EXPECT_EQ(TrimBlanks(""), "");
  EXPECT_EQ(TrimBlanks(" \t\v\f"), "");
  EXPECT_EQ(TrimBlanks("a"), "a");
  EXPECT_EQ(TrimBlanks("\t a b \f"), "a b");
}

TEST(BlankLines, AreCountedAtBothEnds) {
  const struct {
    std::string_view text;
    int64_t leading;
    int64_t trailing;
  } kCases[] = {
      {"", 0, 0},
      {"a", 0, 0},
      {"a\n", 0, 0},
      {"a  \n", 0, 0},
      {"a\n\n", 0, 1},
      {"a\n \t\r\n\n", 0, 2},
      // The last line lacks its end.
      {"a\n  ", 0, 1},
      {"a  ", 0, 0},
      {"\n a\n", 1, 0},
      {"\r\n\r\n a\r\n\r\n", 2, 1},
      {"\r\ra\r\r", 2, 1},
      {"a\n\nb", 0, 0},
  };
  for (const auto& [text, leading, trailing] : kCases) {
    EXPECT_EQ(LeadingBlankLines(text), leading) << text;
    EXPECT_EQ(TrailingBlankLines(text), trailing) << text;
  }
}

TEST(IsComment, LooksAtTheFirstWordOnly) {
  for (const std::string_view line :
       {"#", "# a", "#a", "//", "//a", "// a", " \t# a", "///"}) {
    EXPECT_TRUE(IsComment(line)) << line;
  }
  for (const std::string_view line :
       {"", " ", "a", "a # b", "a // b", "/", "/ /", "/*", ";", "1 #"}) {
    EXPECT_FALSE(IsComment(line)) << line;
  }
}

}  // namespace
}  // namespace bvhmill::testing
