#include "tests/client/command.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/argv.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

std::vector<std::string> EnvironmentWith(
    const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (!variable.starts_with("BVHMILL_")) all.push_back(variable);
  }
  return all;
}

// The exit status; -1 if it takes more than a minute.
int WaitFor(pid_t child) {
  int status = 0;
  for (int i = 0; i < 12'000; ++i) {
    if (waitpid(child, &status, WNOHANG) == child) {
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    usleep(5'000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return -1;
}

}  // namespace

CommandResult RunCommand(const std::vector<std::string>& words,
                         const std::string& folder,
                         const std::vector<std::string>& variables) {
  const TempDir streams;
  std::vector<std::string> args = {"bvhmill"};
  args.insert(args.end(), words.begin(), words.end());
  const std::vector<std::string> environment = EnvironmentWith(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  const int flags = O_WRONLY | O_CREAT;
  constexpr mode_t kMode = 0600;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO,
                                   streams.File("out").c_str(), flags, kMode);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
                                   streams.File("err").c_str(), flags, kMode);
  pid_t child = 0;
  CommandResult result;
  const int error =
      posix_spawn(&child, BVHMILL_BIN "/bvhmill", &actions, nullptr,
                  Argv(args).data(), Argv(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return result;
  result.exit = WaitFor(child);
  result.out = ReadFile(streams.File("out"));
  result.err = ReadFile(streams.File("err"));
  return result;
}

}  // namespace bvhmill::testing
