// bvhmilld, the server program: reads its configuration, starts a Server, waits
// for a signal and drains.

#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/settings/small_file.h"
#include "server/app/config.h"
#include "server/app/process.h"
#include "server/app/server.h"
#include "server/auth/tokens.h"
#include "server/jobs/job_messages.h"
#include "server/limits/memory.h"
#include "server/store/check_data.h"

namespace {

// Each connection is an open file, and a listener of gRPC that was refused one
// more never listens again.
void RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Refuses a closed stdout or stderr: a connection could get its file number,
// and the lines of the log would go to that peer. A library may have opened a
// file with that number before main; its files close on exec, inherited ones do
// not.
absl::Status CheckStreams() {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    const int flags = fcntl(stream, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) continue;
    return bvhmill::MakeStatus(
        absl::StatusCode::kFailedPrecondition,
        "stdout and stderr must be open, if only on /dev/null");
  }
  return absl::OkStatus();
}

int Fail(const absl::Status& status, int exit_code) {
  std::cerr << "bvhmilld: " << bvhmill::MessageOf(status) << "\n";
  return exit_code;
}

// --check-config
int CheckOnly(const bvhmill::server::ServerConfig& config) {
  const absl::Status status = bvhmill::server::CheckConfig(config);
  if (!status.ok()) return Fail(status, 2);
  const auto resolved = bvhmill::server::WithResolvedLimits(config);
  std::cout << "ok\n"
            << bvhmill::server::WhatCallsNeed(config) << "\n"
            << "max-inflight-bytes = " << resolved.admission.max_inflight_bytes
            << "\n"
            << "max-transport-bytes = "
            << resolved.transport.max_transport_bytes << "\n";
  return 0;
}

// --hash-token
int HashToken(const std::string& name) {
  constexpr size_t kMaxBytes = 4096;
  const absl::StatusOr<std::string> token =
      bvhmill::ReadSmallFile(STDIN_FILENO, "stdin", kMaxBytes, nullptr);
  if (!token.ok()) return Fail(token.status(), 2);
  std::string line;
  const absl::Status status = bvhmill::server::HashToken(name, *token, &line);
  if (!status.ok()) return Fail(status, 2);
  std::cout << line << "\n";
  return 0;
}

// --check-data
int CheckDataOnly(const bvhmill::server::ServerConfig& config) {
  bvhmill::server::DataCheck check;
  check.is_message = &bvhmill::server::IsStoredMessage;
  const bool is_in_s3 = !config.s3.address.empty();
  const absl::Status status =
      is_in_s3 ? bvhmill::server::CheckDataInS3(config.s3, config.jobs_database,
                                                &check)
               : bvhmill::server::CheckData(config.check_data,
                                            config.jobs_database, &check);
  if (!status.ok()) return Fail(status, 2);
  for (const std::string& fault : check.faults) {
    std::cerr << "bvhmilld: " << bvhmill::Excerpt(fault, fault.size()) << "\n";
  }
  std::cout << (check.faults.empty() ? "ok\n" : "damaged\n") << check.jobs
            << " jobs, " << check.items << " items, " << check.results
            << " results\n"
            << check.blobs << " blobs, " << check.blob_bytes << " bytes; "
            << check.unnamed << " of them are named by no job\n";
  if (check.is_live) {
    std::cout << (is_in_s3 ? "servers may use" : "servers use")
              << " the data: these counts are of different moments\n";
  }
  return check.faults.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  // Debian's gRPC checks for deadlocks each time it locks a mutex; this turns
  // the check off.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  bvhmill::server::ServerConfig config;
  int exit_code = 0;
  if (!bvhmill::server::ReadConfig(argc, argv, &config, &exit_code)) {
    return exit_code;
  }
  if (!config.hash_token.empty()) return HashToken(config.hash_token);
  if (!config.check_data.empty()) return CheckDataOnly(config);
  if (config.check_config) return CheckOnly(config);
  if (const absl::Status open = CheckStreams(); !open.ok()) {
    return Fail(open, 2);
  }
  // gRPC would log at length what the status below says in one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // protobuf would log each message of a peer that it cannot parse.
  google::protobuf::SetLogHandler(nullptr);
  // The reader of the log, or a peer, may close its end.
  signal(SIGPIPE, SIG_IGN);
  RaiseFileLimit();
  bvhmill::server::ReturnLargeBlocks();
  // Never destroyed: its thread runs until the program ends.
  static auto& signals =
      *new bvhmill::server::StopSignals(config.drain_seconds);
  std::unique_ptr<bvhmill::server::Server> server;
  const absl::Status status = bvhmill::server::Server::Start(config, &server);
  if (!status.ok()) return Fail(status, 1);
  // The flush at the end writes all lines at once.
  std::cout << "listening on " << server->address() << "\n";
  if (!server->metrics_address().empty()) {
    std::cout << "metrics on " << server->metrics_address() << "\n";
  }
  std::cout << bvhmill::server::WhatCallsNeed(config) << std::endl;
  bvhmill::server::NotifySupervisor("READY=1");
  signals.Wait([&server] { server->Reload(); });
  bvhmill::server::NotifySupervisor("STOPPING=1");
  bvhmill::server::TellOperator("bvhmilld: stopping; running clips may take " +
                                std::to_string(config.drain_seconds) +
                                " s more\n");
  if (!server->Drain()) {
    bvhmill::server::TellOperator("bvhmilld: some clips were cut off\n");
  }
  return 0;
}
