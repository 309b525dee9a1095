#pragma once

// Servers to benchmark: bvhmilld, and an echo server, which has the same
// traffic and converts nothing. Each runs in its own process, so that its
// memory can be measured.

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
  // Peak memory of the process so far, in MB.
  double PeakMb() const;
  // Memory that the process holds now, in MB.
  double Mb() const;

 private:
  pid_t pid_ = 0;
  std::string address_;
};

// The program bvhmilld in the folder of this program, on a free port.
std::vector<std::string> BvhmilldArgs();
std::string BvhmilldProgram(const char* argv0);

// Runs this program as the echo server: `--echo-server PART`. It answers each
// clip with PART bytes of outputs for each byte of text, as bvhmilld would.
// Returns only when it is told to end.
std::vector<std::string> EchoServerArgs(double part);
int RunEchoServer(double part);

}  // namespace bvhmill::bench
