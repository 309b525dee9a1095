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

// Reads the source of a call from the blob `blob`, e.g. "blobs/SHA256", of its
// caller, and draws its bytes from the ticket of the call. PERMISSION_DENIED,
// SCOPE_MISSING; NOT_FOUND, BLOB_UNKNOWN; RESOURCE_EXHAUSTED, LIMIT_EXCEEDED
// for more than max_request_message_bytes; also the errors of a store.
absl::Status ReadStoredSource(const JobCallParts& parts, const UnaryWork& call,
                              const std::string& blob, std::string* bytes);

}  // namespace bvhmill::server
