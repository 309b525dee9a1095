#include "tests/attack/server_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/attack/peer.h"
#include "tests/support/argv.h"

namespace bvhmill::attack {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kGroups[] = "/sys/fs/cgroup";

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The bytes of the line of /proc/PID/status that begins with `name`.
int64_t StatusBytes(pid_t pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word) {
    int64_t kilobytes = 0;
    if (word == name && status >> kilobytes) return kilobytes << 10;
  }
  return 0;
}

// Time of the CPU that the process has used; -1 if it is gone.
double CpuSeconds(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(stat, line);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// A group of cgroup v2 with a limit on memory; "" where none can be made.
std::string MakeGroup(int64_t limit_bytes) {
  const std::string path =
      std::string(kGroups) + "/bvhmill_attack_" + std::to_string(getpid());
  if (access((std::string(kGroups) + "/cgroup.controllers").c_str(), R_OK) !=
      0) {
    return "";
  }
  if (mkdir(path.c_str(), 0755) != 0) return "";
  std::ofstream limit(path + "/memory.max");
  limit << limit_bytes << std::flush;
  std::ofstream swap(path + "/memory.swap.max");
  swap << 0 << std::flush;
  if (limit.good()) return path;
  rmdir(path.c_str());
  return "";
}

// Runs in the new process. A failure shows later: the server does not listen.
[[noreturn]] void Run(const std::vector<char*>& arguments, int out,
                      const std::string& group, int64_t address_space) {
  if (!group.empty()) {
    const int tasks = open((group + "/cgroup.procs").c_str(), O_WRONLY);
    if (tasks < 0 || write(tasks, "0", 1) != 1) _exit(126);
    close(tasks);
  }
  if (address_space > 0) {
    const rlimit limit = {static_cast<rlim_t>(address_space),
                          static_cast<rlim_t>(address_space)};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(126);
  }
  dup2(out, STDOUT_FILENO);
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(127);
}

// The address of the line "listening on ADDRESS"; "" if there is none.
std::string ReadAddress(int out) {
  constexpr std::string_view kReady = "listening on ";
  std::string line;
  for (char c = 0; read(out, &c, 1) == 1 && c != '\n';) line += c;
  return line.starts_with(kReady) ? line.substr(kReady.size()) : "";
}

std::string Describe(int status) {
  return WIFSIGNALED(status)
             ? "signal " + std::to_string(WTERMSIG(status))
             : "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ServerProcess::ServerProcess(const ServerOptions& options, std::string* error) {
  Start(options, error);
  if (!error->empty()) return;
  is_running_ = true;
  Mark();
  watcher_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
}

void ServerProcess::Start(const ServerOptions& options, std::string* error) {
  const MemoryLimit limit = options.limit;
  if (limit == MemoryLimit::kAuto || limit == MemoryLimit::kGroup) {
    group_ = MakeGroup(options.limit_bytes);
  }
  if (group_.empty() && limit == MemoryLimit::kGroup) {
    *error = "no cgroup (v2) with a limit on memory can be made";
    return;
  }
  const bool is_space = limit == MemoryLimit::kAddressSpace;
  if (group_.empty() && !is_space) kill_beyond_ = options.limit_bytes;
  metrics_address_ = "127.0.0.1:" + std::to_string(FreePort());
  std::vector<std::string> words = {options.program, "--listen", "127.0.0.1:0",
                                    "--metrics", metrics_address_};
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  const std::vector<char*> arguments = testing::Argv(words);
  int out[2];
  if (pipe(out) != 0) {
    *error = "no pipe can be made";
    return;
  }
  pid_ = fork();
  if (pid_ == 0) {
    Run(arguments, out[1], group_, is_space ? options.limit_bytes : 0);
  }
  close(out[1]);
  address_ = ReadAddress(out[0]);
  close(out[0]);
  if (address_.empty()) *error = options.program + " does not start";
}

ServerProcess::~ServerProcess() {
  watcher_.request_stop();
  if (watcher_.joinable()) watcher_.join();
  if (pid_ > 0 && (is_running_ || address_.empty())) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  // Programs that were started with the server may end after it.
  constexpr int kTries = 500;
  for (int i = 0; !group_.empty() && rmdir(group_.c_str()) != 0; ++i) {
    if (i == kTries) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

int64_t ServerProcess::resident() const { return StatusBytes(pid_, "VmRSS:"); }

void ServerProcess::Mark() {
  // The kernel then forgets the most that it has seen.
  std::ofstream("/proc/" + std::to_string(pid_) + "/clear_refs") << 5;
  peak_ = resident();
  cpu_start_ = CpuSeconds(pid_);
  cpu_seconds_ = 0;
}

void ServerProcess::Watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) return Reap(status);
    peak_ = std::max<int64_t>(peak_, StatusBytes(pid_, "VmHWM:"));
    if (const double cpu = CpuSeconds(pid_); cpu >= cpu_start_) {
      cpu_seconds_ = cpu - cpu_start_;
    }
    if (kill_beyond_ > 0 && resident() > kill_beyond_) kill(pid_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void ServerProcess::Reap(int status) {
  wait_status_ = status;
  is_running_ = false;
}

Ending ServerProcess::Stop(double timeout_seconds) {
  const Clock::time_point start = Clock::now();
  if (is_running_) kill(pid_, SIGTERM);
  Ending ending;
  while (is_running_ && SecondsSince(start) < timeout_seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ending.seconds = SecondsSince(start);
  ending.has_ended = !is_running_;
  ending.how = ending.has_ended ? Describe(wait_status_) : "still runs";
  ending.is_clean = ending.has_ended && wait_status_ == 0;
  return ending;
}

double FetchMetric(const std::string& metrics_address,
                   const std::string& name) {
  Peer peer(metrics_address);
  peer.Send("GET /metrics HTTP/1.0\r\n\r\n", 2'000);
  const std::string page = peer.ReadAll(5'000);
  const size_t at = page.find("\n" + name + " ");
  if (at == std::string::npos) return page.empty() ? -1 : 0;
  return std::atof(page.c_str() + at + name.size() + 2);
}

}  // namespace bvhmill::attack
