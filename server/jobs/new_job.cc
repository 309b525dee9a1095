#include "server/jobs/new_job.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "server/jobs/jobs.h"
#include "server/rpc/call_parts.h"

namespace bvhmill::server {
namespace {

absl::Status BlobsMissing(const std::string& first, size_t count) {
  const std::string number = std::to_string(count);
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = "BLOBS_MISSING",
                        .args = {{"count", number},
                                 {"resource_type", "blob"},
                                 {"resource_name", "blobs/" + first}},
                        .message = "the server lacks " + number +
                                   " of the sources; store them by "
                                   "BlobService.WriteBlob"});
}

// The time for which a blob that was found is not removed.
//
// A blob that is found counts as used at that time. The janitor removes no blob
// that was used in the last blob_retention_seconds; it checks that under the
// lock of names. In an S3-compatible store the time of the last use may be too
// early by an eighth of the retention. So each blob stays for a quarter of the
// retention, even if the clocks of servers differ somewhat.
std::chrono::steady_clock::duration TimeThatBlobsStay(const JobLimits& limits) {
  using Time = std::chrono::steady_clock::duration;
  const int64_t life = limits.blob_retention_seconds;
  return life == 0 ? Time::max() : Time(Seconds(life)) / 4;
}

}  // namespace

JobSources::JobSources(DataFolder* folder, const std::string& caller,
                       const std::vector<std::string>& blobs)
    : folder_(*folder) {
  const std::string space = SpaceOf(caller);
  for (const std::string& digest : blobs) names_.push_back({space, digest});
}

absl::Status JobSources::Find() {
  found_at_ = std::chrono::steady_clock::now();
  found_ms_ = WallClockMs();
  deleted_blobs_ = folder_.deleted_blobs();
  std::vector<bool> exist;
  BVHMILL_RETURN_IF_ERROR(folder_.FindBlobs(names_, &exist));
  return Check(exist);
}

absl::Status JobSources::FindAsked(NewJob* job) {
  const int64_t most = job->max_space_bytes;
  if (most == 0 || job->items.empty()) return absl::OkStatus();
  std::vector<int64_t> sizes;
  BVHMILL_RETURN_IF_ERROR(folder_.blobs().FindSizes(names_, &sizes));
  std::map<std::string_view, int64_t> counted;
  for (size_t i = 0; i < names_.size(); ++i) {
    counted[names_[i].digest] = CountedBytes(sizes[i]);
  }
  int64_t asked = 0;
  for (const NewItem& item : job->items) {
    // The sum stops just above `most`: such a job is refused, and the sum does
    // not overflow.
    asked += std::min(item.outputs * counted[item.blob], most);
    asked = std::min(asked, most + 1);
  }
  const auto items = static_cast<int64_t>(job->items.size());
  job->asked = (asked + items - 1) / items;
  return absl::OkStatus();
}

absl::Status JobSources::Create(const JobLimits& limits, const NewJob& job,
                                JobInfo* info, bool* is_new) {
  NamesHeld names;
  BVHMILL_RETURN_IF_ERROR(folder_.HoldNames(&names));
  BVHMILL_RETURN_IF_ERROR(AreThere(limits));
  return folder_.jobs().Create(job, WallClockMs(), info, is_new);
}

// Checks that the sources still exist, with the lock of names. Blobs that were
// found too long ago, by either clock, may have been removed since. A caller
// may also have deleted one on this server. If it did so on another server, the
// item that needs the blob fails.
absl::Status JobSources::AreThere(const JobLimits& limits) {
  const auto most = TimeThatBlobsStay(limits);
  const auto age = std::chrono::steady_clock::now() - found_at_;
  const std::chrono::milliseconds wall(WallClockMs() - found_ms_);
  if (age < most && std::chrono::abs(wall) < most &&
      folder_.deleted_blobs() == deleted_blobs_) {
    return absl::OkStatus();
  }
  std::vector<bool> exist;
  BVHMILL_RETURN_IF_ERROR(folder_.blobs().FindAll(names_, &exist));
  return Check(exist);
}

absl::Status JobSources::Check(const std::vector<bool>& exist) const {
  const auto first = std::find(exist.begin(), exist.end(), false);
  if (first == exist.end()) return absl::OkStatus();
  const auto missing = std::count(first, exist.end(), false);
  return BlobsMissing(names_[static_cast<size_t>(first - exist.begin())].digest,
                      static_cast<size_t>(missing));
}

absl::Status CheckOutputRoom(const Caller& caller, const JobLimits& limits,
                             DataFolder* folder) {
  return folder->blobs().CheckOutputs(
      SpaceOf(caller.name), LimitsOf(caller, limits).max_data_bytes_per_caller);
}

absl::Status MakeJob(const JobLimits& limits, NewJob job,
                     const std::vector<std::string>& blobs, DataFolder* folder,
                     JobInfo* info, bool* is_new) {
  JobStore& jobs = folder->jobs();
  // First: a repeat finds its job even if there is no room for another one.
  bool is_repeat = false;
  BVHMILL_RETURN_IF_ERROR(jobs.FindRepeat(job, info, &is_repeat));
  if (is_repeat) return absl::OkStatus();
  job.max_space_bytes = limits.max_data_bytes_per_caller;
  job.space_bytes = folder->blobs().BytesIn(SpaceOf(job.caller));
  // The cheap checks come before the search for blobs. Create checks the room
  // of the job once more.
  BVHMILL_RETURN_IF_ERROR(jobs.CheckRoom(job));
  BVHMILL_RETURN_IF_ERROR(folder->blobs().CheckRoom(
      SpaceOf(job.caller), limits.max_data_bytes_per_caller));
  JobSources sources(folder, job.caller, blobs);
  BVHMILL_RETURN_IF_ERROR(sources.Find());
  BVHMILL_RETURN_IF_ERROR(sources.FindAsked(&job));
  return sources.Create(limits, job, info, is_new);
}

}  // namespace bvhmill::server
