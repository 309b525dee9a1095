// bvhmilld: the server program.

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>

#include "bvhmill/base/status.h"
#include "server/config.h"
#include "server/server.h"

namespace {

// Blocks the signals that stop the program, in this thread and all that are
// started from it, so that they can be waited for.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// From here on a stop signal ends the program at once.
void UnblockStopSignals(const sigset_t& signals) {
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  bvhmill::server::ServerConfig config;
  int exit_code = 0;
  if (!bvhmill::server::ReadConfig(argc, argv, &config, &exit_code)) {
    return exit_code;
  }
  // gRPC's own log says in many lines what the one below says.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  const sigset_t signals = BlockStopSignals();
  std::unique_ptr<bvhmill::server::Server> server;
  const absl::Status status = bvhmill::server::Server::Start(config, &server);
  if (!status.ok()) {
    std::cerr << "bvhmilld: " << bvhmill::MessageOf(status) << "\n";
    return 1;
  }
  std::cout << "listening on " << server->address() << std::endl;
  int received = 0;
  sigwait(&signals, &received);
  UnblockStopSignals(signals);
  std::cerr << "bvhmilld: stopping; running clips may take "
            << config.drain_seconds << " s more\n";
  if (!server->Drain()) std::cerr << "bvhmilld: some clips were cut off\n";
  return 0;
}
