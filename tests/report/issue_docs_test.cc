#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bvhmill/report/catalogue.h"
#include "tests/report/issue_page.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

TEST(IssueDocs, PageFollowsTheCatalogue) {
  EXPECT_EQ(ReadFile(SourceFile("docs/issues.md")), IssuePage())
      << "to update: bvhmill_issue_docs > docs/issues.md";
}

TEST(IssueDocs, PageHasEveryCodeOnce) {
  const std::string page = IssuePage();
  for (const CatalogueEntry& entry : Catalogue()) {
    const std::string row = "\n| `" + std::string(entry.name) + "` | ";
    const size_t place = page.find(row);
    ASSERT_NE(place, page.npos) << entry.name;
    EXPECT_EQ(page.find(row, place + 1), page.npos) << entry.name;
  }
}

// A family that is torn apart, or has no title, makes a bad page.
TEST(IssueDocs, PageHasEveryFamilyOnceWithATitle) {
  const std::string page = IssuePage();
  for (const std::string& line : Split(page, '\n')) {
    if (!line.starts_with("## ")) continue;
    EXPECT_EQ(page.find(line), page.rfind(line)) << line;
    EXPECT_FALSE(line.ends_with(": others")) << line;
  }
}

TEST(IssueDocs, TablesHaveFiveCells) {
  for (const std::string& line : Split(IssuePage(), '\n')) {
    if (!line.starts_with("|")) continue;
    EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 6) << line;
  }
}

}  // namespace
}  // namespace bvhmill::testing
