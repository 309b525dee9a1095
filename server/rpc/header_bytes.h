#pragma once

// The size of the metadata of a call.

#include <grpcpp/server_context.h>

#include <cstddef>
#include <cstdint>

namespace bvhmill::server {

// The bytes that the metadata of `call` took at most. HPACK shortens most
// fields, but need not. A field has two lengths and a type beside its texts.
inline int64_t HeaderBytes(const grpc::CallbackServerContext& call) {
  constexpr size_t kBeside = 8;
  size_t bytes = 0;
  for (const auto& [name, value] : call.client_metadata()) {
    bytes += name.size() + value.size() + kBeside;
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace bvhmill::server
