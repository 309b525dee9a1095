#pragma once

// MakeJob creates a job. It checks the bounds of the caller, finds the sources,
// and stores the job such that every source exists until the job names it.
//
//   NewJob job;
//   std::vector<std::string> blobs;
//   ReadNewJob(config, request, cancel, &job, &blobs);
//   job.caller = caller.name;
//   bool is_new = false;
//   MakeJob(limits, std::move(job), blobs, folder, &info, &is_new);

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/app/config.h"
#include "server/auth/caller.h"
#include "server/store/data_folder.h"
#include "server/store/job_store.h"

namespace bvhmill::server {

// Makes a job with the sources `blobs`, or finds the job that an earlier
// request with the same id has made. `is_new`, which must be false, is set if
// the job is new. `limits` are those of the caller. Errors: those of
// JobStore::Create and BlobStore::CheckRoom, and FAILED_PRECONDITION,
// BLOBS_MISSING.
absl::Status MakeJob(const JobLimits& limits, NewJob job,
                     const std::vector<std::string>& blobs, DataFolder* folder,
                     JobInfo* info, bool* is_new);

// Returns an error while items of the caller must not begin: CALLER_BUSY, see
// BlobStore::CheckOutputs.
absl::Status CheckOutputRoom(const Caller& caller, const JobLimits& limits,
                             DataFolder* folder);

// The sources of a new job: MakeJob calls the functions in this order. One
// thread at a time.
class JobSources {
 public:
  // `folder` must outlive this object. `blobs` are digests, in the space of
  // `caller`.
  JobSources(DataFolder* folder, const std::string& caller,
             const std::vector<std::string>& blobs);

  // Looks for the sources. FAILED_PRECONDITION, BLOBS_MISSING if not all exist.
  // Locks the lock of names for moments only: a store may need seconds to find
  // many blobs, and other threads need the lock.
  absl::Status Find();

  // After Find: sets job->asked, if the job has max_space_bytes. Each output is
  // estimated by the bytes of its source: a small request may name one source a
  // thousand times.
  absl::Status FindAsked(NewJob* job);

  // Stores the job, after Find. BLOBS_MISSING if sources were removed since;
  // errors of JobStore::Create. Locks the lock of names. Looks for the sources
  // once more if they were found so long ago that they may be removed.
  absl::Status Create(const JobLimits& limits, const NewJob& job, JobInfo* info,
                      bool* is_new);

 private:
  absl::Status AreThere(const JobLimits& limits);
  absl::Status Check(const std::vector<bool>& exist) const;

  DataFolder& folder_;
  std::vector<BlobName> names_;
  std::chrono::steady_clock::time_point found_at_;
  int64_t found_ms_ = 0;
  int64_t deleted_blobs_ = 0;
};

}  // namespace bvhmill::server
