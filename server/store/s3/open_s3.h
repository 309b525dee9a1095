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
// the prefix belong. The first server stores it there, unless the database
// `has_jobs`: their blobs are elsewhere then, and the error is NOT_FOUND,
// DATA_MISSING. FAILED_PRECONDITION, DATA_INCOMPLETE if there are jobs and the
// prefix contains no blobs, or if it contains blobs and no identity.
//
// UNAVAILABLE, BLOBS_UNAVAILABLE if the endpoint does not answer.
// INVALID_ARGUMENT for a wrong address or endpoint. FAILED_PRECONDITION:
// S3_KEYS_MISSING; S3_REFUSED (wrong keys, a missing right, or a clock that is
// wrong); S3_BUCKET_MISSING; DATA_OF_ANOTHER_DATABASE.
// UNIMPLEMENTED if this program was built without S3. Messages are for the
// operator: they may name hosts, and never contain a key.
absl::Status OpenS3BlobStore(const S3Options& options, const std::string& spool,
                             const std::string& identity, bool has_jobs,
                             const BlobQuota& quota,
                             std::unique_ptr<BlobStore>* store);

// Opens a store that only reads, for a check: it sends GET, HEAD and lists. Do
// not call functions of the store that change something. Errors as above; also
// NOT_FOUND, DATA_MISSING if no server has used the prefix.
absl::Status OpenS3BlobsForCheck(const S3Options& options,
                                 const std::string& identity,
                                 std::unique_ptr<BlobStore>* store);

}  // namespace bvhmill::server
