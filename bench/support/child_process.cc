#include "bench/support/child_process.h"

#include <arpa/inet.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace bvhmill::bench {
namespace {

// Makes this process one of the user `name`, with the groups of that user.
// Returns false if there is no such user, or if it may not.
bool ChangeUser(const std::string& name) {
  const passwd* const user = getpwnam(name.c_str());
  return user != nullptr && initgroups(name.c_str(), user->pw_gid) == 0 &&
         setgid(user->pw_gid) == 0 && setuid(user->pw_uid) == 0;
}

// In the child.
[[noreturn]] void Become(const std::vector<std::string>& args,
                         const std::string& log, const std::string& name) {
  if (getuid() == 0 && !name.empty() && !ChangeUser(name)) _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (freopen(log.c_str(), "a", stderr) == nullptr) _exit(125);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  std::vector<char*> argv;
  argv.reserve(args.size() + 1);
  for (const std::string& arg : args) {
    argv.push_back(const_cast<char*>(arg.c_str()));
  }
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

int RunCommand(const std::string& command, std::string* text) {
  FILE* const pipe = popen(("exec 2>&1\n" + command).c_str(), "r");
  if (pipe == nullptr) return -1;
  std::array<char, 4096> buffer;
  for (size_t got = 0;
       (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    text->append(buffer.data(), got);
  }
  return pclose(pipe);
}

pid_t StartProgram(const std::vector<std::string>& args, const std::string& log,
                   const std::string& user) {
  const pid_t pid = fork();
  if (pid == 0) Become(args, log, user);
  return pid;
}

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  const bool is_bound =
      bind(fd, any, size) == 0 && getsockname(fd, any, &size) == 0;
  close(fd);
  return is_bound ? ntohs(address.sin_port) : 0;
}

}  // namespace bvhmill::bench
