#pragma once

// A service of gRPC whose messages are bytes, and whose calls begin when their
// headers have come. gRPC reads a message when the call asks for it, also the
// one request of a unary call. So a call can wait for its turn, or be refused,
// before its request takes memory: gRPC itself would first read the whole
// request.
//
// For gRPC each method is a stream in both directions; clients see no
// difference.

#include <grpcpp/impl/codegen/rpc_service_method.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/codegen/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <utility>

namespace bvhmill::server {

// The reactor of a call of a RawService.
using RawReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

class RawService : public grpc::Service {
 public:
  // Returns the reactor of a call, which owns itself. Must not throw.
  using StartCall = std::function<RawReactor*(grpc::CallbackServerContext*)>;

 protected:
  // Adds the method with the path "/PACKAGE.Service/Method", which must live as
  // long as the service.
  void Add(const char* path, StartCall start) {
    using grpc::internal::RpcServiceMethod;
    AddMethod(
        new RpcServiceMethod(path, RpcServiceMethod::BIDI_STREAMING, nullptr));
    MarkMethodRawCallback(
        methods_++, new grpc::internal::CallbackBidiHandler<grpc::ByteBuffer,
                                                            grpc::ByteBuffer>(
                        std::move(start)));
  }

 private:
  int methods_ = 0;
};

// Ends a call at once with `status`. Deletes itself.
class RefusedCall final : public RawReactor {
 public:
  explicit RefusedCall(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace bvhmill::server
