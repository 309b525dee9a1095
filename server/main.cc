// bvhmilld, the server program: reads its configuration, starts a Server, waits
// for a signal and drains.

#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "bvhmill/base/status.h"
#include "bvhmill/settings/amounts.h"
#include "bvhmill/settings/small_file.h"
#include "server/app/config.h"
#include "server/app/grpc_log.h"
#include "server/app/process.h"
#include "server/app/server.h"
#include "server/auth/tokens.h"
#include "server/jobs/job_messages.h"
#include "server/limits/memory.h"
#include "server/observe/log.h"
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

using bvhmill::server::EventLine;
using bvhmill::server::LogFormat;

int Fail(LogFormat format, const absl::Status& status, int exit_code) {
  std::cerr << EventLine(format, bvhmill::MessageOf(status)) << "\n";
  return exit_code;
}

// --check-config
int CheckOnly(const bvhmill::server::ServerConfig& config) {
  const absl::Status status = bvhmill::server::CheckConfig(config);
  if (!status.ok()) return Fail(config.log, status, 2);
  const auto resolved = bvhmill::server::WithResolvedLimits(config);
  const auto bytes = [](int64_t number) {
    return bvhmill::AmountText(number, bvhmill::LimitUnit::kBytes);
  };
  std::cout << "ok\n"
            << bvhmill::server::WhatCallsNeed(config) << "\n"
            << "max-inflight-bytes = "
            << bytes(resolved.admission.max_inflight_bytes) << "\n"
            << "max-transport-bytes = "
            << bytes(resolved.transport.max_transport_bytes) << "\n";
  return 0;
}

// --hash-token
int HashToken(const bvhmill::server::ServerConfig& config) {
  constexpr size_t kMaxBytes = 4096;
  const absl::StatusOr<std::string> token =
      bvhmill::ReadSmallFile(STDIN_FILENO, "stdin", kMaxBytes, nullptr);
  if (!token.ok()) return Fail(config.log, token.status(), 2);
  std::string line;
  const absl::Status status =
      bvhmill::server::HashToken(config.hash_token, *token, &line);
  if (!status.ok()) return Fail(config.log, status, 2);
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
  if (!status.ok()) return Fail(config.log, status, 2);
  for (const std::string& fault : check.faults) {
    std::cerr << EventLine(config.log, fault) << "\n";
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
  if (!config.hash_token.empty()) return HashToken(config);
  if (!config.check_data.empty()) return CheckDataOnly(config);
  if (config.check_config) return CheckOnly(config);
  if (const absl::Status open = CheckStreams(); !open.ok()) {
    return Fail(config.log, open, 2);
  }
  // gRPC would log at length what the status below says in one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  bvhmill::server::LogMessagesOfGrpc(config.log);
  // protobuf would log each message of a peer that it cannot parse.
  google::protobuf::SetLogHandler(nullptr);
  // The reader of the log, or a peer, may close its end.
  signal(SIGPIPE, SIG_IGN);
  RaiseFileLimit();
  bvhmill::server::ReturnLargeBlocks();
  // Never destroyed: its thread runs until the program ends.
  static auto& signals =
      *new bvhmill::server::StopSignals(config.drain_seconds, config.log);
  std::unique_ptr<bvhmill::server::Server> server;
  const absl::Status status = bvhmill::server::Server::Start(config, &server);
  if (!status.ok()) return Fail(config.log, status, 1);
  // The flush at the end writes all lines at once.
  std::cout << "listening on " << server->address() << "\n";
  if (!server->metrics_address().empty()) {
    std::cout << "metrics on " << server->metrics_address() << "\n";
  }
  if (!server->http_address().empty()) {
    std::cout << "http on " << server->http_address() << "\n";
  }
  std::cout << bvhmill::server::WhatCallsNeed(config) << "\n";
  if (!bvhmill::server::IsLoopback(config.listen) &&
      config.tls_client_ca.empty()) {
    std::cout << "this address is for trusted networks, or for a proxy in "
                 "front: see SECURITY.md, \"Untrusted callers\"\n";
  }
  std::cout << std::flush;
  bvhmill::server::NotifySupervisor("READY=1");
  signals.Wait([&server] {
    bvhmill::server::NotifyReloading();
    server->Reload();
    bvhmill::server::NotifySupervisor("READY=1");
  });
  bvhmill::server::NotifySupervisor("STOPPING=1");
  const auto tell = [&config](const std::string& text) {
    bvhmill::server::TellOperator(EventLine(config.log, text) + "\n");
  };
  tell("stopping; running clips may take " +
       std::to_string(config.drain_seconds) + " s more");
  if (!server->Drain()) tell("some clips were cut off");
  return 0;
}
