// Commands that are taken from a page, and run.

#include "tests/server/jobs/doc_commands.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

TEST(DocCommands, AreTheBlockAfterTheMarkerWithItsWordsReplaced) {
  EXPECT_EQ(DocCommands("operations.md", "**Restore.**",
                        {{"DIR", "/a"}, {"OLD", "/b"}, {"COPY", "/c"}}),
            "mv /a /b\ncp -a /c /a\nbvhmilld --check-data /a\n");
}

TEST(DocCommands, FailWithoutTheMarker) {
  std::string commands;
  EXPECT_NONFATAL_FAILURE(
      commands = DocCommands("operations.md", "**No such marker.**", {}),
      "operations.md has no **No such marker.**");
  EXPECT_EQ(commands, "false");
}

TEST(DocCommands, FailIfNoBlockFollowsTheMarker) {
  const std::string page = ReadFile(SourceFile("docs/operations.md"));
  const std::string end = page.substr(page.rfind('\n', page.size() - 2) + 1);
  ASSERT_EQ(page.find(end), page.size() - end.size());
  std::string commands;
  EXPECT_NONFATAL_FAILURE(commands = DocCommands("operations.md", end, {}),
                          "operations.md has no block after ");
  EXPECT_EQ(commands, "false");
}

TEST(RunCommands, GivesOutputAndErrorsOfAllLines) {
  EXPECT_EQ(RunCommands("/nowhere", "echo a >&2\necho b\necho ${PATH%%:*}\n"),
            "a\nb\n/nowhere\n");
}

}  // namespace
}  // namespace bvhmill::testing
