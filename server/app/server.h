#pragma once

// A running bvhmill server: it reads the files of its configuration, listens,
// serves the calls of all services, and drains at the end.
//
//   std::unique_ptr<Server> server;
//   const absl::Status status = Server::Start(config, &server);
//   ... wait for a signal ...
//   const bool all_finished = server->Drain();
//
// The file declares three classes, from the inside out: Housekeeping, the
// thread with the periodic work; ServerParts, the parts that services share;
// and Server, with the services and the sockets.

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/app/config.h"
#include "server/app/file_watch.h"
#include "server/app/process.h"
#include "server/auth/tls.h"
#include "server/auth/tokens.h"
#include "server/convert/clip_service.h"
#include "server/http/http_server.h"
#include "server/jobs/blob_service.h"
#include "server/jobs/job_call.h"
#include "server/jobs/job_service.h"
#include "server/jobs/jobs.h"
#include "server/limits/admission.h"
#include "server/limits/fair_queue.h"
#include "server/limits/memory.h"
#include "server/limits/memory_guard.h"
#include "server/limits/message_budget.h"
#include "server/net/connection_table.h"
#include "server/net/listener.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/metrics_page.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_registry.h"
#include "server/rpc/free_call.h"
#include "server/rpc/health_service.h"
#include "server/rpc/server_service.h"

namespace bvhmill::server {

// A thread with the periodic work. Every 20 ms the memory guard checks the
// memory. Every second the calls get a tick, connections whose peers accept
// nothing are cut, and tables drop entries that are out of use. It also ticks a
// Watchdog: if the work gets stuck, systemd restarts the server.
class Housekeeping {
 public:
  // All parts must outlive the thread.
  struct Parts {
    Log& log;
    Metrics& metrics;
    Admission& admission;
    Connections& connections;
    CallRegistry& calls;
    MemoryGuard& memory_guard;
  };

  // Starts the thread; the destructor ends it.
  explicit Housekeeping(const Parts& parts);

  // Cuts every connection once `timeout` is over, and again every 20 ms while
  // one is left: gRPC ends only when it has no connection. Any thread.
  void CutConnectionsAfter(std::chrono::milliseconds timeout);

 private:
  using Clock = std::chrono::steady_clock;

  void Run(const std::stop_token& stop);
  void CutIfDue();
  void EverySecond();

  const Parts parts_;
  Watchdog watchdog_;
  // time_point::max() = never.
  std::atomic<Clock::time_point> cut_at_{Clock::time_point::max()};
  // The last member: it uses the others.
  std::jthread thread_;
};

// The parts of a server, and how they are connected. A service or a call gets
// only the parts that it uses. The parts must outlive every service and every
// call. Each part is thread-safe.
struct ServerParts {
  // Starts the threads. `config` must be resolved: see WithResolvedLimits.
  ServerParts(const ServerConfig& config, std::unique_ptr<TokenStore> tokens);
  ServerParts(const ServerParts&) = delete;
  ServerParts& operator=(const ServerParts&) = delete;

  RecordParts ForRecords() { return {*tokens, metrics, log}; }
  CallParts ForCalls() {
    return {ForRecords(), config,   connections,    calls,
            admission,    requests, small_requests, queue};
  }
  JobCallParts ForJobCalls() { return {ForCalls(), jobs}; }
  // The gauges of the page of metrics.
  Gauges Now();

  const ServerConfig config;
  const std::unique_ptr<TokenStore> tokens;
  Log log;
  Metrics metrics;
  Admission admission;
  MessageBudget requests;
  MessageBudget small_requests;
  Connections connections;
  CallRegistry calls;
  StreamMemory stream_memory;
  FairQueue queue;
  MemoryGuard memory_guard;
  // Runs its items as tasks of the queue.
  Jobs jobs;
  // The last member: its thread uses the others.
  Housekeeping housekeeping;

 private:
  void CutForCalls(const std::string& peer);
  MemoryHooks HooksOfGuard();
};

class Server {
 public:
  // Reads the files that `config` names and listens. The error names the file
  // that is wrong, the address that cannot be used, or the lack of threads or
  // memory.
  static absl::Status Start(const ServerConfig& config,
                            std::unique_ptr<Server>* server);
  // Closes: calls that still run after 0.4 s are cancelled, and connections
  // that are open after 0.8 s are cut.
  ~Server();

  // HOST:PORT with the port that was picked.
  const std::string& address() const { return listener_->address(); }

  // The same for the page of metrics; empty if there is none.
  std::string metrics_address() const;
  // The same for the HTTP API.
  std::string http_address() const;

  // Reads the token file and the certificates again. If a file is broken, the
  // log says so and the old content stays in use. The server does the same by
  // itself within two seconds after a file changes.
  void Reload();

  // Turns health to NOT_SERVING, refuses new calls, and lets running calls
  // finish for config.drain_seconds at most. Then closes: calls are cancelled,
  // and about a second later the connections that are left are cut. True if
  // all calls finished.
  bool Drain();

 private:
  Server(const ServerConfig& config, std::unique_ptr<TokenStore> tokens);
  static absl::Status StartOrThrow(const ServerConfig& config,
                                   std::unique_ptr<Server>* server);
  absl::Status Listen();
  void Close(std::chrono::milliseconds to_end_calls);
  void HandOver(int file, int listening_file);
  absl::Status StartMetrics();
  absl::Status StartHttp();
  void WatchFiles(std::vector<std::string> seen);
  void ReloadFile(const std::string& path);

  ServerParts parts_;
  ClipService clip_service_;
  JobService job_service_;
  BlobService blob_service_;
  ServerService server_service_;
  HealthService health_service_;
  UnknownService unknown_service_;
  // gRPC reads them until server_ is destroyed.
  std::unique_ptr<TlsFiles> tls_files_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  // Hands connections to the acceptor.
  std::unique_ptr<Listener> listener_;
  std::mutex reload_mutex_;
  // The last members: their threads use the others.
  std::unique_ptr<HttpServer> metrics_server_;
  // The HTTP API. Uses server_.
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<FileWatch> file_watch_;
};

// The seconds for which a peer may accept nothing of the bytes that wait to be
// sent to it: idle_seconds, or the time within which a silent peer must answer
// a keepalive ping if that is less. 0 = for ever.
int64_t SendTimeoutSeconds(const ServerConfig& config);

}  // namespace bvhmill::server
