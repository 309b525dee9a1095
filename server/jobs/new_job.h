#pragma once

// How a job is made: its sources are there from the moment when they are found
// until the job names them.

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

// The sources of a job that is made. One thread at a time.
class JobSources {
 public:
  // `folder` must outlive it. `blobs` are digests, in the space of `caller`.
  JobSources(DataFolder* folder, const std::string& caller,
             const std::vector<std::string>& blobs);

  // Looks for the sources. FAILED_PRECONDITION, BLOBS_MISSING if not all are
  // there. Without the lock of names, which it takes for moments only: a store
  // may take seconds to find many blobs, and others need the lock.
  absl::Status Find();

  // After Find: sets job->asked, if the job has max_space_bytes. An output is
  // expected to have the bytes of its source: a small request may name one
  // source a thousand times.
  absl::Status FindAsked(NewJob* job);

  // Stores the job, after Find. BLOBS_MISSING if sources were removed since;
  // errors of JobStore::Create. Holds the lock of names: sources that were
  // found too long ago to be sure of them are looked for once more.
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

// Returns the error for which items of the caller must not begin now:
// CALLER_BUSY, see BlobStore::CheckOutputs.
absl::Status CheckOutputRoom(const Caller& caller, const JobLimits& limits,
                             DataFolder* folder);

// Makes a job of the sources `blobs`, or finds the one that a repeated request
// has made. `limits` are those of its caller. Errors: those of JobStore::Create
// and BlobStore::CheckRoom, and BLOBS_MISSING.
absl::Status MakeJob(const JobLimits& limits, NewJob job,
                     const std::vector<std::string>& blobs, DataFolder* folder,
                     JobInfo* info, bool* is_new);

}  // namespace bvhmill::server
