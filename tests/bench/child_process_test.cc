// Programs that run as commands of the shell.

#include "bench/support/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <string>

namespace bvhmill::bench {
namespace {

TEST(RunCommand, GivesTheErrorsOfAllCommands) {
  std::string text;
  EXPECT_EQ(RunCommand("echo a >&2; true", &text), 0);
  EXPECT_EQ(text, "a\n");
}

TEST(RunCommand, GivesTheErrorsOfLines) {
  std::string text = "before\n";
  EXPECT_EQ(RunCommand("echo a >&2\necho b\necho c >&2\n", &text), 0);
  EXPECT_EQ(text, "before\na\nb\nc\n");
}

TEST(RunCommand, GivesTheStatusOfTheLastCommand) {
  std::string text;
  EXPECT_EQ(WEXITSTATUS(RunCommand("true\nexit 3\n", &text)), 3);
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace bvhmill::bench
