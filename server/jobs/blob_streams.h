#pragma once

// The streams WriteBlob and ReadBlob. Workers read, write and wait for the
// disk, in the background; no thread of gRPC does.

#include "server/jobs/job_call.h"

namespace bvhmill::server {

using BlobReadReactor = grpc::ServerReadReactor<grpc::ByteBuffer>;
using BlobWriteReactor = grpc::ServerWriteReactor<grpc::ByteBuffer>;

// Begin a stream. The reactor deletes itself when the call is done.
BlobReadReactor* StartWriteBlob(const JobCallParts& parts,
                                grpc::CallbackServerContext* call,
                                grpc::ByteBuffer* response);
BlobWriteReactor* StartReadBlob(const JobCallParts& parts,
                                grpc::CallbackServerContext* call,
                                const grpc::ByteBuffer* request);

}  // namespace bvhmill::server
