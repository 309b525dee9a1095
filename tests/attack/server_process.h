#pragma once

// A server under attack. It runs in its own process with a limit on its memory.
// Its use of memory and time is read from /proc.

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace bvhmill::attack {

// How the memory of a server is limited.
enum class MemoryLimit {
  // kGroup where this process may make groups, else kResident.
  kAuto,
  // memory.max of a cgroup (v2) of its own.
  kGroup,
  // The process is killed once its resident memory is more, as a cgroup would.
  kResident,
  // RLIMIT_AS: the system refuses to give more address space.
  kAddressSpace,
};

struct ServerOptions {
  std::string program;
  // Flags in addition to those for its address and its page of metrics.
  std::vector<std::string> flags;
  MemoryLimit limit = MemoryLimit::kAuto;
  int64_t limit_bytes = int64_t{4} << 30;
};

// How a process has ended.
struct Ending {
  bool has_ended = false;
  // Exit status 0.
  bool is_clean = false;
  // For people: "exit status 1", "signal 9", "still runs".
  std::string how;
  double seconds = 0;
};

// Thread-safe but for Stop. The destructor kills what still runs.
class ServerProcess {
 public:
  // Starts it and waits until it listens. `*error` says why it does not.
  ServerProcess(const ServerOptions& options, std::string* error);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const std::string& address() const { return address_; }
  const std::string& metrics_address() const { return metrics_address_; }

  // True until it ends, asked for or not.
  bool is_running() const { return is_running_; }
  // Resident memory now, and the most since the last Mark, in bytes. The most
  // stays known when the process is gone.
  int64_t resident() const;
  int64_t peak() const { return peak_; }
  // Time of the CPU since the last Mark, in seconds.
  double cpu_seconds() const { return cpu_seconds_; }
  // Starts a new measurement of memory and time.
  void Mark();

  // Sends SIGTERM and waits for the end, `timeout_seconds` at most.
  Ending Stop(double timeout_seconds);

 private:
  void Start(const ServerOptions& options, std::string* error);
  void Watch(const std::stop_token& stop);
  void Reap(int status);

  pid_t pid_ = -1;
  std::string address_;
  std::string metrics_address_;
  // Empty if the memory is not limited by a cgroup.
  std::string group_;
  // Beyond it the process is killed; 0: it is limited otherwise.
  int64_t kill_beyond_ = 0;
  std::atomic<bool> is_running_{false};
  std::atomic<int> wait_status_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<double> cpu_start_{0};
  std::atomic<double> cpu_seconds_{0};
  std::jthread watcher_;
};

// Reads the gauge or counter `name`, without labels, from a page of metrics;
// -1 if the page does not answer in time.
double FetchMetric(const std::string& metrics_address, const std::string& name);

}  // namespace bvhmill::attack
