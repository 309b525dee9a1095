#pragma once

// A data folder: the jobs and blobs of a server on disk, opened and locked as
// one. It also removes blobs that no job names.
//
//   std::unique_ptr<DataFolder> data;
//   BVHMILL_RETURN_IF_ERROR(DataFolder::Open(path, quota, &data));
//   NamesHeld held;
//   BVHMILL_RETURN_IF_ERROR(data->HoldNames(&held));
//   ... data->blobs().Find(source, &exists), data->jobs().Create(job, ...)
//
// Layout:
//
//   lock          locked by the server that uses the folder, or by all servers
//                 that share it
//   jobs.db       the database of jobs, with jobs.db-wal and jobs.db-shm
//   jobs.db-open  exists while jobs.db needs jobs.db-wal: see sqlite.h
//   database      the identity of the database of the servers that share the
//                 folder
//   names         locked while jobs begin to name blobs, and while blobs are
//                 removed; only in a shared folder
//   blobs/ uploads/ new/    see file_blob_store.h
//   reserve       disk space for a full disk: see file_ops.h
//
// If the blobs are in an S3-compatible store, the folder contains only files
// without a name, and the lock of names is in the database.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_store.h"
#include "server/store/file_ops.h"
#include "server/store/files/file_blob_store.h"
#include "server/store/job_store.h"
#include "server/store/name_lock.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

// Keeps blobs from being removed while it lives.
using NamesHeld = std::unique_ptr<NameLock::Held>;

class DataFolder {
 public:
  // Makes the folder with mode 0700 if it is missing, locks it, and opens its
  // stores. FAILED_PRECONDITION: DATA_IN_USE if another server uses it;
  // DATA_OF_ANOTHER_DATABASE if it belongs to a database of several servers;
  // DATA_TOO_OLD, DATA_TOO_NEW; DATA_INCOMPLETE if it contains blobs and no
  // database of their jobs, or jobs and no blobs. Also the errors of the
  // stores.
  static absl::Status Open(const std::string& path, const BlobQuota& quota,
                           std::unique_ptr<DataFolder>* folder);

  // Opens the folder for one of several servers, whose jobs are in the database
  // at `database`: see OpenPostgresJobStore. Also FAILED_PRECONDITION:
  // DATA_OF_ANOTHER_DATABASE if the folder contains the blobs of other jobs,
  // which this server would remove; DATA_NOT_MOUNTED if the database contains
  // jobs, and the folder lacks the file `database`. Then it changes nothing in
  // the folder.
  static absl::Status OpenShared(const std::string& path,
                                 const std::string& database,
                                 const BlobQuota& quota,
                                 std::unique_ptr<DataFolder>* folder);

  // Opens the folder for one of several servers with the blobs in an
  // S3-compatible store. Only this server uses the folder, and does not lock
  // it. Also the errors of OpenS3BlobStore.
  static absl::Status OpenWithS3(const std::string& path,
                                 const std::string& database,
                                 const S3Options& s3, const BlobQuota& quota,
                                 std::unique_ptr<DataFolder>* folder);

  const std::string& path() const { return path_; }
  BlobStore& blobs() { return *blobs_; }
  JobStore& jobs() { return *jobs_; }

  // Keeps Collect, also that of other servers, from removing blobs while `held`
  // lives. Hold it from the lookup of a blob until a job names the blob. May
  // wait: see NameLock::Hold. A thread must not hold it twice.
  absl::Status HoldNames(NamesHeld* held) { return names_->Hold(held); }

  // BlobStore::FindAll for many blobs, in parts of 64, each under HoldNames. So
  // no blob is removed during its lookup: some stores damage an object that is
  // removed and marked as used at the same time. HoldAlone waits for one part
  // only. The calling thread must not hold names.
  absl::Status FindBlobs(std::span<const BlobName> names,
                         std::vector<bool>* exist);

  // Removes a blob, and the bytes of an incomplete upload of it. OK if there
  // are none. FAILED_PRECONDITION, BLOB_NAMED if a job names it; ABORTED,
  // UPLOAD_RUNNING; UNAVAILABLE, NAMES_HELD if others hold names until the
  // timeout.
  absl::Status DeleteBlob(const BlobName& name);
  // The number of removals that DeleteBlob has begun. While it does not change
  // and names are held, a blob that was used recently still exists.
  int64_t deleted_blobs() const { return deleted_blobs_; }

  // Runs `work`, which removes data. If the disk is full, removes the reserve
  // and runs `work` once more.
  absl::Status WithReserve(const std::function<absl::Status()>& work);
  // Makes the reserve again if the disk has room.
  void KeepReserve();

  // Removes blobs that no job names and that were not used since `before_ms`,
  // and uploads that got no bytes since. Sets `count` to the number of removed
  // blobs. Leaves the rest to the next call if others hold names until the
  // timeout, or if `stop` is requested. Continues after a blob that cannot be
  // removed, and returns the first error at the end; UNAVAILABLE ends it at
  // once. Also corrects the counted bytes of the store. O(blobs).
  absl::Status Collect(int64_t before_ms, int64_t* count,
                       const std::stop_token& stop = {});

 private:
  DataFolder() = default;
  absl::Status OpenBlobs(FolderUse use, const BlobQuota& quota);
  // Sets `unnamed` to those of `names` that no job names.
  absl::Status FindUnnamed(std::span<const BlobName> names,
                           std::vector<BlobName>* unnamed);
  absl::Status CollectSome(std::span<const BlobName> old, int64_t before_ms,
                           int64_t* count, bool* is_stopped);

  std::string path_;
  // Declared before the stores: it is released after them.
  OwnedFile lock_;
  std::unique_ptr<BlobStore> blobs_;
  std::unique_ptr<JobStore> jobs_;
  std::unique_ptr<NameLock> names_;
  std::atomic<int64_t> deleted_blobs_{0};
};

// Places of the data of a server.

// The default folder: the first one of $STATE_DIRECTORY, else
// $XDG_STATE_HOME/bvhmill, else ~/.local/state/bvhmill; empty if none of these
// variables can be used.
std::string DefaultDataFolder();

// The database of the jobs of one server alone, in its folder.
inline constexpr char kJobsName[] = "/jobs.db";

// True if the folder `path` contains the database of one server alone.
bool HasData(const std::string& path);

// True if blobs or uploads were ever stored in the folder at `path`, or if that
// cannot be determined.
bool HasBlobs(const std::string& path);

// Locks the folder at `path`, which must exist, as long as `lock` lives.
// FAILED_PRECONDITION, DATA_IN_USE if another server holds a lock that excludes
// this one.
absl::Status LockData(const std::string& path, FolderUse use, OwnedFile* lock);

// The identity of the database to which a shared folder belongs.

// The file with the identity, in the folder.
inline constexpr char kDatabaseName[] = "/database";

// Stores `identity` in the folder at `path`, which must exist, unless the
// folder has an identity. The file appears with its content.
absl::Status WriteIdentity(const std::string& path,
                           const std::string& identity);
// OK if the folder belongs to the database with this identity, else
// DATA_OF_ANOTHER_DATABASE.
absl::Status CheckIdentity(const std::string& path,
                           const std::string& identity);
// FAILED_PRECONDITION, DATA_OF_ANOTHER_DATABASE: the folder at `path` contains
// the blobs of jobs `whose`.
absl::Status OtherDatabase(const std::string& path, const char* whose);

// Errors for data of which a part is lost. A server that started with the rest
// would know no job, and remove the blobs of all jobs.

// FAILED_PRECONDITION, DATA_INCOMPLETE: `what` says which part is lost; the
// message continues with what to restore.
absl::Status DataIncomplete(const std::string& what);
// The same for a database whose jobs name blobs, if `place` contains none.
absl::Status BlobsLost(const std::string& place);
// True for DATA_INCOMPLETE.
bool IsIncomplete(const absl::Status& status);

}  // namespace bvhmill::server
