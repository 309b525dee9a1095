// Programs that run as commands of the shell, and as processes of their own.

#include "bench/support/child_process.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/files.h"

namespace bvhmill::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr gid_t kGroup = 4242;

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

class StartProgramTest : public ::testing::Test {
 protected:
  // Another user may write into the folder.
  StartProgramTest() { chmod(folder_.path().c_str(), 0777); }

  // Returns the exit status of the program; -1 if a signal ended it.
  int Run(const std::vector<std::string>& args, const std::string& user) {
    const pid_t pid = StartProgram(args, log_, user);
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const bool is_root_ = getuid() == 0;
  testing::TempDir folder_;
  std::string log_ = folder_.File("log");
};

TEST_F(StartProgramTest, AppendsOutputAndErrorsToTheLog) {
  testing::WriteFile(log_, "before\n");
  EXPECT_EQ(Run({"/bin/sh", "-c", "echo a; echo b >&2; exit 5"}, ""), 5);
  EXPECT_EQ(testing::ReadFile(log_), "before\na\nb\n");
}

TEST_F(StartProgramTest, ExitsWith127WithoutTheProgram) {
  EXPECT_EQ(Run({folder_.File("none")}, ""), 127);
}

TEST_F(StartProgramTest, ExitsWith125WithoutTheLog) {
  log_ = folder_.File("none/log");
  EXPECT_EQ(Run({"/bin/true"}, ""), 125);
}

// Only root can change the user.
TEST_F(StartProgramTest, DoesNotRunAsRootForAnUnknownUser) {
  EXPECT_EQ(Run({"/bin/sh", "-c", "id"}, "no-such-user"), is_root_ ? 126 : 0);
}

TEST_F(StartProgramTest, HasTheGroupsOfItsUserOnly) {
  const std::vector<std::string> args = {"/bin/sh", "-c",
                                         "echo $(id -un) groups $(id -G) end"};
  if (!is_root_) {
    EXPECT_EQ(Run(args, "nobody"), 0);
    return;
  }
  std::vector<gid_t> groups(1000);
  groups.resize(static_cast<size_t>(getgroups(1000, groups.data())));
  ASSERT_EQ(setgroups(1, &kGroup), 0);
  EXPECT_EQ(Run(args, "nobody"), 0);
  EXPECT_EQ(setgroups(groups.size(), groups.data()), 0);
  const std::string said = testing::ReadFile(log_);
  EXPECT_THAT(said, HasSubstr("nobody groups"));
  EXPECT_THAT(said, Not(HasSubstr(" " + std::to_string(kGroup) + " ")));
}

}  // namespace
}  // namespace bvhmill::bench
