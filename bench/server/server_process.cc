#include "bench/server/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace bvhmill::bench {
namespace {

constexpr std::string_view kReady = "listening on ";

// Starts a program whose output can be read from `*out`.
pid_t Spawn(const std::string& program, const std::vector<std::string>& args,
            int* out) {
  int pipe_fds[2];
  if (pipe(pipe_fds) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(pipe_fds[1], STDOUT_FILENO);
    close(pipe_fds[0]);
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& arg : args) {
      argv.push_back(const_cast<char*>(arg.c_str()));
    }
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(pipe_fds[1]);
  *out = pipe_fds[0];
  return pid;
}

// Returns the field `name` of /proc/PID/status in MB; 0 if it is missing.
double StatusMb(pid_t pid, std::string_view name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word) {
    double kb = 0;
    if (word == name && status >> kb) return kb / 1024;
  }
  return 0;
}

}  // namespace

ServerProcess::ServerProcess(const std::string& program,
                             const std::vector<std::string>& args) {
  int out = -1;
  pid_ = Spawn(program, args, &out);
  FILE* lines = fdopen(out, "r");
  char line[256] = {};
  const std::string first =
      std::fgets(line, sizeof(line), lines) == nullptr ? "" : line;
  std::fclose(lines);
  if (!first.starts_with(kReady)) {
    std::cerr << program << " does not start\n";
    std::exit(1);
  }
  address_ = first.substr(kReady.size());
  address_.pop_back();
}

ServerProcess::~ServerProcess() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

double ServerProcess::PeakMb() const { return StatusMb(pid_, "VmHWM:"); }

double ServerProcess::Mb() const { return StatusMb(pid_, "VmRSS:"); }

std::vector<std::string> BvhmilldArgs() {
  return {"--listen", "127.0.0.1:0", "--max-clip-bytes", "0"};
}

std::string BvhmilldProgram(const char* argv0) {
  const std::string self = argv0;
  return self.substr(0, self.rfind('/') + 1) + "bvhmilld";
}

std::vector<std::string> EchoServerArgs(double part) {
  return {"--echo-server", std::to_string(part)};
}

}  // namespace bvhmill::bench
