#pragma once

// The call WaitJob. No thread waits.

#include "server/jobs/job_call.h"

namespace bvhmill::server {

grpc::ServerUnaryReactor* StartWaitCall(const JobCallParts& parts,
                                        grpc::CallbackServerContext* call,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response);

}  // namespace bvhmill::server
