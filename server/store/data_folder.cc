#include "server/store/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/file_ops.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/s3/open_s3.h"
#include "server/store/sqlite/sqlite.h"

namespace bvhmill::server {
namespace {

constexpr char kNamesName[] = "/names";
constexpr char kIncomplete[] = "DATA_INCOMPLETE";

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// True also if the folder cannot be read. A folder of blobs remains when its
// last blob is removed.
bool HasEntries(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    return error != std::errc::no_such_file_or_directory &&
           error != std::errc::not_a_directory;
  }
  return entries != std::filesystem::directory_iterator();
}

bool HasIdentity(const std::string& path) {
  return access((path + kDatabaseName).c_str(), F_OK) == 0;
}

absl::Status NotMounted(const std::string& path) {
  return MakeCallError(
      {.code = absl::StatusCode::kFailedPrecondition,
       .reason = "DATA_NOT_MOUNTED",
       .args = {{"path", path}},
       .message = "the folder lacks the file \"database\", but the database "
                  "has jobs, whose sources are in their folder: mount its file "
                  "system, or name the folder of these jobs by --data-dir; if "
                  "their folder is lost, see \"The folder is lost\" in "
                  "docs/jobs-on-several-machines.md"});
}

absl::Status NamesAreHeld() {
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = "NAMES_HELD",
                        .args = {{"retry_after_ms", "1000"}},
                        .message = "jobs are being made; try again later"});
}

absl::Status BlobNamed(const BlobName& name) {
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = "BLOB_NAMED",
                        .message = "a job names blobs/" + name.digest +
                                   "; delete the job first"});
}

}  // namespace

absl::Status NoPostgres() {
  return MakeCallError({.code = absl::StatusCode::kUnimplemented,
                        .reason = "NO_POSTGRES",
                        .message = "this bvhmilld was built without "
                                   "PostgreSQL, which --jobs-database needs"});
}

absl::Status OtherDatabase(const std::string& path, const char* whose) {
  return MakeCallError(
      {.code = absl::StatusCode::kFailedPrecondition,
       .reason = "DATA_OF_ANOTHER_DATABASE",
       .args = {{"path", path}},
       .message = std::string("the data folder has the blobs of jobs ") +
                  whose + "; use another folder"});
}

// A link of a finished file, so that no server reads a part of the identity,
// and only the first server names its file.
absl::Status WriteIdentity(const std::string& path,
                           const std::string& identity) {
  const std::string named = path + kDatabaseName;
  // Not the number of the process: processes of two containers may share it.
  const std::string fresh = named + "-" + RandomName();
  OwnedFile file;
  BVHMILL_RETURN_IF_ERROR(OpenFile(fresh, O_WRONLY | O_CREAT | O_EXCL, &file));
  BVHMILL_RETURN_IF_ERROR(WriteFile(file, fresh, identity));
  BVHMILL_RETURN_IF_ERROR(SyncFile(file, fresh));
  const bool is_named = link(fresh.c_str(), named.c_str()) == 0;
  const int error = errno;
  BVHMILL_RETURN_IF_ERROR(RemoveFile(fresh));
  if (!is_named && error != EEXIST) return FileFault("name", named, error);
  return SyncFolder(path);
}

absl::Status CheckIdentity(const std::string& path,
                           const std::string& identity) {
  const std::string named = path + kDatabaseName;
  OwnedFile file;
  BVHMILL_RETURN_IF_ERROR(OpenFile(named, O_RDONLY, &file));
  std::string found;
  constexpr size_t kMost = 256;
  BVHMILL_RETURN_IF_ERROR(ReadFileAt(file, named, 0, kMost, &found));
  // A file that an operator wrote ends with a newline.
  if (found.ends_with('\n')) found.pop_back();
  return found == identity
             ? absl::OkStatus()
             : OtherDatabase(path,
                             "of another database; if it is lost, restore it");
}

std::string DefaultDataFolder() {
  // systemd may name several folders; the first is ours.
  const std::string state = Variable("STATE_DIRECTORY");
  if (!state.empty()) return state.substr(0, state.find(':'));
  const std::string xdg = Variable("XDG_STATE_HOME");
  if (xdg.starts_with('/')) return xdg + "/bvhmill";
  const std::string home = Variable("HOME");
  return home.starts_with('/') ? home + "/.local/state/bvhmill" : "";
}

bool HasData(const std::string& path) {
  return !path.empty() && access((path + kJobsName).c_str(), F_OK) == 0;
}

bool HasBlobs(const std::string& path) {
  return !path.empty() &&
         (HasEntries(path + "/blobs") || HasEntries(path + "/uploads"));
}

absl::Status LockData(const std::string& path, FolderUse use, OwnedFile* lock) {
  BVHMILL_RETURN_IF_ERROR(OpenFile(path + "/lock", O_RDWR | O_CREAT, lock));
  const int kind = use == FolderUse::kShared ? LOCK_SH : LOCK_EX;
  if (flock(lock->get(), kind | LOCK_NB) == 0) return absl::OkStatus();
  return MakeCallError({.code = absl::StatusCode::kFailedPrecondition,
                        .reason = "DATA_IN_USE",
                        .args = {{"path", path}},
                        .message = "another bvhmilld uses the data folder"});
}

absl::Status DataFolder::Open(const std::string& path, const BlobQuota& quota,
                              std::unique_ptr<DataFolder>* folder) {
  std::unique_ptr<DataFolder> out(new DataFolder);
  out->path_ = path;
  BVHMILL_RETURN_IF_ERROR(MakeFolder(path));
  BVHMILL_RETURN_IF_ERROR(LockData(path, FolderUse::kAlone, &out->lock_));
  if (HasIdentity(path)) {
    return OtherDatabase(path, "of a database, see --jobs-database");
  }
  MakeRoom(path);
  const bool has_blobs = HasBlobs(path);
  std::unique_ptr<SqlDatabase> database;
  BVHMILL_RETURN_IF_ERROR(
      OpenSqlite(path + kJobsName, /*may_begin=*/!has_blobs, &database));
  std::unique_ptr<JobStore> jobs;
  BVHMILL_RETURN_IF_ERROR(JobStore::Open(std::move(database), &jobs));
  bool has_jobs = false;
  BVHMILL_RETURN_IF_ERROR(jobs->HasJobs(&has_jobs));
  if (has_jobs && !has_blobs) return BlobsLost("the folder blobs");
  out->names_ = LocalNameLock();
  BVHMILL_RETURN_IF_ERROR(out->OpenBlobs(FolderUse::kAlone, quota));
  BVHMILL_RETURN_IF_ERROR(SyncFolder(path));
  out->jobs_ = std::move(jobs);
  out->KeepReserve();
  *folder = std::move(out);
  return absl::OkStatus();
}

absl::Status DataFolder::OpenShared(const std::string& path,
                                    const std::string& database,
                                    const BlobQuota& quota,
                                    std::unique_ptr<DataFolder>* folder) {
  std::unique_ptr<DataFolder> out(new DataFolder);
  out->path_ = path;
  std::string identity;
  bool has_jobs = false;
  BVHMILL_RETURN_IF_ERROR(
      OpenPostgresJobStore(database, &out->jobs_, &identity, &has_jobs));
  if (HasData(path)) return OtherDatabase(path, "of one server alone");
  // Checked before anything is made in the mount point of a file system that is
  // not mounted.
  if (has_jobs && !HasIdentity(path)) return NotMounted(path);
  const bool has_blobs = HasBlobs(path);
  if (has_jobs && !has_blobs) return BlobsLost("the folder blobs");
  if (has_blobs && !HasIdentity(path)) {
    return DataIncomplete(
        "the folder has blobs, and its file \"database\" is missing, which "
        "names the database of their jobs");
  }
  BVHMILL_RETURN_IF_ERROR(MakeFolder(path));
  BVHMILL_RETURN_IF_ERROR(LockData(path, FolderUse::kShared, &out->lock_));
  MakeRoom(path);
  if (!HasIdentity(path)) {
    BVHMILL_RETURN_IF_ERROR(WriteIdentity(path, identity));
  }
  BVHMILL_RETURN_IF_ERROR(CheckIdentity(path, identity));
  out->names_ = FileNameLock(path + kNamesName);
  BVHMILL_RETURN_IF_ERROR(out->OpenBlobs(FolderUse::kShared, quota));
  out->KeepReserve();
  *folder = std::move(out);
  return absl::OkStatus();
}

absl::Status DataFolder::OpenWithS3(const std::string& path,
                                    const std::string& database,
                                    const S3Options& s3, const BlobQuota& quota,
                                    std::unique_ptr<DataFolder>* folder) {
  std::unique_ptr<DataFolder> out(new DataFolder);
  out->path_ = path;
  std::string identity;
  bool has_jobs = false;
  BVHMILL_RETURN_IF_ERROR(
      OpenPostgresJobStore(database, &out->jobs_, &identity, &has_jobs));
  BVHMILL_RETURN_IF_ERROR(OpenPostgresNameLock(database, &out->names_));
  BVHMILL_RETURN_IF_ERROR(MakeFolder(path));
  BVHMILL_RETURN_IF_ERROR(
      OpenS3BlobStore(s3, path, identity, has_jobs, quota, &out->blobs_));
  *folder = std::move(out);
  return absl::OkStatus();
}

absl::Status DataFolder::OpenBlobs(FolderUse use, const BlobQuota& quota) {
  std::unique_ptr<FileBlobStore> blobs;
  BVHMILL_RETURN_IF_ERROR(FileBlobStore::Open(path_, use, quota, &blobs));
  blobs_ = std::move(blobs);
  return absl::OkStatus();
}

absl::Status DataFolder::FindBlobs(std::span<const BlobName> names,
                                   std::vector<bool>* exist) {
  constexpr size_t kAtOnce = 64;
  exist->clear();
  for (size_t at = 0; at < names.size(); at += kAtOnce) {
    NamesHeld held;
    BVHMILL_RETURN_IF_ERROR(HoldNames(&held));
    std::vector<bool> some;
    BVHMILL_RETURN_IF_ERROR(blobs_->FindAll(
        names.subspan(at, std::min(kAtOnce, names.size() - at)), &some));
    exist->insert(exist->end(), some.begin(), some.end());
  }
  return absl::OkStatus();
}

absl::Status DataFolder::DeleteBlob(const BlobName& name) {
  NamesHeld alone;
  BVHMILL_RETURN_IF_ERROR(names_->HoldAlone(&alone));
  if (alone == nullptr) return NamesAreHeld();
  std::vector<BlobName> unnamed;
  BVHMILL_RETURN_IF_ERROR(FindUnnamed({&name, 1}, &unnamed));
  if (unnamed.empty()) return BlobNamed(name);
  ++deleted_blobs_;
  BVHMILL_RETURN_IF_ERROR(blobs_->DropUpload(name));
  return blobs_->Remove(name);
}

absl::Status DataFolder::WithReserve(
    const std::function<absl::Status()>& work) {
  const absl::Status status = work();
  return IsDiskFull(status) && GiveUpReserve(path_) ? work() : status;
}

// With S3 the folder is not locked and contains no database that needs space.
void DataFolder::KeepReserve() {
  if (lock_.valid()) server::KeepReserve(path_);
}

absl::Status DataFolder::FindUnnamed(std::span<const BlobName> names,
                                     std::vector<BlobName>* unnamed) {
  std::vector<bool> needed;
  BVHMILL_RETURN_IF_ERROR(jobs_->FindNamed(names, &needed));
  unnamed->clear();
  for (size_t i = 0; i < names.size(); ++i) {
    if (!needed[i]) unnamed->push_back(names[i]);
  }
  return absl::OkStatus();
}

// Checks the blobs again while no job can begin to name them: a job may have
// named or used them since the list.
absl::Status DataFolder::CollectSome(std::span<const BlobName> old,
                                     int64_t before_ms, int64_t* count,
                                     bool* is_stopped) {
  std::vector<BlobName> unnamed;
  BVHMILL_RETURN_IF_ERROR(FindUnnamed(old, &unnamed));
  if (unnamed.empty()) return absl::OkStatus();
  NamesHeld alone;
  BVHMILL_RETURN_IF_ERROR(names_->HoldAlone(&alone));
  *is_stopped = alone == nullptr;
  if (*is_stopped) return absl::OkStatus();
  std::vector<BlobName> unused;
  BVHMILL_RETURN_IF_ERROR(FindUnnamed(unnamed, &unused));
  return blobs_->RemoveUnused(unused, before_ms, count);
}

absl::Status DataFolder::Collect(int64_t before_ms, int64_t* count,
                                 const std::stop_token& stop) {
  // The most blobs that are checked and removed under one lock of names.
  constexpr size_t kAtOnce = 64;
  // Threads that wait for the lock of names take it in between.
  constexpr std::chrono::milliseconds kPause(1);
  *count = 0;
  SpaceBytes bytes;
  std::vector<BlobName> old;
  BVHMILL_RETURN_IF_ERROR(blobs_->List([&](const BlobEntry& entry) {
    bytes[entry.name.space] += CountedBytes(entry.size);
    if (entry.used_ms < before_ms) old.push_back(entry.name);
    return !stop.stop_requested();
  }));
  if (stop.stop_requested()) return absl::OkStatus();
  blobs_->SetBytes(bytes);
  const std::span<const BlobName> all = old;
  bool is_stopped = false;
  absl::Status first;
  for (size_t at = 0; at < all.size() && !is_stopped; at += kAtOnce) {
    if (at > 0) std::this_thread::sleep_for(kPause);
    const size_t size = std::min(kAtOnce, all.size() - at);
    const absl::Status status =
        CollectSome(all.subspan(at, size), before_ms, count, &is_stopped);
    // An error of one blob does not stop the removal of others.
    first.Update(status);
    if (absl::IsUnavailable(status) || stop.stop_requested()) return first;
  }
  first.Update(blobs_->DropUploads(before_ms));
  return first;
}

absl::Status DataIncomplete(const std::string& what) {
  return MakeCallError(
      {.code = absl::StatusCode::kFailedPrecondition,
       .reason = kIncomplete,
       .message = what + "; restore it, or all data from one backup. Nothing "
                         "was changed. To begin with new jobs, use another "
                         "place for them and keep this one"});
}

absl::Status BlobsLost(const std::string& place) {
  return DataIncomplete(
      "the database has jobs, and the sources and outputs "
      "that they name are missing from " +
      place);
}

bool IsIncomplete(const absl::Status& status) {
  return CallErrorOf(status).reason == kIncomplete;
}

}  // namespace bvhmill::server
