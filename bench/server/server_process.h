#pragma once

// Servers to benchmark: bvhmilld, and one that does the same traffic and no
// work. Each is a process of its own, so that its memory can be seen.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bvhmill::bench {

// A running server; the destructor ends it.
class ServerProcess {
 public:
  // Runs `program` with `args`, which must make it print "listening on
  // ADDRESS". Ends this program if it does not.
  ServerProcess(const std::string& program,
                const std::vector<std::string>& args);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  const std::string& address() const { return address_; }
  pid_t pid() const { return pid_; }
  // Most memory that it held so far, in MB.
  double PeakMb() const;
  // What it holds now.
  double Mb() const;

 private:
  pid_t pid_ = 0;
  std::string address_;
};

// bvhmilld beside this program, on a port of its own.
std::vector<std::string> BvhmilldArgs();
std::string BvhmilldProgram(const char* argv0);

// This program as a mill that answers each clip with as many bytes of outputs
// as bvhmilld would, a part of what came in: `--null-mill PART`. Returns only
// when it is told to end.
std::vector<std::string> EchoServerArgs(double part);
int RunEchoServer(double part);

}  // namespace bvhmill::bench
