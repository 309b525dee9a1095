#pragma once

// grpc.health.v1.Health: reports whether the server serves, once (Check) or at
// each change (Watch). It replaces the service of gRPC, whose calls are not
// counted and never end.

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "server/rpc/free_call.h"
#include "server/rpc/raw_service.h"

namespace bvhmill::server {

// The only known service name is the empty one: the server as a whole.
// Thread-safe.
class HealthService final : public RawService {
 public:
  // All parts must outlive the service.
  explicit HealthService(const FreeCallParts& parts);

  // Sets the state that the service reports, and sends it to all watches. At
  // first the server serves.
  void SetServing(bool is_serving);
  bool is_serving();

 private:
  class WatchCall;

  // The most watches of one connection. A client of gRPC needs one.
  static constexpr int kMaxWatches = 4;

  absl::Status Check(const grpc::ByteBuffer& request,
                     grpc::ByteBuffer* response);
  RawReactor* Watch(grpc::CallbackServerContext* call);
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

// Describes grpc.health.v1.Health to the reflection of this process, which
// knows only services of compiled .proto files. Call it once.
void DescribeHealth();

}  // namespace bvhmill::server
