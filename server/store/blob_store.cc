#include "server/store/blob_store.h"

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"

namespace bvhmill::server {

std::string SpaceOf(std::string_view name) {
  constexpr size_t kDigits = 16;
  return Sha256Of(name).substr(0, kDigits);
}

absl::Status BlobStore::FindAll(std::span<const BlobName> names,
                                std::vector<bool>* exist) {
  exist->assign(names.size(), false);
  for (size_t i = 0; i < names.size(); ++i) {
    bool exists = false;
    BVHMILL_RETURN_IF_ERROR(Find(names[i], &exists));
    (*exist)[i] = exists;
  }
  return absl::OkStatus();
}

absl::Status BlobStore::RemoveUnused(std::span<const BlobName> names,
                                     int64_t before_ms, int64_t* count) {
  absl::Status first;
  for (const BlobName& name : names) {
    bool was_used = false;
    absl::Status status = WasUsed(name, before_ms, &was_used);
    if (status.ok() && was_used) continue;
    if (status.ok()) status = Remove(name);
    if (status.ok()) ++*count;
    first.Update(status);
  }
  return first;
}

absl::Status BlobExists() {
  return MakeCallError({.code = absl::StatusCode::kAlreadyExists,
                        .reason = "BLOB_EXISTS",
                        .message = "the server has the blob"});
}

absl::Status UploadRunning() {
  return MakeCallError(
      {.code = absl::StatusCode::kAborted,
       .reason = "UPLOAD_RUNNING",
       .args = {{"retry_after_ms", "1000"}},
       .message = "another upload of the blob runs; try again later"});
}

bool IsBeyondShare(const absl::Status& status) {
  return CallErrorOf(status).reason == "LIMIT_EXCEEDED";
}

absl::Status DigestMismatch() {
  return MakeCallError({.code = absl::StatusCode::kInvalidArgument,
                        .reason = "DIGEST_MISMATCH",
                        .field = "blob",
                        .message = "the bytes have another SHA-256; upload "
                                   "the blob again from its beginning"});
}

}  // namespace bvhmill::server
