#pragma once

// JobService serves bvhmill.v1.JobService: durable jobs. job_service.proto has
// the contracts of the calls.
//
// Workers serve the calls, since stores block for the disk or the network. No
// thread blocks in WaitJob: Jobs::Watch resumes the call when the job ends, at
// the deadline, or when the server drains.

#include "server/jobs/job_call.h"
#include "server/rpc/raw_service.h"

namespace bvhmill::server {

// Thread-safe: gRPC calls it from several threads.
class JobService final : public RawService {
 public:
  // The parts must outlive all calls.
  explicit JobService(const JobCallParts& parts);

 private:
  const JobCallParts parts_;
};

}  // namespace bvhmill::server
