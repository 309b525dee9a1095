#include "server/store/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/sqlite_job_store.h"

namespace bvhmill::server {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

constexpr char kNamesName[] = "/names";

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

// The name appears with its content, for one server only.
absl::Status CheckIdentity(const std::string& path,
                           const std::string& identity) {
  const std::string named = path + kDatabaseName;
  if (access(named.c_str(), F_OK) != 0) {
    const std::string fresh = named + "-" + std::to_string(getpid());
    OwnedFile file;
    BVHMILL_RETURN_IF_ERROR(
        OpenFile(fresh, O_WRONLY | O_CREAT | O_TRUNC, &file));
    BVHMILL_RETURN_IF_ERROR(WriteFile(file, fresh, identity));
    BVHMILL_RETURN_IF_ERROR(SyncFile(file, fresh));
    const bool is_named = link(fresh.c_str(), named.c_str()) == 0;
    const int error = errno;
    BVHMILL_RETURN_IF_ERROR(RemoveFile(fresh));
    if (!is_named && error != EEXIST) return FileFault("name", named, error);
    BVHMILL_RETURN_IF_ERROR(SyncFolder(path));
  }
  OwnedFile file;
  BVHMILL_RETURN_IF_ERROR(OpenFile(named, O_RDONLY, &file));
  std::string found;
  constexpr size_t kMost = 256;
  BVHMILL_RETURN_IF_ERROR(ReadFileAt(file, named, 0, kMost, &found));
  return found == identity ? absl::OkStatus()
                           : OtherDatabase(path, "of another database");
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
  return !path.empty() && access((path + "/jobs.db").c_str(), F_OK) == 0;
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
  if (access((path + kDatabaseName).c_str(), F_OK) == 0) {
    return OtherDatabase(path, "of a database, see --jobs-database");
  }
  BVHMILL_RETURN_IF_ERROR(
      FileBlobStore::Open(path, FolderUse::kAlone, quota, &out->blobs_));
  std::unique_ptr<SqliteJobStore> jobs;
  BVHMILL_RETURN_IF_ERROR(SqliteJobStore::Open(path + "/jobs.db", &jobs));
  BVHMILL_RETURN_IF_ERROR(SyncFolder(path));
  out->jobs_ = std::move(jobs);
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
  BVHMILL_RETURN_IF_ERROR(
      OpenPostgresJobStore(database, &out->jobs_, &identity));
  BVHMILL_RETURN_IF_ERROR(MakeFolder(path));
  BVHMILL_RETURN_IF_ERROR(LockData(path, FolderUse::kShared, &out->lock_));
  if (HasData(path)) return OtherDatabase(path, "of one server alone");
  BVHMILL_RETURN_IF_ERROR(CheckIdentity(path, identity));
  BVHMILL_RETURN_IF_ERROR(
      FileBlobStore::Open(path, FolderUse::kShared, quota, &out->blobs_));
  *folder = std::move(out);
  return absl::OkStatus();
}

absl::Status DataFolder::HoldNames(NamesHeld* held) {
  if (blobs_->use() == FolderUse::kAlone) {
    held->lock_ = std::shared_lock(naming_);
    return absl::OkStatus();
  }
  const std::string path = path_ + kNamesName;
  BVHMILL_RETURN_IF_ERROR(OpenFile(path, O_RDWR | O_CREAT, &held->file_));
  while (flock(held->file_.get(), LOCK_SH) != 0) {
    if (errno != EINTR) return FileFault("lock", path, errno);
  }
  return absl::OkStatus();
}

absl::Status DataFolder::KeepNames(NoNames* none, bool* is_kept) {
  *is_kept = true;
  if (blobs_->use() == FolderUse::kAlone) {
    none->lock = std::unique_lock(naming_);
    return absl::OkStatus();
  }
  constexpr std::chrono::seconds kPatience(2);
  constexpr std::chrono::milliseconds kPause(2);
  const std::string path = path_ + kNamesName;
  BVHMILL_RETURN_IF_ERROR(OpenFile(path, O_RDWR | O_CREAT, &none->file));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (flock(none->file.get(), LOCK_EX | LOCK_NB) != 0) {
    *is_kept = std::chrono::steady_clock::now() < end;
    if (!*is_kept) return absl::OkStatus();
    std::this_thread::sleep_for(kPause);
  }
  return absl::OkStatus();
}

// The age of a blob is looked at once more while no job can begin to name it:
// it may have been used since it was listed.
absl::Status DataFolder::CollectOne(const BlobName& name, int64_t before_ms,
                                    bool* is_removed, bool* is_stopped) {
  *is_removed = false;
  NoNames none;
  bool is_kept = false;
  BVHMILL_RETURN_IF_ERROR(KeepNames(&none, &is_kept));
  *is_stopped = !is_kept;
  if (!is_kept) return absl::OkStatus();
  bool is_needed = false;
  BVHMILL_RETURN_IF_ERROR(jobs_->IsNamed(name.space, name.digest, &is_needed));
  if (!is_needed) {
    BVHMILL_RETURN_IF_ERROR(blobs_->WasUsed(name, before_ms, &is_needed));
  }
  if (is_needed) return absl::OkStatus();
  *is_removed = true;
  return blobs_->Remove(name);
}

absl::Status DataFolder::Collect(int64_t before_ms, int64_t* count) {
  *count = 0;
  int64_t bytes = 0;
  std::vector<BlobName> old;
  BVHMILL_RETURN_IF_ERROR(blobs_->List([&](const BlobEntry& entry) {
    bytes += entry.size;
    if (entry.used_ms < before_ms) old.push_back(entry.name);
    return true;
  }));
  if (blobs_->use() == FolderUse::kShared) blobs_->SetBytes(bytes);
  for (const BlobName& name : old) {
    bool is_removed = false;
    bool is_stopped = false;
    BVHMILL_RETURN_IF_ERROR(
        CollectOne(name, before_ms, &is_removed, &is_stopped));
    if (is_stopped) break;
    *count += is_removed ? 1 : 0;
  }
  return blobs_->DropUploads(before_ms);
}

}  // namespace bvhmill::server
