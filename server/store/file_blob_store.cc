#include "server/store/file_blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/for_all.h"

namespace bvhmill::server {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;

// A disk writes several files in hardly more time than one, if they are asked
// for at once: with eight threads, nine times as fast as one by one.
constexpr size_t kSyncThreads = 8;

// Adds the content of a file to `digest`, and its size to `size`.
absl::Status AddContent(const OwnedFile& file, const std::string& path,
                        Sha256* digest, int64_t* size) {
  std::string piece;
  do {
    BVHMILL_RETURN_IF_ERROR(ReadFileAt(file, path, *size, kReadBytes, &piece));
    digest->Add(piece);
    *size += static_cast<int64_t>(piece.size());
  } while (piece.size() == kReadBytes);
  return absl::OkStatus();
}

}  // namespace

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
    if (!is_stored_) store_.budget_.Return(size_);
  }

  absl::Status Append(std::string_view bytes) override {
    const auto more = static_cast<int64_t>(bytes.size());
    BVHMILL_RETURN_IF_ERROR(store_.budget_.ReserveForOutput(more));
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

  absl::Status Start() {
    bool is_locked = false;
    BVHMILL_RETURN_IF_ERROR(LockUpload(path_, O_CREAT, &file_, &is_locked));
    if (!is_locked) return UploadRunning();
    // The upload that held the lock before may have made the blob.
    bool exists = false;
    BVHMILL_RETURN_IF_ERROR(store_.Find(name_, &exists));
    if (exists) return BlobExists();
    return AddContent(file_, path_, &digest_, &size_);
  }

  int64_t committed_bytes() const override { return size_; }

  absl::Status Append(std::string_view bytes) override {
    const auto more = static_cast<int64_t>(bytes.size());
    BVHMILL_RETURN_IF_ERROR(store_.budget_.ReserveForUpload(more));
    const absl::Status written = WriteFile(file_, path_, bytes);
    if (written.ok()) {
      digest_.Add(bytes);
      size_ += more;
    } else {
      store_.budget_.Return(more);
      Drop();
    }
    return written;
  }

  absl::Status Finish() override {
    if (digest_.Finish() != name_.digest) {
      Drop();
      return DigestMismatch();
    }
    BVHMILL_RETURN_IF_ERROR(SyncFile(file_, path_));
    BVHMILL_RETURN_IF_ERROR(store_.ReadyFolder(name_));
    BVHMILL_RETURN_IF_ERROR(RenameFile(path_, store_.PathOf(name_)));
    return store_.SyncNames(store_.FolderOf(name_));
  }

 private:
  // The bytes of the file are wrong: the next upload begins anew.
  void Drop() {
    store_.budget_.Return(size_);
    size_ = 0;
    static_cast<void>(RemoveFile(path_));
  }

  FileBlobStore& store_;
  const BlobName name_;
  const std::string path_;
  OwnedFile file_;
  Sha256 digest_;
  int64_t size_ = 0;
};

absl::Status FileBlobStore::Create(const std::string& space,
                                   std::unique_ptr<NewBlob>* blob) {
  const int64_t number = next_number_.fetch_add(1);
  const std::string path = NewFolder(number) + "/" + std::to_string(number);
  OwnedFile file;
  BVHMILL_RETURN_IF_ERROR(OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC, &file));
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
  BVHMILL_RETURN_IF_ERROR(ForAll<kSyncThreads>(added.size(), [&](size_t i) {
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
  return ForAll<kSyncThreads>(names.size(),
                              [&](size_t i) { return SyncNames(names[i]); });
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
