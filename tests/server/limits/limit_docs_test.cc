// The tables of limits in docs/ against the rows of limits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/limit_page.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(LimitDocs, PagesFollowTheRows) {
  for (const char* name : {"docs/operations.md", "docs/api.md"}) {
    const std::string page = ReadFile(SourceFile(name));
    EXPECT_EQ(page, WithLimitTables(page))
        << "to update: bvhmill_limit_docs " << name;
  }
}

// Each page has one table for each group, and each table has rows.
TEST(LimitDocs, PagesHaveATableForEachGroup) {
  const std::pair<const char*, const char*> pages[] = {
      {"docs/operations.md", "flags"}, {"docs/api.md", "fields"}};
  for (const auto& [name, kind] : pages) {
    const std::string page = ReadFile(SourceFile(name));
    for (const char* group :
         {"clips", "streams", "in-flight", "shares", "connections"}) {
      const std::string mark =
          "<!-- limits: " + std::string(kind) + " " + group + " -->\n";
      EXPECT_THAT(page, HasSubstr(mark)) << name;
      EXPECT_THAT(WithLimitTables(mark + "<!-- end of limits -->"),
                  HasSubstr("\n| `"))
          << mark;
    }
  }
}

TEST(LimitDocs, TablesStateDefaultsInTheirUnits) {
  const auto table = [](const std::string& words) {
    return WithLimitTables("<!-- limits: " + words +
                           " -->\nEARLIER\n<!-- end of limits -->\nrest\n");
  };
  const std::string clips = table("flags clips");
  EXPECT_THAT(clips, Not(HasSubstr("EARLIER")));
  EXPECT_THAT(clips, HasSubstr("<!-- end of limits -->\nrest\n"));
  EXPECT_THAT(clips, HasSubstr("| `--max-clip-bytes` | 512 MiB |"));
  EXPECT_THAT(clips, HasSubstr("| `--max-frames` | 50,000,000 |"));
  EXPECT_THAT(clips, HasSubstr("| `--max-clip-memory-bytes` | none |"));
  EXPECT_THAT(table("fields clips"),
              HasSubstr("| `max_issues_per_report` | 100 | operator; a request "
                        "may ask for less |"));
  EXPECT_THAT(table("flags streams"), HasSubstr("| `--idle-seconds` | 60 s |"));
  EXPECT_THAT(table("flags in-flight"),
              HasSubstr("| `--max-inflight-bytes` | auto |"));
  EXPECT_THAT(table("flags shares"),
              HasSubstr("| `--max-streams-per-caller` | fair share |"));
}

}  // namespace
}  // namespace bvhmill::testing
