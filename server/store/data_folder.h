#pragma once

// The folder in which a server keeps its jobs and blobs:
//
//   lock       held by the server that uses the folder, or by all that share it
//   jobs.db    the database of jobs, with jobs.db-wal and jobs.db-shm
//   database   if servers share the folder: the identity of their database
//   names      locked while blobs begin to be named, and while they are removed
//   blobs/ uploads/ new/    see file_blob_store.h
//
// If the blobs are in an S3-compatible store, the folder has only files without
// a name, and the database has the lock of names.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_store.h"
#include "server/store/file_blob_store.h"
#include "server/store/file_ops.h"
#include "server/store/job_store.h"
#include "server/store/name_lock.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

// The folder that is used unless the operator names one: $STATE_DIRECTORY, else
// $XDG_STATE_HOME/bvhmill, else ~/.local/state/bvhmill; empty if none of these
// variables is set.
std::string DefaultDataFolder();

// True if `path` is the data folder of a server, with a database.
bool HasData(const std::string& path);

// Keeps blobs that are known to exist until a job names them.
using NamesHeld = std::unique_ptr<NameLock::Held>;

class DataFolder {
 public:
  // Makes the folder with mode 0700 if it is missing, locks it, and opens its
  // stores. FAILED_PRECONDITION: DATA_IN_USE if another server has it, or
  // DATA_TOO_NEW.
  static absl::Status Open(const std::string& path, const BlobQuota& quota,
                           std::unique_ptr<DataFolder>* folder);

  // The same for one of several servers, whose jobs are in the database at
  // `database`: see OpenPostgresJobStore. Also FAILED_PRECONDITION,
  // DATA_OF_ANOTHER_DATABASE if the folder has the blobs of other jobs, which
  // would be removed; DATA_NOT_MOUNTED if the database has jobs, and the folder
  // is not theirs: then nothing is made in it.
  static absl::Status OpenShared(const std::string& path,
                                 const std::string& database,
                                 const BlobQuota& quota,
                                 std::unique_ptr<DataFolder>* folder);

  // The same, with the blobs in an S3-compatible store. The folder is of this
  // server: it has only files that nobody else opens. Also the errors of
  // OpenS3BlobStore.
  static absl::Status OpenWithS3(const std::string& path,
                                 const std::string& database,
                                 const S3Options& s3, const BlobQuota& quota,
                                 std::unique_ptr<DataFolder>* folder);

  const std::string& path() const { return path_; }
  BlobStore& blobs() { return *blobs_; }
  JobStore& jobs() { return *jobs_; }

  // Keeps Collect, also that of other servers, from removing blobs. `held` is
  // held from the moment when a blob is known to exist until a job names it.
  absl::Status HoldNames(NamesHeld* held) { return names_->Hold(held); }

  // BlobStore::FindAll of many blobs. No removal hits a blob while it is looked
  // for: some stores damage one that is marked as used meanwhile. Others wait
  // for some of the blobs only, not for all. The caller holds no names.
  absl::Status FindBlobs(std::span<const BlobName> names,
                         std::vector<bool>* exist);

  // Removes blobs that no job names and that were not used since `before_ms`,
  // and uploads that got no bytes since. `count` is the number of blobs. If
  // other servers keep it from that, it leaves the rest to the next time.
  absl::Status Collect(int64_t before_ms, int64_t* count);

 private:
  DataFolder() = default;
  absl::Status OpenBlobs(FolderUse use, const BlobQuota& quota);
  absl::Status CollectSome(std::span<const BlobName> old, int64_t before_ms,
                           int64_t* count, bool* is_stopped);

  std::string path_;
  // Held until the end: the last one to be closed.
  OwnedFile lock_;
  std::unique_ptr<BlobStore> blobs_;
  std::unique_ptr<JobStore> jobs_;
  std::unique_ptr<NameLock> names_;
};

// Locks the folder at `path`, which must exist. DATA_IN_USE as above.
absl::Status LockData(const std::string& path, FolderUse use, OwnedFile* lock);

// The file with the identity of the database that a folder belongs to.
inline constexpr char kDatabaseName[] = "/database";

// Has the folder at `path`, which must exist, belong to the database with this
// identity, unless it belongs to one.
absl::Status WriteIdentity(const std::string& path,
                           const std::string& identity);
// The folder must belong to the database with this identity, else
// DATA_OF_ANOTHER_DATABASE.
absl::Status CheckIdentity(const std::string& path,
                           const std::string& identity);
// DATA_OF_ANOTHER_DATABASE: the folder at `path` has the blobs of jobs `whose`.
absl::Status OtherDatabase(const std::string& path, const char* whose);

}  // namespace bvhmill::server
