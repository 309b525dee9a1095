#pragma once

// Maps the messages of JobService and BlobService to the plain data of the
// stores and back: new jobs, jobs, results, names and pages. Rows hold some
// messages as bytes; a row that does not parse is JOB_DAMAGED.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/v1/job_service.pb.h"
#include "server/app/config.h"
#include "server/store/check_data.h"
#include "server/store/job_store.h"

namespace bvhmill::server {

// Checks a request and fills `job`, except its caller and its bounds. `blobs`
// gets the digests of all sources, each once. INVALID_ARGUMENT, FIELD_INVALID,
// or the error of the options; UNIMPLEMENTED for an unknown encoding or format
// of a source; RESOURCE_EXHAUSTED, LIMIT_EXCEEDED for max_items_per_job;
// CANCELLED if `cancel` is.
absl::Status ReadNewJob(const ServerConfig& config,
                        const v1::CreateJobRequest& request,
                        const CancelToken& cancel, NewJob* job,
                        std::vector<std::string>* blobs);

// Fills `message`, which must be empty, except its options. If the stored
// annotations are damaged, the message has none, and its error is JOB_DAMAGED.
// Else a cancelled job has the error JOB_CANCELLED. `blocked` is why its items
// wait, or OK.
void WriteJob(const JobInfo& job, const JobLimits& limits,
              const absl::Status& blocked, v1::Job* message);

// Clears the parts of a result whose size grows with the clip or with the
// number of its faults, and names them in left_out.
void LeaveOutLargeParts(v1::ClipResult* result);

// DATA_LOSS, JOB_DAMAGED: a row has bytes that no server has written. `what`
// names the content of the row, e.g. "result of item 3".
absl::Status JobDamaged(const std::string& what);

// True if `bytes` parse as a message of this kind.
bool IsStoredMessage(StoredMessage kind, std::string_view bytes);

// Names and pages of requests.

// Sets `id` to the ID of "jobs/ID". INVALID_ARGUMENT, FIELD_INVALID without
// "jobs/"; NOT_FOUND, JOB_UNKNOWN if no job can have the id.
absl::Status ReadJobName(const std::string& name, std::string* id);

// Sets `digest` to the DIGEST of "blobs/DIGEST". INVALID_ARGUMENT,
// FIELD_INVALID for `field` if the name has another form.
absl::Status ReadBlobName(const std::string& field, const std::string& name,
                          std::string* digest);

// Sets `limit` to the size of a page: 100 if `size` is 0, else `size`, and 1000
// at most. INVALID_ARGUMENT, FIELD_INVALID for a negative size.
absl::Status ReadPageSize(int32_t size, int* limit);
// Sets `value` to the number in a token. An empty token leaves `value` as it
// is. INVALID_ARGUMENT, FIELD_INVALID if the token is not a number of at least
// `least`, in the form that the server writes.
absl::Status ReadPageToken(const std::string& token, int64_t least,
                           int64_t* value);

}  // namespace bvhmill::server
