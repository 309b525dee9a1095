#pragma once

// The folder in which a server keeps its jobs and blobs:
//
//   lock       held by the server that uses the folder
//   jobs.db    the database of jobs, with jobs.db-wal and jobs.db-shm
//   blobs/ uploads/ new/    see file_blob_store.h

#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_store.h"
#include "server/store/file_blob_store.h"
#include "server/store/file_ops.h"
#include "server/store/job_store.h"

namespace bvhmill::server {

// The folder that is used unless the operator names one: $STATE_DIRECTORY, else
// $XDG_STATE_HOME/bvhmill, else ~/.local/state/bvhmill; empty if none of these
// variables is set.
std::string DefaultDataFolder();

// True if `path` is the data folder of a server, with a database.
bool HasData(const std::string& path);

class DataFolder {
 public:
  // Makes the folder with mode 0700 if it is missing, locks it, and opens its
  // stores. FAILED_PRECONDITION: DATA_IN_USE if another server has it, or
  // DATA_TOO_NEW.
  static absl::Status Open(const std::string& path, const BlobQuota& quota,
                           std::unique_ptr<DataFolder>* folder);

  const std::string& path() const { return path_; }
  BlobStore& blobs() { return *blobs_; }
  JobStore& jobs() { return *jobs_; }

  // Held (shared) from the moment when a blob is known to exist until a job
  // names it, so that Collect does not remove it in between.
  std::shared_mutex& naming() { return naming_; }

  // Removes blobs that no job names and that were not used since `before_ms`,
  // and uploads that got no bytes since. `count` is the number of blobs.
  absl::Status Collect(int64_t before_ms, int64_t* count);

 private:
  DataFolder() = default;

  std::string path_;
  // Held until the end: the last one to be closed.
  OwnedFile lock_;
  std::unique_ptr<FileBlobStore> blobs_;
  std::unique_ptr<JobStore> jobs_;
  std::shared_mutex naming_;
};

// Locks the folder at `path`, which must exist. DATA_IN_USE as above.
absl::Status LockData(const std::string& path, OwnedFile* lock);

struct DataCheck {
  int64_t jobs = 0;
  int64_t items = 0;
  int64_t results = 0;
  int64_t blobs = 0;
  int64_t blob_bytes = 0;
  // Blobs that no job names; they are removed in time.
  int64_t unnamed = 0;
  // One sentence for each fault; the first 1000.
  std::vector<std::string> faults;
};

// Reads everything in the folder at `path` and checks it: the database; that
// every blob has its digest; that jobs count their items; that each item that
// is done has one result, and others none; that all blobs that are named exist.
// Removes only what a killed server has left unfinished. FAILED_PRECONDITION,
// DATA_IN_USE while a server uses it.
absl::Status CheckData(const std::string& path, DataCheck* check);

}  // namespace bvhmill::server
