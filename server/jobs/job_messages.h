#pragma once

// Messages of JobService and the plain data of the stores.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/v1/job_service.pb.h"
#include "server/app/config.h"
#include "server/store/job_store.h"

namespace bvhmill::server {

// Checks a request and fills `job` but its caller. `blobs` gets the digests of
// all sources, each once. INVALID_ARGUMENT, FIELD_INVALID, or what the options
// are refused for; RESOURCE_EXHAUSTED for max_items_per_job.
absl::Status ReadNewJob(const ServerConfig& config,
                        const v1::CreateJobRequest& request, NewJob* job,
                        std::vector<std::string>* blobs);

// DATA_LOSS, JOB_DAMAGED: a row has bytes that no server has written. `what` is
// in the row, e.g. "result of item 3".
absl::Status JobDamaged(const std::string& what);

// `message` is empty. If annotations are damaged, it has none, and the error
// says so.
void WriteJob(const JobInfo& job, const JobLimits& limits, v1::Job* message);

// Clears the parts of a result that grow with its clip and with the number of
// its faults, and names them in left_out.
void LeaveOutLargeParts(v1::ClipResult* result);

// "jobs/ID" -> "ID". INVALID_ARGUMENT, FIELD_INVALID without "jobs/";
// NOT_FOUND, JOB_UNKNOWN if no job can have the id.
absl::Status ReadJobName(const std::string& name, std::string* id);

// "blobs/DIGEST" -> "DIGEST". INVALID_ARGUMENT, FIELD_INVALID.
absl::Status ReadBlobName(const std::string& field, const std::string& name,
                          std::string* digest);

// The size of a page: 0 and sizes that are too large become usual ones.
// INVALID_ARGUMENT for a negative size.
absl::Status ReadPageSize(int32_t size, int* limit);
// A token is a number; `value` stays as it is if the token is empty.
absl::Status ReadPageToken(const std::string& token, int64_t* value);

}  // namespace bvhmill::server
