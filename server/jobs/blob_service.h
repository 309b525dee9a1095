#pragma once

// BlobService serves bvhmill.v1.BlobService: the sources and outputs of jobs.
// blob_service.proto has the contracts of the calls.
//
// Workers serve the calls; no thread of gRPC reads, writes or waits for the
// disk. The streams WriteBlob and ReadBlob run one step at a time.

#include "server/jobs/job_call.h"
#include "server/rpc/raw_service.h"

namespace bvhmill::server {

// Thread-safe: gRPC calls it from several threads.
class BlobService final : public RawService {
 public:
  // The parts must outlive all calls.
  explicit BlobService(const JobCallParts& parts);

 private:
  const JobCallParts parts_;
};

}  // namespace bvhmill::server
