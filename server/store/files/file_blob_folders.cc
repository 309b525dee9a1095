// The folders of a FileBlobStore: how they are made, locked and written.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/files/file_blob_store.h"

namespace bvhmill::server {
namespace {

namespace fs = std::filesystem;

// Threads that make files in one folder wait for each other.
constexpr int kNewFolders = 16;
// Changes of a folder within a tick of the clock have one time.
constexpr int64_t kTickNs = 50'000'000;
constexpr char kLockName[] = "/lock";

int64_t NanosecondsOf(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The time at which the names in a folder changed last; -1 if it is not known.
int64_t ChangeOf(const std::string& folder) {
  struct stat found = {};
  return stat(folder.c_str(), &found) == 0 ? NanosecondsOf(found.st_mtim) : -1;
}

absl::Status RemoveFilesIn(const std::string& folder) {
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    BVHMILL_RETURN_IF_ERROR(RemoveFile(file.path().native()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LockUpload(const std::string& path, int flags, OwnedFile* file,
                        bool* is_locked) {
  *is_locked = false;
  while (true) {
    BVHMILL_RETURN_IF_ERROR(OpenFile(path, O_RDWR | O_APPEND | flags, file));
    if (flock(file->get(), LOCK_EX | LOCK_NB) != 0) {
      return errno == EWOULDBLOCK ? absl::OkStatus()
                                  : FileFault("lock", path, errno);
    }
    struct stat opened = {};
    struct stat named = {};
    const bool is_same = fstat(file->get(), &opened) == 0 &&
                         stat(path.c_str(), &named) == 0 &&
                         opened.st_ino == named.st_ino;
    *is_locked = is_same;
    // The upload that held the lock has ended, and its file is gone: try again.
    if (is_same) return absl::OkStatus();
  }
}

std::string SpaceOfUpload(const std::string& path) {
  const std::string name = fs::path(path).filename();
  return name.substr(0, name.find('-'));
}

bool HasServers(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder + "/new", error)) {
    OwnedFile lock;
    const std::string path = entry.path().native() + kLockName;
    if (!OpenFile(path, O_RDONLY, &lock).ok()) continue;
    if (flock(lock.get(), LOCK_SH | LOCK_NB) != 0) return true;
  }
  return false;
}

absl::Status FileBlobStore::Open(const std::string& folder, FolderUse use,
                                 const BlobQuota& quota,
                                 std::unique_ptr<FileBlobStore>* store) {
  std::unique_ptr<FileBlobStore> out(new FileBlobStore(folder, use, quota));
  BVHMILL_RETURN_IF_ERROR(out->Prepare());
  *store = std::move(out);
  return absl::OkStatus();
}

absl::Status FileBlobStore::Prepare() {
  if (use_ == FolderUse::kReadOnly) return absl::OkStatus();
  for (const char* name : {"/blobs", "/uploads", "/new"}) {
    BVHMILL_RETURN_IF_ERROR(MakeFolder(folder_ + name));
  }
  BVHMILL_RETURN_IF_ERROR(SyncFolder(folder_));
  new_folder_ = folder_ + "/new";
  if (use_ == FolderUse::kShared) BVHMILL_RETURN_IF_ERROR(LockNewFolder());
  for (int i = 0; i < kNewFolders; ++i) {
    BVHMILL_RETURN_IF_ERROR(MakeFolder(NewFolder(i)));
    BVHMILL_RETURN_IF_ERROR(RemoveFilesIn(NewFolder(i)));
  }
  return use_ == FolderUse::kShared ? DropNewFolders() : CountBytes();
}

void FileBlobStore::CountUploads() {
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder_ + "/uploads", error)) {
    const auto size = static_cast<int64_t>(file.file_size(error));
    if (!error && size > 0) {
      budget_.Add(SpaceOfUpload(file.path()), CountedBytes(size));
    }
  }
}

absl::Status FileBlobStore::CountBytes() {
  CountUploads();
  return List([this](const BlobEntry& entry) {
    budget_.Add(entry.name.space, CountedBytes(entry.size));
    return true;
  });
}

void FileBlobStore::SetBytes(const SpaceBytes& bytes) {
  if (use_ != FolderUse::kShared) return;
  budget_.Set(bytes);
  CountUploads();
}

// Before the new folder is locked, another server may take it for that of a
// server that is gone, and remove it. Then this server makes another folder.
absl::Status FileBlobStore::LockNewFolder() {
  while (true) {
    const std::string folder = folder_ + "/new/" + RandomName();
    BVHMILL_RETURN_IF_ERROR(MakeFolder(folder));
    const absl::Status opened =
        OpenFile(folder + kLockName, O_RDWR | O_CREAT, &new_lock_);
    if (absl::IsNotFound(opened)) continue;
    BVHMILL_RETURN_IF_ERROR(opened);
    if (flock(new_lock_.get(), LOCK_EX | LOCK_NB) != 0) continue;
    new_folder_ = folder;
    if (access((folder + kLockName).c_str(), F_OK) == 0) break;
  }
  return absl::OkStatus();
}

absl::Status FileBlobStore::DropNewFolders() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_ + "/new", error)) {
    const std::string& folder = entry.path().native();
    if (folder == new_folder_) continue;
    OwnedFile lock;
    if (!OpenFile(folder + kLockName, O_RDWR | O_CREAT, &lock).ok()) continue;
    if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;
    for (int i = 0; i < kNewFolders; ++i) {
      const std::string part = folder + "/" + std::to_string(i);
      BVHMILL_RETURN_IF_ERROR(RemoveFilesIn(part));
      rmdir(part.c_str());
    }
    BVHMILL_RETURN_IF_ERROR(RemoveFile(folder + kLockName));
    rmdir(folder.c_str());
  }
  return absl::OkStatus();
}

absl::Status FileBlobStore::CheckThere() const {
  // A check says of each blob that it is missing.
  if (use_ == FolderUse::kReadOnly) return absl::OkStatus();
  const std::string path = folder_ + "/blobs";
  struct stat found = {};
  if (stat(path.c_str(), &found) == 0) return absl::OkStatus();
  if (errno != ENOENT && errno != ENOTDIR) {
    return FileFault("find", path, errno);
  }
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = "BLOBS_UNAVAILABLE",
                        .args = {{"path", path}, {"retry_after_ms", "1000"}},
                        .message = "the folder of the blobs is gone"});
}

std::string FileBlobStore::NewFolder(int64_t number) const {
  return new_folder_ + "/" + std::to_string(number % kNewFolders);
}

std::string FileBlobStore::NewPath(int64_t number) const {
  return NewFolder(number) + "/" + std::to_string(number);
}

std::string FileBlobStore::FolderOf(const BlobName& name) const {
  return folder_ + "/blobs/" + name.space + "/" + name.digest.substr(0, 2);
}

std::string FileBlobStore::PathOf(const BlobName& name) const {
  return FolderOf(name) + "/" + name.digest;
}

std::string FileBlobStore::UploadPath(const BlobName& name) const {
  return folder_ + "/uploads/" + name.space + "-" + name.digest;
}

// Makes the folder of a blob; its name is on the disk when this returns.
absl::Status FileBlobStore::ReadyFolder(const BlobName& name) {
  const std::string folder = FolderOf(name);
  const std::string space = folder_ + "/blobs/" + name.space;
  {
    const std::lock_guard lock(mutex_);
    if (ready_.contains(folder)) return absl::OkStatus();
  }
  // If all blobs are gone, their folder is not made anew.
  BVHMILL_RETURN_IF_ERROR(CheckThere());
  BVHMILL_RETURN_IF_ERROR(MakeFolder(folder));
  BVHMILL_RETURN_IF_ERROR(SyncFolder(space));
  BVHMILL_RETURN_IF_ERROR(SyncFolder(folder_ + "/blobs"));
  const std::lock_guard lock(mutex_);
  ready_.insert(folder);
  return absl::OkStatus();
}

bool FileBlobStore::AreSynced(const std::string& folder) {
  const int64_t change = use_ == FolderUse::kShared ? ChangeOf(folder) : 0;
  const std::lock_guard lock(mutex_);
  if (naming_.contains(folder)) return false;
  const auto found = synced_.find(folder);
  return found != synced_.end() && change >= 0 && found->second == change;
}

// Names are on the disk before one of them is said to exist. A process that was
// killed, or an fsync that failed, may have left some that are not.
absl::Status FileBlobStore::SyncNames(const std::string& folder) {
  int64_t change = 0;
  if (use_ == FolderUse::kShared) {
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    change = ChangeOf(folder);
    // A later change may have the same time: then it is looked at again.
    if (NanosecondsOf(now) - change < kTickNs) change = -1;
  }
  const absl::Status synced = SyncFolder(folder);
  const std::lock_guard lock(mutex_);
  if (synced.ok()) {
    synced_[folder] = change;
  } else {
    synced_.erase(folder);
  }
  return synced;
}

}  // namespace bvhmill::server
