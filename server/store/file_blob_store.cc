#include "server/store/file_blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/fault_points.h"

namespace bvhmill::server {
namespace {

// Bytes between two looks at the free space of the disk.
constexpr int64_t kLookBytes = int64_t{8} << 20;
constexpr size_t kReadBytes = size_t{1} << 20;
// Bytes of an earlier upload that are read at once: some 10 ms.
constexpr int64_t kPreparedBytes = int64_t{4} << 20;
constexpr size_t kSpaceDigits = 16;

// Calls `sync(i)` for each i below `count`, also after an error; returns the
// first one. A disk writes several files in hardly more time than one, if they
// are asked for at once: with eight threads, nine times as fast as one by one.
// The calling thread does what is left if others cannot be started.
template <typename Sync>
absl::Status ForAll(size_t count, const Sync& sync) {
  constexpr size_t kThreads = 8;
  std::array<absl::Status, kThreads> status;
  std::atomic<size_t> next = 0;
  const auto run = [&](size_t thread) {
    for (size_t i = next++; i < count; i = next++) {
      status[thread].Update(sync(i));
    }
  };
  const auto run_caught = [&](size_t thread) {
    try {
      run(thread);
    } catch (const std::exception&) {
      status[thread] = absl::InternalError("");
    }
  };
  {
    std::vector<std::jthread> threads;
    try {
      for (size_t i = 1; count >= kThreads && i < kThreads; ++i) {
        if (FaultPoints::Reach(Effect::kStartThread) != Fault::kNone) break;
        threads.emplace_back(run_caught, i);
      }
    } catch (const std::exception&) {
      // Fewer threads do the work.
    }
    run(0);
  }
  for (const absl::Status& one : status) BVHMILL_RETURN_IF_ERROR(one);
  return absl::OkStatus();
}

absl::Status BlobExists() {
  return MakeCallError({.code = absl::StatusCode::kAlreadyExists,
                        .reason = "BLOB_EXISTS",
                        .message = "the server has the blob"});
}

}  // namespace

std::string SpaceOf(std::string_view name) {
  return Sha256Of(name).substr(0, kSpaceDigits);
}

// A file of new/ until it is committed.
class FileBlobStore::FileBlob final : public NewBlob {
 public:
  FileBlob(FileBlobStore* store, std::string space, std::string path,
           OwnedFile file)
      : store_(*store), path_(std::move(path)), file_(std::move(file)) {
    name_.space = std::move(space);
  }
  // An error leaves a file that is removed at the next start.
  ~FileBlob() override {
    file_.Close();
    if (!is_stored_) static_cast<void>(RemoveFile(path_));
    if (!is_stored_) store_.Return(BytesOnDisk(size_));
  }

  absl::Status Append(std::string_view bytes) override {
    const auto more = static_cast<int64_t>(bytes.size());
    BVHMILL_RETURN_IF_ERROR(store_.Reserve(
        BytesOnDisk(size_ + more) - BytesOnDisk(size_), Use::kOutput));
    size_ += more;
    digest_.Add(bytes);
    return WriteFile(file_, path_, bytes);
  }
  void Finish() override { name_.digest = digest_.Finish(); }
  const BlobName& name() const override { return name_; }
  int64_t size() const override { return size_; }

 private:
  friend class FileBlobStore;

  FileBlobStore& store_;
  const std::string path_;
  OwnedFile file_;
  Sha256 digest_;
  BlobName name_;
  int64_t size_ = 0;
  bool is_stored_ = false;
};

class FileBlobStore::FileUpload final : public BlobUpload {
 public:
  FileUpload(FileBlobStore* store, BlobName name, std::string path)
      : store_(*store), name_(std::move(name)), path_(std::move(path)) {}
  // An upload without bytes leaves no file.
  ~FileUpload() override {
    if (is_locked_ && size_ == 0) static_cast<void>(RemoveFile(path_));
  }

  absl::Status Start() {
    BVHMILL_RETURN_IF_ERROR(LockUpload(path_, O_CREAT, &file_, &is_locked_));
    if (!is_locked_) {
      return MakeCallError(
          {.code = absl::StatusCode::kAborted,
           .reason = "UPLOAD_RUNNING",
           .args = {{"retry_after_ms", "1000"}},
           .message = "another upload of the blob runs; try again later"});
    }
    // The upload that held the lock before may have made the blob.
    bool exists = false;
    BVHMILL_RETURN_IF_ERROR(store_.Find(name_, &exists));
    if (exists) return BlobExists();
    struct stat found = {};
    if (fstat(file_.get(), &found) != 0) {
      return FileFault("open", path_, errno);
    }
    size_ = found.st_size;
    return absl::OkStatus();
  }

  int64_t committed_bytes() const override { return size_; }

  absl::Status Prepare(bool* is_ready) override {
    std::string piece;
    const int64_t end = std::min(size_, read_ + kPreparedBytes);
    while (read_ < end) {
      BVHMILL_RETURN_IF_ERROR(
          ReadFileAt(file_, path_, read_, kReadBytes, &piece));
      if (piece.empty()) return FileFault("read", path_, EIO);
      digest_.Add(piece);
      read_ += static_cast<int64_t>(piece.size());
    }
    *is_ready = read_ >= size_;
    return absl::OkStatus();
  }

  absl::Status Append(std::string_view bytes) override {
    BVHMILL_RETURN_IF_ERROR(PrepareAll());
    const auto more = static_cast<int64_t>(bytes.size());
    if (more == 0) return absl::OkStatus();
    BVHMILL_RETURN_IF_ERROR(
        store_.Reserve(Counted(size_ + more) - Counted(size_), Use::kUpload));
    const absl::Status written = WriteFile(file_, path_, bytes);
    if (written.ok()) {
      digest_.Add(bytes);
      size_ += more;
      read_ += more;
    } else {
      store_.Return(Counted(size_ + more) - Counted(size_));
      Drop();
    }
    return written;
  }

  absl::Status Finish() override {
    BVHMILL_RETURN_IF_ERROR(PrepareAll());
    if (digest_.Finish() != name_.digest) {
      Drop();
      return MakeCallError({.code = absl::StatusCode::kInvalidArgument,
                            .reason = "DIGEST_MISMATCH",
                            .field = "blob",
                            .message = "the bytes have another SHA-256; upload "
                                       "the blob again from its beginning"});
    }
    const absl::Status synced = SyncFile(file_, path_);
    if (!synced.ok()) {
      // The system may say of lost bytes that they are on the disk, if it is
      // asked again.
      Drop();
      return synced;
    }
    return Name();
  }

 private:
  static int64_t Counted(int64_t size) {
    return size == 0 ? 0 : BytesOnDisk(size);
  }

  absl::Status PrepareAll() {
    for (bool is_ready = false; !is_ready;) {
      BVHMILL_RETURN_IF_ERROR(Prepare(&is_ready));
    }
    return absl::OkStatus();
  }

  absl::Status Name() {
    if (size_ == 0) {
      BVHMILL_RETURN_IF_ERROR(store_.Reserve(BytesOnDisk(0), Use::kUpload));
    }
    BVHMILL_RETURN_IF_ERROR(store_.ReadyFolder(name_));
    // The blob is used now, also if its last byte came long ago.
    if (futimens(file_.get(), nullptr) != 0) {
      return FileFault("name", path_, errno);
    }
    BVHMILL_RETURN_IF_ERROR(RenameFile(path_, store_.PathOf(name_)));
    is_locked_ = false;
    return store_.SyncNames(store_.FolderOf(name_));
  }

  // The bytes of the file are wrong: the next upload begins anew.
  void Drop() {
    store_.Return(Counted(size_));
    size_ = 0;
    read_ = 0;
    static_cast<void>(RemoveFile(path_));
    is_locked_ = false;
  }

  FileBlobStore& store_;
  const BlobName name_;
  const std::string path_;
  OwnedFile file_;
  // The file at the path is the one that is locked.
  bool is_locked_ = false;
  Sha256 digest_;
  // Bytes of the file, and those of them that the digest has.
  int64_t size_ = 0;
  int64_t read_ = 0;
};

absl::Status FileBlobStore::CheckFree(Use use) const {
  const int64_t least = quota_.min_free_bytes;
  const int64_t spare = use == Use::kUpload ? least : least / 2;
  struct statvfs disk = {};
  if (spare == 0 || statvfs(folder_.c_str(), &disk) != 0) {
    return absl::OkStatus();
  }
  const auto free =
      static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  if (free >= spare) return absl::OkStatus();
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "DISK_FULL",
       .limit_name = "min_free_disk_bytes",
       .limit = least,
       .args = {{"retry_after_ms", "30000"}, {"value", std::to_string(free)}},
       .message =
           "the disk of the server has " + std::to_string(free) +
           " bytes left; min_free_disk_bytes = " + std::to_string(least)});
}

absl::Status FileBlobStore::CheckTotal(int64_t total, Use use) const {
  const int64_t most = quota_.max_bytes;
  const int64_t part = use == Use::kUpload ? most - most / 8 : most;
  if (!Exceeds(total, part)) return absl::OkStatus();
  return MakeCallError(
      {.code = absl::StatusCode::kResourceExhausted,
       .reason = "DISK_FULL",
       .limit_name = "max_data_bytes",
       .limit = most,
       .args = {{"retry_after_ms", "30000"}, {"value", std::to_string(total)}},
       .message =
           "the blobs of the server would have " + std::to_string(total) +
           " bytes; max_data_bytes = " + std::to_string(most) +
           (use == Use::kUpload ? ", of which uploads may have 7/8" : "")});
}

absl::Status FileBlobStore::Reserve(int64_t bytes, Use use) {
  const int64_t total = bytes_ += bytes;
  absl::Status status = CheckTotal(total, use);
  if (status.ok() && (unchecked_ -= bytes) <= 0) {
    status = CheckFree(use);
    if (status.ok()) unchecked_ = kLookBytes;
  }
  if (!status.ok()) bytes_ -= bytes;
  return status;
}

absl::Status FileBlobStore::CheckRoom() {
  BVHMILL_RETURN_IF_ERROR(CheckTotal(bytes_, Use::kUpload));
  return CheckFree(Use::kUpload);
}

absl::Status FileBlobStore::Create(const std::string& space,
                                   std::unique_ptr<NewBlob>* blob) {
  const int64_t number = next_number_.fetch_add(1);
  const std::string path = NewFolder(number) + "/" + std::to_string(number);
  OwnedFile file;
  BVHMILL_RETURN_IF_ERROR(Reserve(BytesOnDisk(0), Use::kOutput));
  const absl::Status opened =
      OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC, &file);
  if (!opened.ok()) Return(BytesOnDisk(0));
  BVHMILL_RETURN_IF_ERROR(opened);
  *blob = std::make_unique<FileBlob>(this, space, path, std::move(file));
  return absl::OkStatus();
}

// A blob that exists is not replaced, but counts as used now.
absl::Status FileBlobStore::Commit(std::span<NewBlob* const> blobs) {
  std::vector<FileBlob*> added;
  for (NewBlob* const blob : blobs) {
    bool exists = false;
    BVHMILL_RETURN_IF_ERROR(Find(blob->name(), &exists));
    if (!exists) added.push_back(static_cast<FileBlob*>(blob));
  }
  // The disk writes all of them while the first is waited for.
  for (const FileBlob* blob : added) {
    sync_file_range(blob->file_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  }
  BVHMILL_RETURN_IF_ERROR(ForAll(added.size(), [&](size_t i) {
    return SyncFile(added[i]->file_, added[i]->path_);
  }));
  std::set<std::string> folders;
  for (FileBlob* const blob : added) {
    BVHMILL_RETURN_IF_ERROR(ReadyFolder(blob->name_));
    // Two blobs of one call may be equal.
    bool exists = false;
    BVHMILL_RETURN_IF_ERROR(Find(blob->name_, &exists));
    if (exists) continue;
    BVHMILL_RETURN_IF_ERROR(RenameFile(blob->path_, PathOf(blob->name_)));
    blob->is_stored_ = true;
    folders.insert(FolderOf(blob->name_));
  }
  const std::vector<std::string> names(folders.begin(), folders.end());
  return ForAll(names.size(), [&](size_t i) { return SyncNames(names[i]); });
}

absl::Status FileBlobStore::StartUpload(const BlobName& name,
                                        std::unique_ptr<BlobUpload>* upload) {
  bool exists = false;
  BVHMILL_RETURN_IF_ERROR(Find(name, &exists));
  if (exists) return BlobExists();
  auto out = std::make_unique<FileUpload>(this, name, UploadPath(name));
  BVHMILL_RETURN_IF_ERROR(out->Start());
  *upload = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
