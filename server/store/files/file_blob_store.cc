#include "server/store/files/file_blob_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/for_all.h"

namespace bvhmill::server {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadBytes = size_t{1} << 20;
// Bytes of an earlier upload that are read at once: some 10 ms.
constexpr int64_t kPreparedBytes = int64_t{4} << 20;

// A disk writes several files in parallel in little more time than one: eight
// threads are nine times as fast as one.
constexpr size_t kSyncThreads = 8;
// From this number on, one call for the whole file system is cheaper: it writes
// the blocks that files share once, and waits for the disk once.
constexpr size_t kFilesAtOnce = 8;
// A slower call waits for files of other programs. Then files are synced one by
// one for some time.
constexpr std::chrono::milliseconds kSlowSync(100);
constexpr std::chrono::seconds kOneByOne(60);

// More than one, since threads that make files in one folder wait for each
// other.
constexpr int kNewFolders = 16;
// Changes of a folder within a tick of the clock have the same time.
constexpr int64_t kTickNs = 50'000'000;
constexpr char kLockName[] = "/lock";

int64_t MillisecondsOf(const timespec& time) {
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

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

// Opens the file of an upload and locks it. Sets `is_locked` to false if
// another upload, of this or another server, holds the lock. `flags` may be
// O_CREAT or 0; with 0 NOT_FOUND if there is no file.
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
    // The earlier upload has ended and removed or renamed its file: try again.
    if (is_same) return absl::OkStatus();
  }
}

// The space of an upload by the path of its file.
std::string SpaceOfUpload(const std::string& path) {
  const std::string name = fs::path(path).filename();
  return name.substr(0, name.find('-'));
}

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

  // Call it before the rename of a file into `folder`.
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

  // Drops an upload that exceeds the quota of its caller: its bytes would block
  // other uploads of the caller until they expire.
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
    // Marks the blob as used now, even if its last byte is old.
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

  // The bytes of the file are wrong: the next upload starts from the beginning.
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
  // True if this upload holds the lock of the file at path_.
  bool is_locked_ = false;
  Sha256 digest_;
  // The bytes of the file, and how many of them the digest covers.
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

// Does not replace a blob that exists, but marks it as used.
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

// Syncs by the file that was opened first, so that it reports all errors.
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
  // Starts all writes before the first wait.
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

// Folders: creation, locks and syncs.

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

// Before this server has locked the new folder, another server may remove it as
// that of a crashed server. Then this server makes another folder.
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
  // A check reports each missing blob instead.
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

// Makes the folder of a blob. Its name is on the disk when this returns OK.
absl::Status FileBlobStore::ReadyFolder(const BlobName& name) {
  const std::string folder = FolderOf(name);
  const std::string space = folder_ + "/blobs/" + name.space;
  {
    const std::lock_guard lock(mutex_);
    if (ready_.contains(folder)) return absl::OkStatus();
  }
  // Does not make the folder of all blobs again if it is missing.
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

// Called before a blob of the folder is reported to exist: a killed process or
// a failed fsync may leave names that are not on the disk.
absl::Status FileBlobStore::SyncNames(const std::string& folder) {
  int64_t change = 0;
  if (use_ == FolderUse::kShared) {
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    change = ChangeOf(folder);
    // A later change may have the same time, so the next call syncs again.
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

// Lookup, reads, lists and removal of blobs.

namespace {

class FileReader final : public BlobReader {
 public:
  FileReader(std::string path, OwnedFile file, int64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  int64_t size() const override { return size_; }
  absl::Status Read(int64_t offset, size_t size,
                    std::string* bytes) const override {
    // The buffer is no larger than the rest of the blob.
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

// Writes and reads a byte in the folder of the blobs. If that succeeds, only
// this blob is faulty.
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
    // An error is no proof that the blob is unused.
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
