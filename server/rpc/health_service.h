#pragma once

// grpc.health.v1.Health: reports whether the server serves, once (Check) or at
// each change (Watch). It replaces the service of gRPC, whose calls are not
// counted and never end.

#include <grpcpp/impl/codegen/service_type.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "server/rpc/free_call.h"

namespace bvhmill::server {

// The only known service name is the empty one: the server as a whole.
// Thread-safe.
class HealthService final : public grpc::Service {
 public:
  // All parts must outlive the service.
  explicit HealthService(const FreeCallParts& parts);

  // Sets the state that the service reports, and sends it to all watches. At
  // first the server serves.
  void SetServing(bool is_serving);

 private:
  class WatchCall;

  // The most watches of one connection. A client of gRPC needs one.
  static constexpr int kMaxWatches = 4;

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* call,
                                  const grpc::ByteBuffer& request,
                                  grpc::ByteBuffer* response);
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(
      grpc::CallbackServerContext* call, const grpc::ByteBuffer& request);
  // RESOURCE_EXHAUSTED if the peer of the watch has kMaxWatches.
  absl::Status Add(WatchCall* watch);
  void Remove(WatchCall* watch);

  const FreeCallParts parts_;
  std::mutex mutex_;
  bool is_serving_ = true;
  std::unordered_set<WatchCall*> watches_;
  // By peer.
  std::unordered_map<std::string, int> counts_;
};

}  // namespace bvhmill::server
