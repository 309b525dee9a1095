#include "server/store/job_parts.h"

#include <algorithm>
#include <random>
#include <string_view>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"

namespace bvhmill::server {
namespace {

std::string RandomId() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kLength = 20;
  std::random_device random;
  std::string id;
  for (int i = 0; i < kLength; ++i) {
    id += kLetters[std::uniform_int_distribution<size_t>(
        0, kLetters.size() - 1)(random)];
  }
  return id;
}

absl::Status TooMany(const std::string& limit_name, int64_t limit,
                     int64_t value) {
  const std::string number = std::to_string(value);
  return MakeCallError({.code = absl::StatusCode::kResourceExhausted,
                        .reason = "LIMIT_EXCEEDED",
                        .limit_name = limit_name,
                        .limit = limit,
                        .args = {{"value", number}},
                        .message = number + " exceeds " + limit_name + " = " +
                                   std::to_string(limit)});
}

// The bound on the unfinished items of the caller; 0 = none. Other callers have
// `others` unfinished items.
int64_t BoundOf(const NewJob& job, int64_t others) {
  if (!job.item_share.is_fair) return job.item_share.most;
  if (job.max_queued_items == 0) return 0;
  const int64_t left = std::max<int64_t>(job.max_queued_items - others, 1);
  return left / 2 + left % 2;
}

}  // namespace

JobInfo InfoOfNewJob(const NewJob& job, int64_t now_ms) {
  JobInfo info;
  info.id = RandomId();
  info.caller = job.caller;
  info.display_name = job.display_name;
  info.annotations = job.annotations;
  info.total = static_cast<int64_t>(job.items.size());
  info.create_ms = now_ms;
  const bool is_empty = job.items.empty();
  info.state = is_empty ? JobState::kSucceeded : JobState::kPending;
  info.end_ms = is_empty ? now_ms : 0;
  return info;
}

absl::Status CheckBounds(const NewJob& job, const BoundCounts& counts) {
  const auto more = static_cast<int64_t>(job.items.size());
  const int64_t items = counts.items + more;
  if (Exceeds(items, job.max_queued_items)) {
    return TooMany("max_queued_items", job.max_queued_items, items);
  }
  const int64_t own = counts.own_items + more;
  const int64_t most = BoundOf(job, counts.items - counts.own_items);
  if (Exceeds(own, most)) {
    return TooMany("max_queued_items_per_caller", most, own);
  }
  const int64_t jobs = counts.own_jobs + 1;
  if (Exceeds(jobs, job.max_jobs)) {
    return TooMany("max_jobs_per_caller", job.max_jobs, jobs);
  }
  const int64_t bytes = counts.own_bytes + RowBytesOf(job);
  if (Exceeds(bytes, job.max_row_bytes)) {
    return TooMany("max_job_bytes_per_caller", job.max_row_bytes, bytes);
  }
  const int64_t space = job.space_bytes + counts.own_asked + job.asked * more;
  return Exceeds(space, job.max_space_bytes)
             ? TooMany("max_data_bytes_per_caller", job.max_space_bytes, space)
             : absl::OkStatus();
}

int64_t RowBytesOf(const NewJob& job) {
  size_t bytes = job.display_name.size() + job.annotations.size() +
                 job.options.size() + job.request_id.size();
  for (const NewItem& item : job.items) {
    bytes += item.key.size() + item.display_name.size() + item.options.size();
  }
  const auto rows = static_cast<int64_t>(1 + job.items.size());
  return kRowBytes * rows + static_cast<int64_t>(bytes);
}

int64_t RowBytesOf(const ItemResult& result) {
  const auto rows = static_cast<int64_t>(1 + result.outputs.size());
  return kRowBytes * rows + static_cast<int64_t>(result.bytes.size());
}

int64_t BytesOf(const JobInfo& job) {
  // The bytes of its name, times, counts and blocking reason in an answer.
  // PostgresJobStore::List uses the same number.
  constexpr int64_t kOthers = 640;
  return kOthers +
         static_cast<int64_t>(job.display_name.size() + job.annotations.size());
}

absl::Status NoJob(const std::string& id) {
  return MakeCallError(
      {.code = absl::StatusCode::kNotFound,
       .reason = "JOB_UNKNOWN",
       .args = {{"resource_type", "job"}, {"resource_name", "jobs/" + id}},
       .message = "there is no job jobs/" + id});
}

absl::Status RequestIdUsed(const std::string& id) {
  return MakeCallError(
      {.code = absl::StatusCode::kAlreadyExists,
       .reason = "REQUEST_ID_USED",
       .field = "request_id",
       .args = {{"resource_type", "job"}, {"resource_name", "jobs/" + id}},
       .message = "another request with this id has made "
                  "jobs/" +
                  id});
}

absl::Status JobNotOver() {
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = "JOB_NOT_OVER",
                        .message = "the job still runs; cancel it first"});
}

}  // namespace bvhmill::server
