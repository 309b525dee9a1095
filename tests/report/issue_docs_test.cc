#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "bvhmill/report/report.h"
#include "tests/report/issue_examples.h"
#include "tests/report/issue_page.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

TEST(IssueDocs, PageFollowsTheCatalogue) {
  EXPECT_EQ(ReadFile(SourceFile("docs/issues.md")), IssuePage())
      << "to update: bvhmill_issue_docs > docs/issues.md";
}

TEST(IssueDocs, PageHasEveryCodeOnce) {
  const std::string page = IssuePage();
  for (const CatalogueEntry& entry : Catalogue()) {
    for (const char* begin : {"\n| [`", "\n### `"}) {
      const std::string row = begin + std::string(entry.name) + "`";
      const size_t place = page.find(row);
      ASSERT_NE(place, page.npos) << row;
      EXPECT_EQ(page.find(row, place + 1), page.npos) << row;
    }
  }
}

// If this fails for a new code, add an example to tests/cli/issue-examples.
TEST(IssueDocs, EveryCodeHasAnExampleThatNamesIt) {
  const std::map<std::string, std::string> examples = IssueExamples();
  EXPECT_EQ(examples.size(), Catalogue().size());
  for (const CatalogueEntry& entry : Catalogue()) {
    const std::string name(entry.name);
    ASSERT_TRUE(examples.contains(name)) << name;
    EXPECT_THAT(examples.at(name), HasSubstr(": " + name + ": "));
  }
}

TEST(IssueDocs, TestsGetTheCodesThatTheCommandLineDoesNotPrint) {
  for (const UnprintedCode& row : UnprintedCodes()) {
    const std::string test = ReadFile(SourceFile(row.test));
    EXPECT_THAT(test, HasSubstr(std::string(row.code)));
    EXPECT_THAT(test, HasSubstr(std::string(row.value)));
  }
}

TEST(IssueDocs, PageIsOfReadableSize) { EXPECT_LT(IssuePage().size(), 200000); }

// A family that is torn apart, or has no title, makes a bad page.
TEST(IssueDocs, PageHasEveryFamilyOnceWithATitle) {
  const std::string page = IssuePage();
  for (const std::string& line : Split(page, '\n')) {
    if (!line.starts_with("## ")) continue;
    EXPECT_EQ(page.find(line), page.rfind(line)) << line;
    EXPECT_FALSE(line.ends_with(": others")) << line;
  }
}

// The rows of a table have as many cells as its head.
TEST(IssueDocs, TablesAreWhole) {
  std::ptrdiff_t bars = 0;
  for (const std::string& line : Split(IssuePage(), '\n')) {
    const auto count = std::count(line.begin(), line.end(), '|');
    if (!line.starts_with("|")) {
      bars = 0;
    } else if (bars == 0) {
      bars = count;
      EXPECT_GE(bars, 5) << line;
    } else {
      EXPECT_EQ(count, bars) << line;
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
