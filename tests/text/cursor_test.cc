#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "bvhmill/text/lines.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAreArray;

// "line:column:word", with '!' after a word that is the first on its line.
std::string Print(const Word& word) {
  return std::to_string(word.place.line) + ":" +
         std::to_string(word.place.column) + ":" + std::string(word.text) +
         (word.first_on_line ? "!" : "");
}

std::vector<std::string> WordsOf(std::string_view text) {
  Cursor cursor(text, 0);
  std::vector<std::string> words;
  for (Word word = cursor.Next(); !word.text.empty(); word = cursor.Next()) {
    EXPECT_EQ(word.text.data() - text.data(), word.place.offset);
    words.push_back(Print(word));
  }
  return words;
}

TEST(Cursor, WordsTable) {
  const struct {
    std::string_view text;
    std::vector<std::string> words;
  } kCases[] = {
      {"", {}},
      {" \t\r\n\v\f\n", {}},
      {"a", {"1:1:a!"}},
      {" a b\n c", {"1:2:a!", "1:4:b", "2:2:c!"}},
      {"a\rb\r\nc\r\r\nd", {"1:1:a!", "2:1:b!", "3:1:c!", "5:1:d!"}},
      {"a{b}c", {"1:1:a!", "1:2:{", "1:3:b", "1:4:}", "1:5:c"}},
      {"}}\n{{", {"1:1:}!", "1:2:}", "2:1:{!", "2:2:{"}},
      {"# x { y\na", {"2:1:a!"}},
      {"a\n  // b\nc", {"1:1:a!", "3:1:c!"}},
      {"a # b", {"1:1:a!", "1:3:#", "1:5:b"}},
      {"a #b\n#c\nd", {"1:1:a!", "1:3:#b", "3:1:d!"}},
      {"1,5 -.5e3", {"1:1:1,5!", "1:5:-.5e3"}},
  };
  for (const auto& [text, words] : kCases) {
    EXPECT_THAT(WordsOf(text), ElementsAreArray(words)) << text;
  }
}

TEST(Cursor, EndOfTextIsAnEmptyWordWithAPlace) {
  Cursor cursor("ab\n  ", 0);
  cursor.Next();
  const Word end = cursor.Next();
  EXPECT_EQ(end.text, "");
  EXPECT_EQ(end.place.line, 2);
  EXPECT_EQ(end.place.offset, 5);
  EXPECT_EQ(cursor.Next().text, "");
}

TEST(Cursor, StartsAfterAByteOrderMark) {
  Cursor cursor(
      "\xEF\xBB\xBF"
      "ROOT",
      3);
  const Word word = cursor.Next();
  EXPECT_EQ(word.text, "ROOT");
  EXPECT_EQ(word.place.offset, 3);
  EXPECT_EQ(word.place.line, 1);
  EXPECT_EQ(word.place.column, 4);
  EXPECT_TRUE(word.first_on_line);
}

TEST(Cursor, PeekDoesNotMove) {
  Cursor cursor(" a\n#x\nb", 0);
  EXPECT_EQ(Print(cursor.Peek()), "1:2:a!");
  EXPECT_EQ(cursor.place().offset, 0);
  EXPECT_EQ(Print(cursor.Next()), "1:2:a!");
  EXPECT_EQ(Print(cursor.Peek()), "3:1:b!");
  EXPECT_EQ(cursor.comments(), 0);
  EXPECT_EQ(Print(cursor.Next()), "3:1:b!");
  EXPECT_EQ(cursor.comments(), 1);
}

TEST(Cursor, CountsCommentsAndKnowsTheFirst) {
  Cursor cursor("a\n # b\n// c\nd\n#", 0);
  cursor.Next();
  EXPECT_EQ(cursor.comments(), 0);
  cursor.Next();
  EXPECT_EQ(cursor.comments(), 2);
  EXPECT_EQ(cursor.Next().text, "");
  EXPECT_EQ(cursor.comments(), 3);
  EXPECT_EQ(cursor.first_comment().line, 2);
}

TEST(Cursor, ACopyIsABookmark) {
  Cursor cursor("a b c", 0);
  cursor.Next();
  const Cursor bookmark = cursor;
  cursor.Next();
  cursor = bookmark;
  EXPECT_EQ(cursor.Next().text, "b");
}

TEST(Cursor, ToWordStopsBeforeTheWord) {
  Cursor cursor("\n \n  a", 0);
  cursor.ToWord();
  EXPECT_EQ(cursor.place().offset, 5);
  EXPECT_EQ(cursor.place().line, 3);
  EXPECT_EQ(cursor.place().column, 3);
  EXPECT_EQ(Print(cursor.Next()), "3:3:a!");
}

TEST(Cursor, PeekLineNeverContainsALineEnd) {
  for (const std::string_view line_end : {"\n", "\r", "\r\n", ""}) {
    const std::string text = "ROOT  Left Hand \t" + std::string(line_end);
    Cursor cursor(text, 0);
    EXPECT_EQ(cursor.PeekLine(), "ROOT  Left Hand \t");
    cursor.Next();
    EXPECT_EQ(cursor.PeekLine(), "  Left Hand \t");
    cursor.Skip(13);
    EXPECT_EQ(cursor.PeekLine(), "");
  }
}

TEST(Cursor, PeekLineIsCutWhereAskedFor) {
  const Cursor cursor("abcdef\nghi", 0);
  EXPECT_EQ(cursor.PeekLine(0), "");
  EXPECT_EQ(cursor.PeekLine(3), "abc");
  EXPECT_EQ(cursor.PeekLine(6), "abcdef");
  EXPECT_EQ(cursor.PeekLine(7), "abcdef");
  EXPECT_EQ(cursor.PeekLine(1000), "abcdef");
}

TEST(Cursor, PeekLineAndSkipStayInTheLine) {
  Cursor cursor("ab  cd \r\nef", 0);
  cursor.Next();
  EXPECT_EQ(cursor.PeekLine(), "  cd ");
  EXPECT_EQ(cursor.PeekLine(), "  cd ");
  cursor.Skip(3);
  EXPECT_EQ(cursor.place().column, 6);
  EXPECT_EQ(cursor.PeekLine(), "d ");
  EXPECT_EQ(cursor.Next().text, "d");
  cursor.SkipBlanks();
  EXPECT_EQ(cursor.PeekLine(), "");
  EXPECT_EQ(cursor.place().line, 1);
  EXPECT_EQ(Print(cursor.Next()), "2:1:ef!");
}

TEST(Describe, QuotesWordsAndNamesTheEnd) {
  EXPECT_EQ(Describe(Word{"JIONT", {}, false}), "'JIONT'");
  EXPECT_EQ(Describe(Word{"", {}, false}), "the end of the file");
  const std::string long_word(500, 'x');
  EXPECT_LT(Describe(Word{long_word, {}, false}).size(), 100);
}

TEST(EqualsIgnoreCase, FoldsAsciiLettersOnly) {
  EXPECT_TRUE(EqualsIgnoreCase("", ""));
  EXPECT_TRUE(EqualsIgnoreCase("RoOt", "rOoT"));
  EXPECT_FALSE(EqualsIgnoreCase("ROOT", "ROOTS"));
  EXPECT_FALSE(EqualsIgnoreCase("ROOTS", "ROOT"));
  // Pairs that differ by 0x20 only and are no letters.
  EXPECT_FALSE(EqualsIgnoreCase("[", "{"));
  EXPECT_FALSE(EqualsIgnoreCase("@", "`"));
  EXPECT_FALSE(EqualsIgnoreCase("\xC3\x89", "\xC3\xA9"));
}

TEST(StartsWithIgnoreCase, Table) {
  EXPECT_TRUE(StartsWithIgnoreCase("Frames:", "FRAMES"));
  EXPECT_TRUE(StartsWithIgnoreCase("frames", "frames"));
  EXPECT_TRUE(StartsWithIgnoreCase("x", ""));
  EXPECT_FALSE(StartsWithIgnoreCase("Frame", "Frames"));
  EXPECT_FALSE(StartsWithIgnoreCase("xFrames", "Frames"));
}

}  // namespace
}  // namespace bvhmill::testing
