#pragma once

// Parts that the stores of jobs share.

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "server/store/job_store.h"

namespace bvhmill::server {

// The state of a new job, with an id of 20 random letters and digits (103
// bits). Its number is not set. A job without items is over at once.
JobInfo InfoOfNewJob(const NewJob& job, int64_t now_ms);

// NOT_FOUND, JOB_UNKNOWN.
absl::Status NoJob(const std::string& id);
// ALREADY_EXISTS, REQUEST_ID_USED. `id` is that of the job that was made.
absl::Status RequestIdUsed(const std::string& id);
// The bytes that a row counts with, besides the texts and messages in it.
inline constexpr int64_t kRowBytes = 256;
// The bytes of the rows that a new job takes, and those that a result adds.
int64_t RowBytesOf(const NewJob& job);
int64_t RowBytesOf(const ItemResult& result);
// The counts that are compared with the bounds of a new job, without that job.
struct BoundCounts {
  // Unfinished items of all callers, and those of the caller of the job.
  int64_t items = 0;
  int64_t own_items = 0;
  // Kept jobs of the caller, and the bytes of their rows.
  int64_t own_jobs = 0;
  int64_t own_bytes = 0;
  // NewJob::asked of the unfinished items of the caller together.
  int64_t own_asked = 0;
};
// RESOURCE_EXHAUSTED, LIMIT_EXCEEDED if the job and `counts` together exceed
// the bounds of the job.
absl::Status CheckBounds(const NewJob& job, const BoundCounts& counts);
// Bytes of a job in a page of jobs: see JobPage.
int64_t BytesOf(const JobInfo& job);
// FAILED_PRECONDITION, JOB_NOT_OVER.
absl::Status JobNotOver();

}  // namespace bvhmill::server
