#pragma once

// Blobs as files of a folder:
//
//   blobs/SPACE/AB/DIGEST    a blob; AB are the first two digits of its digest
//   uploads/SPACE-DIGEST     the bytes of an upload that is not complete
//   new/N/NUMBER             a blob that is being made; removed at the start
//   new/SERVER/N/NUMBER      the same for a server that shares the folder
//
// A file gets its name in blobs/ when its content is on the disk; then the
// folder is written to the disk, too. So a blob that has its name is whole,
// also after a crash, and one that is said to exist keeps its name.
//
// Several servers may share a folder, also one of a network, if its file system
// has rename and flock for all of them. Each makes its blobs in a folder of its
// own, which it locks. The folder of a server that is gone is not locked, so
// another server removes it. An upload locks its file in uploads/.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "server/store/blob_budget.h"
#include "server/store/blob_store.h"
#include "server/store/file_ops.h"

namespace bvhmill::server {

// Opens the file of an upload and locks it. Sets `is_locked` to false if
// another upload, of this or another server, has the lock. `flags` may be
// O_CREAT or 0; with 0 NOT_FOUND if there is no file.
absl::Status LockUpload(const std::string& path, int flags, OwnedFile* file,
                        bool* is_locked);

// The space of an upload by the path of its file.
std::string SpaceOfUpload(const std::string& path);

// True if a server runs that shares the folder with others. Keeps no server
// from starting.
bool HasServers(const std::string& folder);

enum class FolderUse : uint8_t {
  // One server uses the folder, and holds its lock.
  kAlone,
  // Several servers use the folder.
  kShared,
  // A check reads the folder, beside servers or alone, and changes nothing.
  kReadOnly,
};

class FileBlobStore final : public BlobStore {
 public:
  // Makes the folders in `folder`, which must exist, and removes blobs that
  // were not finished by servers that are gone. kAlone: reads the sizes of all
  // blobs, O(blobs). kReadOnly: does nothing. kShared: `bytes` and the quota
  // count all blobs as of the last SetBytes, and what this server has stored
  // and removed since then.
  static absl::Status Open(const std::string& folder, FolderUse use,
                           const BlobQuota& quota,
                           std::unique_ptr<FileBlobStore>* store);

  absl::Status Create(const std::string& space,
                      std::unique_ptr<NewBlob>* blob) override;
  absl::Status Commit(std::span<NewBlob* const> blobs) override;
  absl::Status CheckRoom(const std::string& space,
                         int64_t max_space_bytes) override {
    return budget_.CheckRoom(space, max_space_bytes);
  }
  int64_t BytesIn(const std::string& space) const override {
    return budget_.BytesIn(space);
  }
  absl::Status CheckOutputs(const std::string& space,
                            int64_t max_space_bytes) const override {
    return budget_.CheckOutputs(space, max_space_bytes);
  }
  absl::Status CheckDisk() const override { return budget_.CheckDisk(); }
  absl::Status StartUpload(const BlobName& name,
                           std::unique_ptr<BlobUpload>* upload) override;
  absl::Status Find(const BlobName& name, bool* exists) override;
  absl::Status Open(const BlobName& name,
                    std::unique_ptr<BlobReader>* reader) override;
  absl::Status FindSizes(std::span<const BlobName> names,
                         std::vector<int64_t>* sizes) override;
  bool IsOfBlob(const absl::Status& fault) override;
  absl::Status WasUsed(const BlobName& name, int64_t since_ms,
                       bool* was_used) override;
  absl::Status Remove(const BlobName& name) override;
  absl::Status List(
      const std::function<bool(const BlobEntry& entry)>& take) override;
  absl::Status DropUpload(const BlobName& name) override;
  absl::Status DropUploads(int64_t before_ms) override;
  int64_t bytes() const override { return budget_.bytes(); }
  // Does nothing in a store of one server alone: it counts all bytes by itself.
  void SetBytes(const SpaceBytes& bytes) override;

 private:
  using Clock = std::chrono::steady_clock;
  class FileBlob;
  class FileUpload;
  class Naming;

  FileBlobStore(std::string folder, FolderUse use, const BlobQuota& quota)
      : folder_(std::move(folder)), use_(use), budget_(folder_, quota) {}

  absl::Status Prepare();
  absl::Status CountBytes();
  void CountUploads();
  // Sets `is_running` if the upload with this file runs, and is not removed.
  absl::Status RemoveUpload(const std::string& path, bool* is_running);
  // Makes and locks the folder in which this server makes blobs.
  absl::Status LockNewFolder();
  // Removes the folders of servers that are gone.
  absl::Status DropNewFolders();
  // UNAVAILABLE, BLOBS_UNAVAILABLE if the folder of all blobs is gone: then
  // nothing can be said about a blob that is not found.
  absl::Status CheckThere() const;
  std::string NewFolder(int64_t number) const;
  std::string NewPath(int64_t number) const;
  std::string PathOf(const BlobName& name) const;
  std::string FolderOf(const BlobName& name) const;
  std::string UploadPath(const BlobName& name) const;
  absl::Status ReadyFolder(const BlobName& name);
  absl::Status SyncNames(const std::string& folder);
  // True if one call for the whole file system syncs this many files of a
  // Commit. Not if the folder is shared: the files of others are no business of
  // this server, and a network may not report their errors.
  bool SyncsAtOnce(size_t files) const;
  absl::Status SyncContents(std::span<FileBlob* const> blobs);
  absl::Status NameAll(std::span<FileBlob* const> blobs, Naming* naming);
  absl::Status SyncAllNames(std::span<FileBlob* const> blobs,
                            const std::set<std::string>& folders);
  absl::Status SyncAtOnce(std::span<FileBlob* const> blobs);
  // True if all names in the folder are known to be on the disk.
  bool AreSynced(const std::string& folder);

  const std::string folder_;
  const FolderUse use_;
  BlobBudget budget_;
  // Where blobs are made; with its lock if the folder is shared.
  std::string new_folder_;
  OwnedFile new_lock_;
  std::atomic<int64_t> next_number_{0};
  // Files are synced one by one until then, since others write much to the same
  // disk.
  std::atomic<Clock::time_point> at_once_after_{};
  std::mutex mutex_;
  // Folders that exist and whose names are on the disk.
  std::set<std::string> ready_;
  // Folders whose entries are known to be on the disk; those of an earlier
  // process may not be. If the folder is shared, another server may change it:
  // the value is the time of the last change that was written to the disk, in
  // nanoseconds.
  std::map<std::string, int64_t> synced_;
  // The calls that give files names in a folder and have not synced it yet.
  std::map<std::string, int> naming_;
};

}  // namespace bvhmill::server
