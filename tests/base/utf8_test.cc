#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/base/text.h"

namespace bvhmill::testing {
namespace {

using std::string_view_literals::operator""sv;

struct WellFormedCase {
  std::string_view bytes;
  bool well_formed;
};

constexpr WellFormedCase kWellFormedCases[] = {
    {"", true},
    {"plain ASCII", true},
    {"\x00\x7F"sv, true},
    {"\xC2\x80", true},          // U+0080
    {"\xDF\xBF", true},          // U+07FF
    {"\xE0\xA0\x80", true},      // U+0800
    {"\xED\x9F\xBF", true},      // U+D7FF
    {"\xEE\x80\x80", true},      // U+E000
    {"\xEF\xBF\xBF", true},      // U+FFFF
    {"\xF0\x90\x80\x80", true},  // U+10000
    {"\xF4\x8F\xBF\xBF", true},  // U+10FFFF
    // Continuation bytes without a leader, leaders without continuation.
    {"\x80", false},
    {"a\xBFz", false},
    {"\xC3", false},
    {"\xC3(", false},
    {"\xE2\x82", false},
    {"\xE2\x82z", false},
    {"\xF0\x9F\x98", false},
    {"\xC3\xA9\x80", false},
    // Overlong forms.
    {"\xC0\x80", false},
    {"\xC1\xBF", false},
    {"\xE0\x80\x80", false},
    {"\xE0\x9F\xBF", false},
    {"\xF0\x80\x80\x80", false},
    {"\xF0\x8F\xBF\xBF", false},
    // Surrogates.
    {"\xED\xA0\x80", false},
    {"\xED\xBF\xBF", false},
    {"\xED\xA0\x80\xED\xB0\x80", false},
    // Above U+10FFFF, and bytes that never occur.
    {"\xF4\x90\x80\x80", false},
    {"\xF5\x80\x80\x80", false},
    {"\xF8\x88\x80\x80\x80", false},
    {"\xFE", false},
    {"\xFF", false},
};

TEST(IsUtf8, Table) {
  for (const auto& [bytes, well_formed] : kWellFormedCases) {
    EXPECT_EQ(IsUtf8(bytes), well_formed) << Excerpt(bytes);
  }
}

// The three or four byte pattern of `code`, even where UTF-8 forbids it.
std::string Encode(uint32_t code) {
  const auto tail = [&](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  if (code < 0x10000) {
    return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  }
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

TEST(IsUtf8, EveryPatternOfThreeAndFourBytes) {
  for (uint32_t code = 0; code < 0x200000; ++code) {
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    const bool well_formed = code >= 0x800 && code <= 0x10FFFF && !surrogate;
    ASSERT_EQ(IsUtf8(Encode(code)), well_formed) << std::hex << code;
  }
}

TEST(IsUtf8, LongTextsWithTheFaultAtAnyPlace) {
  std::string text(67, 'x');
  ASSERT_TRUE(IsUtf8(text));
  for (size_t i = 0; i < text.size(); ++i) {
    text[i] = '\xC3';
    EXPECT_FALSE(IsUtf8(text)) << i;
    text[i] = 'x';
  }
}

struct ToUtf8Case {
  std::string_view what;
  std::string_view bytes;
  std::string_view utf8;
};

constexpr ToUtf8Case kToUtf8Cases[] = {
    {"empty", "", ""},
    {"ASCII", "Left Hand", "Left Hand"},
    {"UTF-8 stays", "\xE5\xB7\xA6\xE8\x85\x95", "\xE5\xB7\xA6\xE8\x85\x95"},
    {"Shift-JIS: left arm", "\x8D\xB6\x98\x72", "\xE5\xB7\xA6\xE8\x85\x95"},
    {"Shift-JIS with a trail byte 5C", "\x83\x5C", "\xE3\x82\xBD"},
    {"Shift-JIS with a trail byte 7B", "\x83\x7B", "\xE3\x83\x9C"},
    {"GBK: left hand", "\xD7\xF3\xCA\xD6", "\xE5\xB7\xA6\xE6\x89\x8B"},
    {"Latin-1: lead byte at the end", "Ren\xE9", "Ren\xC3\xA9"},
    {"Latin-1: lead byte before a blank", "Ren\xE9 1", "Ren\xC3\xA9 1"},
    {"Latin-1: no byte of Shift-JIS", "\xFF", "\xC3\xBF"},
};

TEST(ToUtf8, Table) {
  for (const auto& [what, bytes, utf8] : kToUtf8Cases) {
    EXPECT_EQ(ToUtf8(bytes), utf8) << what;
  }
}

TEST(ToUtf8, GivesUtf8ForEveryPairOfBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string bytes = {static_cast<char>(a), static_cast<char>(b)};
      ASSERT_TRUE(IsUtf8(ToUtf8(bytes))) << a << " " << b;
    }
  }
}

TEST(Excerpt, KeepsWhatFits) {
  EXPECT_EQ(Excerpt(""), "");
  EXPECT_EQ(Excerpt("Left Hand"), "Left Hand");
  EXPECT_EQ(Excerpt(std::string(80, 'x')), std::string(80, 'x'));
  EXPECT_EQ(Excerpt("12345", 5), "12345");
}

TEST(Excerpt, CutsAndSaysSo) {
  EXPECT_EQ(Excerpt(std::string(81, 'x')), std::string(80, 'x') + "...");
  EXPECT_EQ(Excerpt("123456", 5), "12345...");
  EXPECT_EQ(Excerpt("x", 0), "...");
}

TEST(Excerpt, LeavesOutACharacterThatDoesNotFit) {
  // Characters of two, three and four bytes, at each place where they are cut.
  for (const std::string character :
       {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\xA6\xB5"}) {
    for (size_t kept = 0; kept < character.size(); ++kept) {
      EXPECT_EQ(Excerpt("ab" + character, 2 + kept), "ab...") << kept;
    }
    EXPECT_EQ(Excerpt("ab" + character, 2 + character.size()),
              "ab" + character);
  }
}

TEST(Excerpt, NeverCutsACharacterInTwo) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xE2\x82\xAC";
  for (size_t max_bytes = 0; max_bytes < 12; ++max_bytes) {
    const std::string excerpt = Excerpt(text, max_bytes);
    ASSERT_TRUE(excerpt.ends_with("...")) << excerpt;
    const size_t kept = excerpt.size() - 3;
    EXPECT_LE(kept, max_bytes);
    EXPECT_EQ(kept % 3, 0) << excerpt;
    EXPECT_EQ(excerpt.substr(0, kept), text.substr(0, kept));
  }
}

TEST(Excerpt, EscapesControlCharacters) {
  EXPECT_EQ(Excerpt("a\tb"), "a\\x09b");
  EXPECT_EQ(Excerpt("\x00\x01"sv), "\\x00\\x01");
  for (int c = 0; c < 0x20; ++c) {
    const std::string excerpt = Excerpt(std::string(1, static_cast<char>(c)));
    EXPECT_EQ(excerpt.size(), 4) << c;
    EXPECT_TRUE(excerpt.starts_with("\\x")) << c;
  }
  EXPECT_TRUE(Excerpt("\x7F").starts_with("\\x"));
}

// U+0080 to U+009F; U+009B begins escape sequences of terminals.
TEST(Excerpt, EscapesControlCharactersOfTwoBytes) {
  for (int c = 0x80; c <= 0x9F; ++c) {
    const std::string control = {'\xC2', static_cast<char>(c)};
    EXPECT_EQ(Excerpt(control).find(control), std::string::npos) << c;
  }
  EXPECT_EQ(Excerpt("a\xC2\x85"), "a\\xC2\\x85");
  EXPECT_EQ(Excerpt("\xC2\xA0"), "\xC2\xA0");
}

std::string Utf8Of(uint32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) {
    return {static_cast<char>(0xC0 | (code >> 6)),
            static_cast<char>(0x80 | (code & 0x3F))};
  }
  return Encode(code);
}

// Each range with its neighbours, which are shown.
TEST(Excerpt, EscapesWhatIsObeyedOrHidden) {
  struct Range {
    uint32_t first;
    uint32_t last;
    const char* what;
  };
  constexpr Range kRanges[] = {
      {0x00AD, 0x00AD, "soft hyphen"},
      {0x061C, 0x061C, "Arabic letter mark"},
      {0x115F, 0x1160, "Hangul fillers"},
      {0x200B, 0x200F, "zero width, marks of direction"},
      {0x2028, 0x202E, "separators of lines and paragraphs, direction"},
      {0x2060, 0x206F, "word joiner, isolates"},
      {0xFE00, 0xFE0F, "variation selectors"},
      {0xFEFF, 0xFEFF, "byte order mark"},
      {0xFFF0, 0xFFFB, "annotations"},
      {0xFFFE, 0xFFFF, "no characters"},
      {0xE0000, 0xE0FFF, "tags"},
  };
  for (const auto& [first, last, what] : kRanges) {
    for (uint32_t code = first - 1; code <= last + 1; ++code) {
      if (code > 0xFFFF && last == 0xFFFF) continue;
      const std::string character = Utf8Of(code);
      const bool is_escaped = code >= first && code <= last;
      EXPECT_EQ(Excerpt(character) != character, is_escaped)
          << what << " " << std::hex << code;
    }
  }
  EXPECT_EQ(Excerpt("a\xE2\x80\xAE"), "a\\xE2\\x80\\xAE");
}

TEST(PlainJson, MeansTheSame) {
  EXPECT_EQ(PlainJson("{\"a\":1}\n"), "{\"a\":1}\n");
  EXPECT_EQ(PlainJson("\"\x7F\xC2\x9B\xE2\x80\xA8\""),
            "\"\\u007f\\u009b\\u2028\"");
  EXPECT_EQ(PlainJson("\"\xF3\xA0\x81\x81\""), "\"\\udb40\\udc41\"");
  EXPECT_EQ(PlainJson("\"\xE2\x82\xAC\xF0\x9F\xA6\xB5\""),
            "\"\xE2\x82\xAC\xF0\x9F\xA6\xB5\"");
}

TEST(Excerpt, CountsInputAndNotOutput) {
  EXPECT_EQ(Excerpt("\x01\x02\x03\x04", 3), "\\x01\\x02\\x03...");
}

TEST(Excerpt, IsUtf8ForAnyBytes) {
  std::string all;
  for (int c = 255; c >= 0; --c) all += static_cast<char>(c);
  for (size_t max_bytes = 0; max_bytes <= all.size(); ++max_bytes) {
    ASSERT_TRUE(IsUtf8(Excerpt(all, max_bytes))) << max_bytes;
  }
}

TEST(Quote, PutsTheExcerptInSingleQuotes) {
  EXPECT_EQ(Quote("Hips"), "'Hips'");
  EXPECT_EQ(Quote(""), "''");
  EXPECT_EQ(Quote("a\nb"), "'" + Excerpt("a\nb") + "'");
  EXPECT_EQ(Quote(std::string(500, 'x')), "'" + std::string(80, 'x') + "...'");
}

}  // namespace
}  // namespace bvhmill::testing
