#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "bvhmill/report/report.h"

namespace bvhmill::testing {
namespace {

std::string Text(std::string_view view) { return std::string(view); }

TEST(Catalogue, NamesAreUniqueAndOfTheFormOfReasons) {
  // AIP-193: at most 63 characters of this pattern.
  const std::regex form("[A-Z][A-Z0-9_]+[A-Z0-9]");
  std::set<std::string_view> names;
  for (const CatalogueEntry& entry : Catalogue()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(std::regex_match(Text(entry.name), form)) << entry.name;
    EXPECT_LE(entry.name.size(), 63) << entry.name;
    EXPECT_NE(entry.name.find('_'), entry.name.npos) << entry.name;
  }
}

TEST(Catalogue, EntriesAreFoundByCodeAndByName) {
  EXPECT_FALSE(Catalogue().empty());
  for (const CatalogueEntry& entry : Catalogue()) {
    EXPECT_EQ(&EntryOf(entry.code), &entry) << entry.name;
    EXPECT_EQ(FindEntry(entry.name), &entry) << entry.name;
  }
  EXPECT_EQ(EntryOf(IssueCode::TEXT_EMPTY).name, "TEXT_EMPTY");
}

TEST(Catalogue, UnknownNamesAreNotFound) {
  for (const std::string_view name :
       {"", "NOPE", "text_empty", "TEXT_EMPT", "TEXT_EMPTY ", "TEXT_EMPTY_"}) {
    EXPECT_EQ(FindEntry(name), nullptr) << name;
  }
}

TEST(Catalogue, AGroupNamesTheCodesThatBeginSo) {
  const struct {
    const char* word;
    const char* code;
    bool is_named;
  } kCases[] = {
      {"DATA_SPIKE", "DATA_SPIKE", true}, {"DATA_SPIKE", "DATA_SPIN", false},
      {"DATA_*", "DATA_SPIKE", true},     {"DATA_SP*", "DATA_SPIN", true},
      {"DATA_*", "DATASET_UNITS", false}, {"data_*", "DATA_SPIKE", false},
      {"*", "DATA_SPIKE", false},         {"*_SPIKE", "DATA_SPIKE", false},
      {"", "DATA_SPIKE", false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(NamesCode(c.word, c.code), c.is_named) << c.word << " " << c.code;
  }
  EXPECT_TRUE(NamesAnyCode("SKELETON_*"));
  EXPECT_TRUE(NamesAnyCode("TEXT_EMPTY"));
  for (const char* word : {"", "*", "NONE_*", "TEXT_EMPT", "TEXT"}) {
    EXPECT_FALSE(NamesAnyCode(word)) << word;
  }
}

TEST(Catalogue, PlaceholdersAreWellFormed) {
  const std::regex placeholder(R"(\{[a-z][a-z_]*\})");
  for (const CatalogueEntry& entry : Catalogue()) {
    const std::string rest =
        std::regex_replace(Text(entry.message), placeholder, "");
    EXPECT_EQ(rest.find_first_of("{}"), rest.npos) << entry.name;
  }
}

// They are shown as they are: nothing fills them in.
TEST(Catalogue, TitlesAndHelpHaveNoPlaceholders) {
  for (const CatalogueEntry& entry : Catalogue()) {
    EXPECT_EQ(entry.title.find_first_of("{}"), entry.title.npos) << entry.name;
    EXPECT_EQ(entry.help.find_first_of("{}"), entry.help.npos) << entry.name;
  }
}

TEST(Catalogue, TitlesAreShortAndTellTheCodesOfAFamilyApart) {
  std::set<std::string> titles;
  for (const CatalogueEntry& entry : Catalogue()) {
    const std::string family = Text(entry.name.substr(0, 5));
    EXPECT_TRUE(titles.insert(family + Text(entry.title)).second) << entry.name;
    EXPECT_FALSE(entry.title.empty()) << entry.name;
    EXPECT_LE(entry.title.size(), 72) << entry.name;
    EXPECT_NE(entry.title.back(), '.') << entry.name;
  }
}

// A help text that only describes the fault leaves its reader alone. Its action
// is a sentence or a clause that begins with one of these verbs.
TEST(Catalogue, HelpSaysWhatToDo) {
  const std::regex action(
      "(^|[.;:,] |, and |, or )(add|allow|animate|ask|check|choose|compare|"
      "convert|correct|cut|do not|drop|exchange|export|fill|give|ignore|"
      "leave out|let|look at|lower|make|multiply|name|no change is needed|"
      "plant|put|raise|remove|rename|replace|save|say|shift|shorten|smooth|"
      "split|state|subtract|take|turn|unpack|use|write)\\b",
      std::regex::icase);
  for (const CatalogueEntry& entry : Catalogue()) {
    EXPECT_TRUE(std::regex_search(Text(entry.help), action))
        << entry.name << ": " << entry.help;
  }
}

TEST(Catalogue, MessagesAndHelpAreText) {
  for (const CatalogueEntry& entry : Catalogue()) {
    ASSERT_FALSE(entry.message.empty()) << entry.name;
    ASSERT_FALSE(entry.help.empty()) << entry.name;
    EXPECT_NE(entry.message.back(), '.') << entry.name;
    EXPECT_EQ(entry.help.back(), '.') << entry.name;
    EXPECT_EQ((Text(entry.message) + Text(entry.help)).find('\n'),
              std::string::npos)
        << entry.name;
  }
}

TEST(Catalogue, StrictIsNeverMilderThanLenient) {
  for (const CatalogueEntry& entry : Catalogue()) {
    EXPECT_LE(static_cast<int>(entry.strict), static_cast<int>(entry.lenient))
        << entry.name;
  }
}

TEST(Catalogue, LimitsAreErrorsThatNameTheLimit) {
  for (const CatalogueEntry& entry : Catalogue()) {
    if (!entry.name.starts_with("LIMIT_")) continue;
    EXPECT_EQ(entry.lenient, Severity::kError) << entry.name;
    EXPECT_NE(entry.message.find(" max_"), entry.message.npos) << entry.name;
    EXPECT_NE(entry.message.find("= {limit}"), entry.message.npos)
        << entry.name;
  }
}

TEST(Catalogue, SeveritiesHaveNames) {
  EXPECT_EQ(SeverityName(Severity::kError), "error");
  EXPECT_EQ(SeverityName(Severity::kWarning), "warning");
  EXPECT_EQ(SeverityName(Severity::kInfo), "info");
  EXPECT_EQ(SeverityName(Severity::kHint), "hint");
}

}  // namespace
}  // namespace bvhmill::testing
