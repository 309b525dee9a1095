#pragma once

// A running bvhmill server.

#include <grpcpp/server.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/clip_service.h"
#include "server/config.h"
#include "server/server_service.h"
#include "server/service_context.h"

namespace bvhmill::server {

class Server {
 public:
  // Reads the files that `config` names and listens. Says what is wrong with a
  // file, or that the address cannot be had.
  static absl::Status Start(const ServerConfig& config,
                            std::unique_ptr<Server>* server);
  ~Server();

  // HOST:PORT with the port that was picked.
  const std::string& address() const { return address_; }

  // Turns health to NOT_SERVING, refuses new calls, lets the running ones
  // finish for config.drain_seconds at most, then closes. True if all finished.
  bool Drain();

 private:
  Server(const ServerConfig& config, std::vector<std::string> tokens);
  absl::Status Listen();

  ServiceContext context_;
  ClipService clip_service_;
  ServerService server_service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace bvhmill::server
