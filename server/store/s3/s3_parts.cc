#include "server/store/s3/s3_parts.h"

#include "bvhmill/base/status.h"
#include "server/store/s3/s3_faults.h"
#include "server/store/s3/s3_xml.h"

namespace bvhmill::server {
namespace {

// A store may put the parts together before it answers.
constexpr int kCompletePatience = 120;

}  // namespace

absl::Status BeginParts(S3Client* client, const std::string& key,
                        std::string* id) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(client->Send(
      {.method = "POST", .key = key, .query = {{"uploads", ""}}}, &answer));
  *id = FieldIn(answer.body, "UploadId");
  return id->empty() ? BlobsUnavailable("the store of blobs begins no upload")
                     : absl::OkStatus();
}

absl::Status PutPart(S3Client* client, const std::string& key,
                     const std::string& id, const S3Part& part,
                     std::string* tag) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(client->Send(
      {.method = "PUT",
       .key = key,
       .query = {{"partNumber", std::to_string(part.number)}, {"uploadId", id}},
       .file = part.file,
       .file_offset = part.offset,
       .file_bytes = part.bytes,
       .digest = part.digest},
      &answer));
  *tag = answer.tag;
  return tag->empty() ? BlobsUnavailable("the store of blobs names no part")
                      : absl::OkStatus();
}

absl::Status CompleteParts(S3Client* client, const std::string& key,
                           const std::string& id,
                           const std::vector<std::string>& tags) {
  S3Answer answer;
  return client->Send({.method = "POST",
                       .key = key,
                       .query = {{"uploadId", id}},
                       .headers = {"Content-Type: application/xml"},
                       .text = CompletionOf(tags),
                       .patience_seconds = kCompletePatience},
                      &answer);
}

absl::Status AbortParts(S3Client* client, const std::string& key,
                        const std::string& id) {
  S3Answer answer;
  const absl::Status status = client->Send(
      {.method = "DELETE", .key = key, .query = {{"uploadId", id}}}, &answer);
  return absl::IsNotFound(status) || absl::IsAborted(status) ? absl::OkStatus()
                                                             : status;
}

}  // namespace bvhmill::server
