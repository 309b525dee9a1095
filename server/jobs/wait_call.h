#pragma once

// The call WaitJob. No thread waits: the end of the job, its deadline or the
// drain of the server goes on with the call.

#include "server/jobs/job_call.h"

namespace bvhmill::server {

// Begins the call. The reactor frees itself when the call is done.
grpc::ServerUnaryReactor* StartWaitCall(const JobCallParts& parts,
                                        grpc::CallbackServerContext* call,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response);

}  // namespace bvhmill::server
