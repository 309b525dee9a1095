#pragma once

// The stream ConvertClips: any number of clips of any size.

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "server/rpc/service_context.h"

namespace bvhmill::server {

// Starts a stream of ConvertClipsRequest and ConvertClipsResponse; gRPC and the
// workers own it from here.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StartConvertStream(
    ServiceContext* context, grpc::CallbackServerContext* call);

}  // namespace bvhmill::server
