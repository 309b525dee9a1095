#pragma once

// The size of the metadata of a call.

#include <grpcpp/server_context.h>

#include <cstddef>
#include <cstdint>

namespace bvhmill::server {

// Returns the bytes of the metadata of `call` on the wire if the client does
// not compress them. Each field counts its name, its value, and 8 bytes for two
// lengths and a type. Two things do not count: fields that gRPC does not pass
// on, such as :path, and the base64 encoding of values whose name ends in -bin.
inline int64_t HeaderBytes(const grpc::CallbackServerContext& call) {
  constexpr size_t kBeside = 8;
  size_t bytes = 0;
  for (const auto& [name, value] : call.client_metadata()) {
    bytes += name.size() + value.size() + kBeside;
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace bvhmill::server
