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
