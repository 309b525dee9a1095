#pragma once

// The call WaitJob. No thread waits: the end of the job, its deadline or the
// drain of the server goes on with the call.

#include "bvhmill/v1/job_service.grpc.pb.h"
#include "server/jobs/job_call.h"

namespace bvhmill::server {

// Begins the call. The reactor frees itself when the call is done.
grpc::ServerUnaryReactor* StartWaitCall(const JobCallParts& parts,
                                        grpc::CallbackServerContext* call,
                                        const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response);

// bvhmill.v1.JobService: durable jobs. job_service.proto has the contracts of
// the calls.

// Takes its messages as bytes, as ClipService does.
using RawJobService = v1::JobService::WithRawCallbackMethod_CreateJob<
    v1::JobService::WithRawCallbackMethod_GetJob<
        v1::JobService::WithRawCallbackMethod_ListJobs<
            v1::JobService::WithRawCallbackMethod_ListJobResults<
                v1::JobService::WithRawCallbackMethod_WaitJob<
                    v1::JobService::WithRawCallbackMethod_CancelJob<
                        v1::JobService::WithRawCallbackMethod_DeleteJob<
                            v1::JobService::Service>>>>>>>;

class JobService final : public RawJobService {
 public:
  explicit JobService(const JobCallParts& parts) : parts_(parts) {}

  using Call = grpc::CallbackServerContext;
  using Bytes = grpc::ByteBuffer;

  grpc::ServerUnaryReactor* CreateJob(Call* call, const Bytes* request,
                                      Bytes* response) override;
  grpc::ServerUnaryReactor* GetJob(Call* call, const Bytes* request,
                                   Bytes* response) override;
  grpc::ServerUnaryReactor* ListJobs(Call* call, const Bytes* request,
                                     Bytes* response) override;
  grpc::ServerUnaryReactor* ListJobResults(Call* call, const Bytes* request,
                                           Bytes* response) override;
  grpc::ServerUnaryReactor* WaitJob(Call* call, const Bytes* request,
                                    Bytes* response) override;
  grpc::ServerUnaryReactor* CancelJob(Call* call, const Bytes* request,
                                      Bytes* response) override;
  grpc::ServerUnaryReactor* DeleteJob(Call* call, const Bytes* request,
                                      Bytes* response) override;

 private:
  const JobCallParts parts_;
};

}  // namespace bvhmill::server
