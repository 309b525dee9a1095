#pragma once

// The streams WriteBlob and ReadBlob. Workers read, write and wait for the
// disk, in the background; no thread of gRPC does.

#include "bvhmill/v1/blob_service.grpc.pb.h"
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

// bvhmill.v1.BlobService: sources and outputs of jobs. blob_service.proto has
// the contracts of the calls.

// Takes its messages as bytes, as ClipService does.
using RawBlobService = v1::BlobService::WithRawCallbackMethod_FindMissingBlobs<
    v1::BlobService::WithRawCallbackMethod_WriteBlob<
        v1::BlobService::WithRawCallbackMethod_ReadBlob<
            v1::BlobService::WithRawCallbackMethod_DeleteBlob<
                v1::BlobService::Service>>>>;

class BlobService final : public RawBlobService {
 public:
  explicit BlobService(const JobCallParts& parts) : parts_(parts) {}

  grpc::ServerUnaryReactor* FindMissingBlobs(
      grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
      grpc::ByteBuffer* response) override;
  grpc::ServerReadReactor<grpc::ByteBuffer>* WriteBlob(
      grpc::CallbackServerContext* call, grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* ReadBlob(
      grpc::CallbackServerContext* call,
      const grpc::ByteBuffer* request) override;
  grpc::ServerUnaryReactor* DeleteBlob(grpc::CallbackServerContext* call,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;

 private:
  const JobCallParts parts_;
};

}  // namespace bvhmill::server
