#pragma once

// Errors of an S3-compatible store as statuses: those of S3Client::Send.

#include <curl/curl.h>

#include <string>

#include "absl/status/status.h"

namespace bvhmill::server {

// `why` names no host.
absl::Status BlobsUnavailable(const std::string& why);

// The status of an answer with an HTTP status and the code of its <Error>,
// which may be empty. OK from 200 to 299 without a code.
absl::Status StatusOfAnswer(int http_status, const std::string& code);

// The status of a transfer that has failed.
absl::Status StatusOfTransfer(CURLcode code);

// True if the same request may succeed later.
bool MayRepeat(int http_status, const std::string& code);
bool MayRepeat(CURLcode code);

// `status` for callers of the server: FAILED_PRECONDITION, which only the
// operator can mend, becomes UNAVAILABLE, BLOBS_UNAVAILABLE. Others stay.
absl::Status ForCallers(const absl::Status& status);

}  // namespace bvhmill::server
