#include "server/store/files/file_blob_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/for_all.h"

namespace bvhmill::server {
namespace {

constexpr size_t kReadBytes = size_t{1} << 20;
// Bytes of an earlier upload that are read at once: some 10 ms.
constexpr int64_t kPreparedBytes = int64_t{4} << 20;

// A disk writes several files in hardly more time than one, if they are asked
// for at once: with eight threads, nine times as fast as one by one.
constexpr size_t kSyncThreads = 8;
// From this number on, one call for the whole file system is cheaper: it writes
// the blocks that files share once, and waits for the disk once.
constexpr size_t kFilesAtOnce = 8;
// A call that takes longer waits for the files of others. Files are synced one
// by one for some time then.
constexpr std::chrono::milliseconds kSlowSync(100);
constexpr std::chrono::seconds kOneByOne(60);

}  // namespace

// The folders in which a call makes names. While it lives, those names may not
// be on the disk, and a call of another thread that finds one syncs the folder.
class FileBlobStore::Naming {
 public:
  explicit Naming(FileBlobStore* store) : store_(*store) {}
  ~Naming() {
    const std::lock_guard lock(store_.mutex_);
    for (const std::string& folder : folders_) {
      if (!are_synced_) store_.synced_.erase(folder);
      const auto found = store_.naming_.find(folder);
      if (--found->second == 0) store_.naming_.erase(found);
    }
  }
  Naming(const Naming&) = delete;
  Naming& operator=(const Naming&) = delete;

  // To be called before a file gets its name in `folder`.
  void Begin(const std::string& folder) {
    if (!folders_.insert(folder).second) return;
    const std::lock_guard lock(store_.mutex_);
    ++store_.naming_[folder];
  }
  // The names in all folders are on the disk.
  void SetSynced() { are_synced_ = true; }
  const std::set<std::string>& folders() const { return folders_; }

 private:
  FileBlobStore& store_;
  std::set<std::string> folders_;
  bool are_synced_ = false;
};

// A file of new/ until it is committed.
class FileBlobStore::FileBlob final : public NewBlob {
 public:
  FileBlob(FileBlobStore* store, std::string space, int64_t number,
           OwnedFile file)
      : store_(*store),
        number_(number),
        path_(store->NewPath(number)),
        file_(std::move(file)) {
    name_.space = std::move(space);
  }
  // An error leaves a file that is removed at the next start.
  ~FileBlob() override {
    file_.Close();
    if (!is_stored_) static_cast<void>(RemoveFile(path_));
    if (!is_stored_) store_.budget_.Return(name_.space, CountedBytes(size_));
  }

  absl::Status Append(std::string_view bytes) override {
    const auto more = static_cast<int64_t>(bytes.size());
    BVHMILL_RETURN_IF_ERROR(store_.budget_.ReserveForOutput(
        name_.space, CountedBytes(size_ + more) - CountedBytes(size_)));
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
  // Files that were opened earlier have lower numbers.
  const int64_t number_;
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
    if (!is_locked_) return UploadRunning();
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
    BVHMILL_RETURN_IF_ERROR(Reserve(Counted(size_ + more) - Counted(size_)));
    const absl::Status written = WriteFile(file_, path_, bytes);
    if (written.ok()) {
      digest_.Add(bytes);
      size_ += more;
      read_ += more;
    } else {
      store_.budget_.Return(name_.space,
                            Counted(size_ + more) - Counted(size_));
      Drop();
    }
    return written;
  }

  absl::Status Finish() override {
    BVHMILL_RETURN_IF_ERROR(PrepareAll());
    if (digest_.Finish() != name_.digest) {
      Drop();
      return DigestMismatch();
    }
    const absl::Status synced = SyncFile(file_, path_);
    if (!synced.ok()) {
      // A second fsync may succeed although the bytes are lost.
      Drop();
      return synced;
    }
    return Name();
  }

 private:
  static int64_t Counted(int64_t size) {
    return size == 0 ? 0 : CountedBytes(size);
  }

  // An upload beyond the share of its caller is dropped: its bytes would count,
  // and keep out other uploads of the caller, until they are old.
  absl::Status Reserve(int64_t bytes) {
    const absl::Status reserved =
        store_.budget_.ReserveForUpload(name_.space, bytes, max_space_bytes());
    if (IsBeyondShare(reserved)) Drop();
    return reserved;
  }

  absl::Status PrepareAll() {
    for (bool is_ready = false; !is_ready;) {
      BVHMILL_RETURN_IF_ERROR(Prepare(&is_ready));
    }
    return absl::OkStatus();
  }

  absl::Status Name() {
    if (size_ == 0) BVHMILL_RETURN_IF_ERROR(Reserve(CountedBytes(0)));
    BVHMILL_RETURN_IF_ERROR(store_.ReadyFolder(name_));
    // An output of a job may have made the blob since the upload began.
    bool exists = false;
    BVHMILL_RETURN_IF_ERROR(store_.Find(name_, &exists));
    if (exists) {
      store_.budget_.Return(name_.space, CountedBytes(size_));
      static_cast<void>(RemoveFile(path_));
      is_locked_ = false;
      return absl::OkStatus();
    }
    // The blob is used now, also if its last byte came long ago.
    if (futimens(file_.get(), nullptr) != 0) {
      return FileFault("name", path_, errno);
    }
    const std::string folder = store_.FolderOf(name_);
    Naming naming(&store_);
    naming.Begin(folder);
    BVHMILL_RETURN_IF_ERROR(RenameFile(path_, store_.PathOf(name_)));
    is_locked_ = false;
    BVHMILL_RETURN_IF_ERROR(store_.SyncNames(folder));
    naming.SetSynced();
    return absl::OkStatus();
  }

  // The bytes of the file are wrong: the next upload begins anew.
  void Drop() {
    store_.budget_.Return(name_.space, Counted(size_));
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

absl::Status FileBlobStore::Create(const std::string& space,
                                   std::unique_ptr<NewBlob>* blob) {
  const int64_t number = next_number_.fetch_add(1);
  const std::string path = NewPath(number);
  OwnedFile file;
  BVHMILL_RETURN_IF_ERROR(budget_.ReserveForOutput(space, CountedBytes(0)));
  const absl::Status opened =
      OpenFile(path, O_WRONLY | O_CREAT | O_TRUNC, &file);
  if (!opened.ok()) budget_.Return(space, CountedBytes(0));
  BVHMILL_RETURN_IF_ERROR(opened);
  *blob = std::make_unique<FileBlob>(this, space, number, std::move(file));
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
  if (added.empty()) return absl::OkStatus();
  Naming naming(this);
  BVHMILL_RETURN_IF_ERROR(SyncContents(added));
  BVHMILL_RETURN_IF_ERROR(NameAll(added, &naming));
  BVHMILL_RETURN_IF_ERROR(SyncAllNames(added, naming.folders()));
  naming.SetSynced();
  return absl::OkStatus();
}

bool FileBlobStore::SyncsAtOnce(size_t files) const {
  return use_ == FolderUse::kAlone && files >= kFilesAtOnce &&
         SyncsReportErrors() && Clock::now() >= at_once_after_.load();
}

// By the file that was opened first: so no error is missed.
absl::Status FileBlobStore::SyncAtOnce(std::span<FileBlob* const> blobs) {
  const FileBlob* const first = *std::min_element(
      blobs.begin(), blobs.end(), [](const FileBlob* a, const FileBlob* b) {
        return a->number_ < b->number_;
      });
  const Clock::time_point begin = Clock::now();
  const absl::Status synced = SyncFileSystem(first->file_, folder_);
  const Clock::time_point end = Clock::now();
  if (end - begin > kSlowSync) at_once_after_ = end + kOneByOne;
  return synced;
}

absl::Status FileBlobStore::SyncContents(std::span<FileBlob* const> blobs) {
  if (SyncsAtOnce(blobs.size())) return SyncAtOnce(blobs);
  // The disk writes all of them while the first is waited for.
  for (const FileBlob* blob : blobs) {
    sync_file_range(blob->file_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  }
  return ForAll<kSyncThreads>(blobs.size(), [&](size_t i) {
    return SyncFile(blobs[i]->file_, blobs[i]->path_);
  });
}

absl::Status FileBlobStore::NameAll(std::span<FileBlob* const> blobs,
                                    Naming* naming) {
  std::set<std::string> named;
  for (FileBlob* const blob : blobs) {
    // Two blobs of one call may be equal.
    if (!named.insert(PathOf(blob->name_)).second) continue;
    BVHMILL_RETURN_IF_ERROR(ReadyFolder(blob->name_));
    // Another call may have made the blob meanwhile.
    bool exists = false;
    BVHMILL_RETURN_IF_ERROR(Find(blob->name_, &exists));
    if (exists) continue;
    naming->Begin(FolderOf(blob->name_));
    BVHMILL_RETURN_IF_ERROR(RenameFile(blob->path_, PathOf(blob->name_)));
    blob->is_stored_ = true;
  }
  return absl::OkStatus();
}

absl::Status FileBlobStore::SyncAllNames(std::span<FileBlob* const> blobs,
                                         const std::set<std::string>& folders) {
  const std::vector<std::string> names(folders.begin(), folders.end());
  if (!SyncsAtOnce(names.size())) {
    return ForAll<kSyncThreads>(names.size(),
                                [&](size_t i) { return SyncNames(names[i]); });
  }
  const absl::Status synced = SyncAtOnce(blobs);
  const std::lock_guard lock(mutex_);
  for (const std::string& folder : names) {
    if (synced.ok()) {
      synced_[folder] = 0;
    } else {
      synced_.erase(folder);
    }
  }
  return synced;
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
