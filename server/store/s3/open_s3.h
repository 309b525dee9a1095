#pragma once

// Blobs in an S3-compatible store that several servers share.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/store/blob_budget.h"
#include "server/store/blob_store.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

// Opens the store. `spool` is a folder of this machine for bytes that were not
// sent yet. `identity` is that of the database of jobs, to which all blobs with
// the prefix belong: the first server stores it there, unless the database
// `has_jobs`. Their blobs are elsewhere then: NOT_FOUND, DATA_MISSING.
// FAILED_PRECONDITION, DATA_INCOMPLETE if it has jobs and the prefix no blobs,
// or the prefix has blobs and no identity.
//
// UNAVAILABLE, BLOBS_UNAVAILABLE if the endpoint does not answer.
// INVALID_ARGUMENT for a wrong address or endpoint. FAILED_PRECONDITION:
// S3_KEYS_MISSING; S3_REFUSED (wrong keys, a missing right, or a clock that is
// wrong); S3_BUCKET_MISSING; DATA_OF_ANOTHER_DATABASE.
// UNIMPLEMENTED if this program was built without S3. Messages are for the
// operator: they may name hosts, and never have a key.
absl::Status OpenS3BlobStore(const S3Options& options, const std::string& spool,
                             const std::string& identity, bool has_jobs,
                             const BlobQuota& quota,
                             std::unique_ptr<BlobStore>* store);

// Opens a store that only reads, for a check: it sends GET, HEAD and lists.
// Functions of the store that change something must not be called. Errors as
// above; also NOT_FOUND, DATA_MISSING if no server has used the prefix.
absl::Status OpenS3BlobsForCheck(const S3Options& options,
                                 const std::string& identity,
                                 std::unique_ptr<BlobStore>* store);

}  // namespace bvhmill::server
