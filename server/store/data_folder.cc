#include "server/store/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/sqlite_job_store.h"

namespace bvhmill::server {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

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

absl::Status LockData(const std::string& path, OwnedFile* lock) {
  BVHMILL_RETURN_IF_ERROR(OpenFile(path + "/lock", O_RDWR | O_CREAT, lock));
  if (flock(lock->get(), LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
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
  BVHMILL_RETURN_IF_ERROR(LockData(path, &out->lock_));
  BVHMILL_RETURN_IF_ERROR(FileBlobStore::Open(path, quota, &out->blobs_));
  std::unique_ptr<SqliteJobStore> jobs;
  BVHMILL_RETURN_IF_ERROR(SqliteJobStore::Open(path + "/jobs.db", &jobs));
  BVHMILL_RETURN_IF_ERROR(SyncFolder(path));
  out->jobs_ = std::move(jobs);
  *folder = std::move(out);
  return absl::OkStatus();
}

// The age of a blob is looked at once more while no job can begin to name it:
// it may have been used since it was listed.
absl::Status DataFolder::Collect(int64_t before_ms, int64_t* count) {
  *count = 0;
  std::vector<BlobName> old;
  BVHMILL_RETURN_IF_ERROR(blobs_->List([&](const BlobEntry& entry) {
    if (entry.used_ms < before_ms) old.push_back(entry.name);
    return true;
  }));
  for (const BlobName& name : old) {
    const std::unique_lock lock(naming_);
    bool is_needed = false;
    BVHMILL_RETURN_IF_ERROR(
        jobs_->IsNamed(name.space, name.digest, &is_needed));
    if (!is_needed) {
      BVHMILL_RETURN_IF_ERROR(blobs_->WasUsed(name, before_ms, &is_needed));
    }
    if (is_needed) continue;
    BVHMILL_RETURN_IF_ERROR(blobs_->Remove(name));
    ++*count;
  }
  return blobs_->DropUploads(before_ms);
}

}  // namespace bvhmill::server
