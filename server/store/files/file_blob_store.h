#pragma once

// Blobs as files of a folder:
//
//   blobs/SPACE/AB/DIGEST    a blob; AB are the first two digits of its digest
//   uploads/SPACE-DIGEST     the bytes of an incomplete upload
//   new/N/NUMBER             an unfinished blob; removed at the start
//   new/SERVER/N/NUMBER      an unfinished blob of a server that shares the
//                            folder
//
// The store renames a file into blobs/ when its content is on the disk, and
// then syncs the folder. So a blob with a name is whole, also after a crash,
// and a blob that Find or Commit has reported keeps its name.
//
// Several servers may share a folder, also one of a network, if its file system
// supports rename and flock for all of them. Each server makes its blobs in its
// own folder, which it locks. The folder of a server that has crashed is not
// locked, so another server removes it. An upload locks its file in uploads/.

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

// The processes that may use the folder of a store at the same time.
enum class FolderUse : uint8_t {
  // One server uses the folder, and locks it.
  kAlone,
  // Several servers use the folder.
  kShared,
  // A check reads the folder, and changes nothing. Servers may run meanwhile.
  kReadOnly,
};

class FileBlobStore final : public BlobStore {
 public:
  // Makes the folders in `folder`, which must exist, and removes unfinished
  // blobs of servers that have crashed. kAlone: reads the sizes of all blobs,
  // O(blobs). kReadOnly: does nothing. kShared: `bytes` and the quota count all
  // blobs as of the last SetBytes, and what this server has stored and removed
  // since then.
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
  // Does nothing unless the folder is shared: a server alone counts all bytes.
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
  // Removes the file of an upload. If the upload runs, sets `is_running` and
  // removes nothing.
  absl::Status RemoveUpload(const std::string& path, bool* is_running);
  // Makes and locks the folder in which this server makes blobs.
  absl::Status LockNewFolder();
  // Removes the folders of servers that have crashed.
  absl::Status DropNewFolders();
  // UNAVAILABLE, BLOBS_UNAVAILABLE if the folder of all blobs is missing. Then
  // a missing file does not prove that the blob is missing.
  absl::Status CheckThere() const;
  std::string NewFolder(int64_t number) const;
  std::string NewPath(int64_t number) const;
  std::string PathOf(const BlobName& name) const;
  std::string FolderOf(const BlobName& name) const;
  std::string UploadPath(const BlobName& name) const;
  absl::Status ReadyFolder(const BlobName& name);
  absl::Status SyncNames(const std::string& folder);
  // True if one call for the whole file system syncs this many files of a
  // Commit. False in a shared folder: the call would write the files of other
  // servers, and a network may not report errors.
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
  // The folder of unfinished blobs, and its lock in a shared folder.
  std::string new_folder_;
  OwnedFile new_lock_;
  std::atomic<int64_t> next_number_{0};
  // Until then files are synced one by one, since other programs write much to
  // the same disk.
  std::atomic<Clock::time_point> at_once_after_{};
  std::mutex mutex_;
  // The members below require the mutex.
  // Folders that exist and whose names are on the disk.
  std::set<std::string> ready_;
  // Folders whose names are known to be on the disk; names of an earlier
  // process may not be. In a shared folder, the value is the time of the last
  // change that was synced, in nanoseconds, since another server may change the
  // folder.
  std::map<std::string, int64_t> synced_;
  // The number of calls that name files in a folder and have not synced it yet.
  std::map<std::string, int> naming_;
};

// True if a server runs that shares the folder. Does not keep a server from
// starting.
bool HasServers(const std::string& folder);

}  // namespace bvhmill::server
