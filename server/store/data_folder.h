#pragma once

// The folder in which a server keeps its jobs and blobs:
//
//   lock       held by the server that uses the folder, or by all that share it
//   jobs.db    the database of jobs, with jobs.db-wal and jobs.db-shm
//   jobs.db-open  there while jobs.db needs jobs.db-wal: see sqlite.h
//   database   if servers share the folder: the identity of their database
//   names      locked while jobs begin to name blobs, and while blobs are
//              removed; only if servers share the folder
//   blobs/ uploads/ new/    see file_blob_store.h
//   reserve    space that is kept for a full disk: see file_ops.h
//
// If the blobs are in an S3-compatible store, the folder has only files without
// a name, and the lock of names is in the database.

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

// The folder that is used unless the operator names one: the first one of
// $STATE_DIRECTORY, else $XDG_STATE_HOME/bvhmill, else ~/.local/state/bvhmill;
// empty if none of these variables can be used.
std::string DefaultDataFolder();

// The file with the jobs of one server alone, in its folder.
inline constexpr char kJobsName[] = "/jobs.db";

// True if the folder `path` has the database of one server alone.
bool HasData(const std::string& path);

// While it lives, no blob is removed.
using NamesHeld = std::unique_ptr<NameLock::Held>;

class DataFolder {
 public:
  // Makes the folder with mode 0700 if it is missing, locks it, and opens its
  // stores. FAILED_PRECONDITION: DATA_IN_USE if another server has it;
  // DATA_OF_ANOTHER_DATABASE if it belongs to a database of several servers;
  // DATA_TOO_NEW; DATA_INCOMPLETE if it has blobs and no database of their
  // jobs, or jobs and no blobs. Also the errors of the stores.
  static absl::Status Open(const std::string& path, const BlobQuota& quota,
                           std::unique_ptr<DataFolder>* folder);

  // The same for one of several servers, whose jobs are in the database at
  // `database`: see OpenPostgresJobStore. Also FAILED_PRECONDITION,
  // DATA_OF_ANOTHER_DATABASE if the folder has the blobs of other jobs: this
  // server would remove them; DATA_NOT_MOUNTED if the database has jobs, and
  // the folder is not theirs: then nothing is made in it.
  static absl::Status OpenShared(const std::string& path,
                                 const std::string& database,
                                 const BlobQuota& quota,
                                 std::unique_ptr<DataFolder>* folder);

  // The same, with the blobs in an S3-compatible store. The folder is that of
  // this server alone, and is not locked: it has only files without a name.
  // Also the errors of OpenS3BlobStore.
  static absl::Status OpenWithS3(const std::string& path,
                                 const std::string& database,
                                 const S3Options& s3, const BlobQuota& quota,
                                 std::unique_ptr<DataFolder>* folder);

  const std::string& path() const { return path_; }
  BlobStore& blobs() { return *blobs_; }
  JobStore& jobs() { return *jobs_; }

  // Keeps Collect, also that of other servers, from removing blobs while `held`
  // lives. Hold it from the moment when a blob is known to exist until a job
  // names it. May wait: see NameLock::Hold. A thread must not hold it twice.
  absl::Status HoldNames(NamesHeld* held) { return names_->Hold(held); }

  // BlobStore::FindAll for many blobs, in parts, each under HoldNames. So no
  // blob is removed while it is looked for: some stores damage an object that
  // is removed and marked as used at once. Others wait for one part only. The
  // calling thread must not hold names.
  absl::Status FindBlobs(std::span<const BlobName> names,
                         std::vector<bool>* exist);

  // Removes a blob, and the bytes of an upload of it that is not complete. OK
  // if there are none. FAILED_PRECONDITION, BLOB_NAMED if a job names it;
  // ABORTED, UPLOAD_RUNNING; UNAVAILABLE, NAMES_HELD if others hold names for
  // too long.
  absl::Status DeleteBlob(const BlobName& name);
  // The number of blobs that DeleteBlob has removed. Until it changes, and
  // while names are held, blobs that were used a moment ago are there.
  int64_t deleted_blobs() const { return deleted_blobs_; }

  // Runs `work`, which removes data; once more with the space of the reserve if
  // the disk is full.
  absl::Status WithReserve(const std::function<absl::Status()>& work);
  // Makes the reserve anew if there is room.
  void KeepReserve();

  // Removes blobs that no job names and that were not used since `before_ms`,
  // and uploads that got no bytes since. Sets `count` to the number of removed
  // blobs. If others hold names for too long, it leaves the rest to the next
  // call. So it does if `stop` asks for that. A blob that cannot be removed
  // keeps no other: the first error is returned in the end. Also corrects the
  // counted bytes of the store. O(blobs).
  absl::Status Collect(int64_t before_ms, int64_t* count,
                       const std::stop_token& stop = {});

 private:
  DataFolder() = default;
  absl::Status OpenBlobs(FolderUse use, const BlobQuota& quota);
  // The blobs that no job names.
  absl::Status FindUnnamed(std::span<const BlobName> names,
                           std::vector<BlobName>* unnamed);
  absl::Status CollectSome(std::span<const BlobName> old, int64_t before_ms,
                           int64_t* count, bool* is_stopped);

  std::string path_;
  // Declared before the stores, so that it is released after them.
  OwnedFile lock_;
  std::unique_ptr<BlobStore> blobs_;
  std::unique_ptr<JobStore> jobs_;
  std::unique_ptr<NameLock> names_;
  std::atomic<int64_t> deleted_blobs_{0};
};

// Locks the folder at `path`, which must exist, as long as `lock` lives.
// DATA_IN_USE as above.
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

// Refuses data of which a part is lost. A server that began with the rest would
// know no job, and remove the blobs of all of them.

// True if blobs or uploads were ever stored in the folder at `path`, or if that
// cannot be found out.
bool HasBlobs(const std::string& path);

// FAILED_PRECONDITION, DATA_INCOMPLETE: `what` says which part of the data is
// lost, and is followed by what to restore.
absl::Status DataIncomplete(const std::string& what);
// The same for a database that names blobs, where there are none.
absl::Status BlobsLost(const std::string& place);
bool IsIncomplete(const absl::Status& status);

}  // namespace bvhmill::server
