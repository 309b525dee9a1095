#include "server/store/job_parts.h"

#include <random>
#include <string_view>

#include "bvhmill/base/call_error.h"

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
