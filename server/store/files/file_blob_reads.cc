// Reading, listing and removing: the part of FileBlobStore that makes no blobs.

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "bvhmill/base/status.h"
#include "server/store/files/file_blob_store.h"

namespace bvhmill::server {
namespace {

namespace fs = std::filesystem;

int64_t MillisecondsOf(const timespec& time) {
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

class FileReader final : public BlobReader {
 public:
  FileReader(std::string path, OwnedFile file, int64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  int64_t size() const override { return size_; }
  absl::Status Read(int64_t offset, size_t size,
                    std::string* bytes) const override {
    // No buffer is larger than what is left.
    const auto left = static_cast<size_t>(std::max<int64_t>(size_ - offset, 0));
    return ReadFileAt(file_, path_, offset, std::min(size, left), bytes);
  }

 private:
  const std::string path_;
  const OwnedFile file_;
  const int64_t size_;
};

}  // namespace

absl::Status FileBlobStore::Find(const BlobName& name, bool* exists) {
  const std::string path = PathOf(name);
  *exists = utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0;
  if (!*exists && errno != ENOENT && errno != ENOTDIR) {
    return FileFault("find", path, errno);
  }
  if (!*exists) return CheckThere();
  const std::string folder = FolderOf(name);
  return AreSynced(folder) ? absl::OkStatus() : SyncNames(folder);
}

absl::Status FileBlobStore::FindSizes(std::span<const BlobName> names,
                                      std::vector<int64_t>* sizes) {
  sizes->assign(names.size(), 0);
  for (size_t i = 0; i < names.size(); ++i) {
    struct stat found = {};
    if (stat(PathOf(names[i]).c_str(), &found) == 0) {
      (*sizes)[i] = found.st_size;
    }
  }
  return absl::OkStatus();
}

absl::Status FileBlobStore::Open(const BlobName& name,
                                 std::unique_ptr<BlobReader>* reader) {
  const std::string path = PathOf(name);
  OwnedFile file;
  struct stat found = {};
  const absl::Status opened = OpenFile(path, O_RDONLY, &file);
  if (absl::IsNotFound(opened)) BVHMILL_RETURN_IF_ERROR(CheckThere());
  BVHMILL_RETURN_IF_ERROR(opened);
  if (fstat(file.get(), &found) != 0) return FileFault("open", path, errno);
  *reader = std::make_unique<FileReader>(path, std::move(file), found.st_size);
  return absl::OkStatus();
}

// Writes and reads a byte in the folder of the blobs. If that works, the store
// works, and the fault concerns this blob alone.
bool FileBlobStore::IsOfBlob(const absl::Status& fault) {
  if (!absl::IsInternal(fault)) return false;
  const std::string blobs = folder_ + "/blobs";
  OwnedFile file;
  std::string byte;
  return OpenUnnamedFile(blobs, &file).ok() &&
         WriteFile(file, blobs, "a").ok() &&
         ReadFileAt(file, blobs, 0, 1, &byte).ok() && byte == "a";
}

absl::Status FileBlobStore::WasUsed(const BlobName& name, int64_t since_ms,
                                    bool* was_used) {
  const std::string path = PathOf(name);
  struct stat found = {};
  *was_used = false;
  if (stat(path.c_str(), &found) != 0) {
    // A blob that cannot be looked at may be in use.
    return errno == ENOENT ? absl::OkStatus() : FileFault("stat", path, errno);
  }
  *was_used = MillisecondsOf(found.st_mtim) >= since_ms;
  return absl::OkStatus();
}

absl::Status FileBlobStore::Remove(const BlobName& name) {
  const std::string path = PathOf(name);
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(RemoveFile(path));
  budget_.Return(name.space, CountedBytes(found.st_size));
  return absl::OkStatus();
}

absl::Status FileBlobStore::List(
    const std::function<bool(const BlobEntry& entry)>& take) {
  std::error_code error;
  fs::recursive_directory_iterator files(folder_ + "/blobs", error);
  // A server that was killed at its first start has left no folder.
  if (error == std::errc::no_such_file_or_directory) return absl::OkStatus();
  for (; !error && files != fs::recursive_directory_iterator();
       files.increment(error)) {
    const fs::path& path = files->path();
    struct stat found = {};
    if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    BlobEntry entry;
    entry.name.digest = path.filename().native();
    entry.name.space = path.parent_path().parent_path().filename().native();
    entry.size = found.st_size;
    entry.used_ms = MillisecondsOf(found.st_mtim);
    if (!take(entry)) break;
  }
  return error ? FileFault("list", folder_, error.value()) : absl::OkStatus();
}

absl::Status FileBlobStore::RemoveUpload(const std::string& path,
                                         bool* is_running) {
  OwnedFile file;
  bool is_locked = false;
  const absl::Status locked = LockUpload(path, 0, &file, &is_locked);
  if (absl::IsNotFound(locked)) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(locked);
  *is_running = !is_locked;
  struct stat found = {};
  if (!is_locked || fstat(file.get(), &found) != 0) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(RemoveFile(path));
  if (found.st_size > 0) {
    budget_.Return(SpaceOfUpload(path), CountedBytes(found.st_size));
  }
  return absl::OkStatus();
}

absl::Status FileBlobStore::DropUpload(const BlobName& name) {
  bool is_running = false;
  BVHMILL_RETURN_IF_ERROR(RemoveUpload(UploadPath(name), &is_running));
  return is_running ? UploadRunning() : absl::OkStatus();
}

absl::Status FileBlobStore::DropUploads(int64_t before_ms) {
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(folder_ + "/uploads", error)) {
    const std::string& path = entry.path().native();
    struct stat found = {};
    if (stat(path.c_str(), &found) != 0) continue;
    if (MillisecondsOf(found.st_mtim) >= before_ms) continue;
    bool is_running = false;
    BVHMILL_RETURN_IF_ERROR(RemoveUpload(path, &is_running));
  }
  return use_ == FolderUse::kShared ? DropNewFolders() : absl::OkStatus();
}

}  // namespace bvhmill::server
