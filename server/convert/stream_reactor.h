#pragma once

// The stream ConvertClips over gRPC: any number of clips of any size.

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "server/limits/stream_memory.h"
#include "server/rpc/call_parts.h"

namespace bvhmill::server {

// Starts a stream of ConvertClipsRequest and ConvertClipsResponse. gRPC and the
// workers own the stream; the last of them deletes it. `memory` outlives it.
grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StartConvertStream(
    const CallParts& parts, StreamMemory* memory,
    grpc::CallbackServerContext* call);

}  // namespace bvhmill::server
