#pragma once

// A running bvhmill server.

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "server/app/config.h"
#include "server/app/file_watch.h"
#include "server/app/server_parts.h"
#include "server/auth/tls.h"
#include "server/convert/clip_service.h"
#include "server/jobs/blob_service.h"
#include "server/jobs/job_service.h"
#include "server/net/listener.h"
#include "server/observe/metrics_page.h"
#include "server/rpc/health_service.h"
#include "server/rpc/server_service.h"
#include "server/rpc/unknown_service.h"

namespace bvhmill::server {

class Server {
 public:
  // Reads the files that `config` names and listens. Says what is wrong with a
  // file, that the address cannot be had, or that the system lacks threads.
  static absl::Status Start(const ServerConfig& config,
                            std::unique_ptr<Server>* server);
  ~Server();

  // HOST:PORT with the port that was picked.
  const std::string& address() const { return listener_->address(); }

  // The same of the metrics; empty if there are none.
  std::string metrics_address() const;

  // Reads the token file and the certificates again. What is broken is logged,
  // and those there were are kept. The same happens within a second or two of a
  // change of a file.
  void Reload();

  // Turns health to NOT_SERVING, refuses new calls, lets the running ones
  // finish for config.drain_seconds at most, then closes: calls are cancelled,
  // and a second later connections are cut, whether their peers read or not.
  // True if all calls finished.
  bool Drain();

 private:
  Server(const ServerConfig& config, std::unique_ptr<TokenStore> tokens);
  static absl::Status StartOrThrow(const ServerConfig& config,
                                   std::unique_ptr<Server>* server);
  absl::Status Listen();
  void Close(std::chrono::milliseconds to_end_calls);
  void HandOver(int file, int listening_file);
  absl::Status StartMetrics();
  void WatchFiles(std::vector<std::string> seen);
  void ReloadFile(const std::string& path);

  ServerParts parts_;
  ClipService clip_service_;
  JobService job_service_;
  BlobService blob_service_;
  ServerService server_service_;
  HealthService health_service_;
  UnknownService unknown_service_;
  // The server reads them as long as it lives.
  std::unique_ptr<TlsFiles> tls_files_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  // Hands connections to the acceptor.
  std::unique_ptr<Listener> listener_;
  std::mutex reload_mutex_;
  // Both use the parts, so they are destroyed first.
  std::unique_ptr<MetricsPage> metrics_page_;
  std::unique_ptr<FileWatch> file_watch_;
};

}  // namespace bvhmill::server
