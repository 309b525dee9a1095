#include "server/jobs/blob_service.h"

#include <string>
#include <vector>

#include "bvhmill/base/bounds.h"
#include "bvhmill/base/status.h"
#include "server/jobs/blob_streams.h"
#include "server/jobs/job_messages.h"

namespace bvhmill::server {
namespace {

constexpr size_t kMaxBlobNames = 10'000;

absl::Status FindMissing(const JobCallParts& parts, const UnaryWork& call,
                         const v1::FindMissingBlobsRequest& request,
                         v1::FindMissingBlobsResponse* response) {
  BVHMILL_RETURN_IF_ERROR(CheckCount(
      "blobs", static_cast<size_t>(request.blobs_size()), kMaxBlobNames));
  DataFolder* folder = nullptr;
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&folder));
  const std::string space = SpaceOf(call.record.caller()->name);
  std::vector<BlobName> names;
  for (int i = 0; i < request.blobs_size(); ++i) {
    BlobName& name = names.emplace_back();
    name.space = space;
    BVHMILL_RETURN_IF_ERROR(ReadBlobName("blobs[" + std::to_string(i) + "]",
                                         request.blobs(i), &name.digest));
  }
  std::vector<bool> exist;
  BVHMILL_RETURN_IF_ERROR(folder->FindBlobs(names, &exist));
  for (int i = 0; i < request.blobs_size(); ++i) {
    if (!exist[static_cast<size_t>(i)]) response->add_missing(request.blobs(i));
  }
  return absl::OkStatus();
}

absl::Status DeleteOneBlob(const JobCallParts& parts, const UnaryWork& call,
                           const v1::DeleteBlobRequest& request,
                           v1::DeleteBlobResponse* /*response*/) {
  DataFolder* folder = nullptr;
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&folder));
  BlobName name;
  name.space = SpaceOf(call.record.caller()->name);
  BVHMILL_RETURN_IF_ERROR(ReadBlobName("blob", request.blob(), &name.digest));
  return folder->DeleteBlob(name);
}

}  // namespace

grpc::ServerUnaryReactor* BlobService::FindMissingBlobs(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  return ServeMessage(parts_, Method::kFindMissingBlobs, call, request,
                      response, &FindMissing);
}

grpc::ServerUnaryReactor* BlobService::DeleteBlob(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request,
    grpc::ByteBuffer* response) {
  return ServeMessage(parts_, Method::kDeleteBlob, call, request, response,
                      &DeleteOneBlob);
}

grpc::ServerReadReactor<grpc::ByteBuffer>* BlobService::WriteBlob(
    grpc::CallbackServerContext* call, grpc::ByteBuffer* response) {
  return StartWriteBlob(parts_, call, response);
}

grpc::ServerWriteReactor<grpc::ByteBuffer>* BlobService::ReadBlob(
    grpc::CallbackServerContext* call, const grpc::ByteBuffer* request) {
  return StartReadBlob(parts_, call, request);
}

}  // namespace bvhmill::server
