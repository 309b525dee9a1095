#pragma once

// Blobs as files of a folder:
//
//   blobs/SPACE/AB/DIGEST    a blob; AB are the first two digits of its digest
//   uploads/SPACE-DIGEST     the bytes of an upload that is not complete
//   new/N/NUMBER             a blob that is being made; removed at the start
//
// A file gets its name in blobs/ when its content is on the disk; then the
// folder is written, too. So a blob that has its name is whole, also after a
// crash.

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "server/store/blob_store.h"
#include "server/store/file_ops.h"

namespace bvhmill::server {

struct BlobQuota {
  // Bytes of all blobs; 0 = no limit.
  int64_t max_bytes = 0;
  // Uploads are refused if the disk has less free space. Outputs of jobs may
  // use half of it, so that accepted items can be finished.
  int64_t min_free_bytes = 0;
};

class FileBlobStore final : public BlobStore {
 public:
  // Makes the folders in `folder`, which must exist, and removes blobs that
  // were not finished. Reads the sizes of all blobs: O(blobs).
  static absl::Status Open(const std::string& folder, const BlobQuota& quota,
                           std::unique_ptr<FileBlobStore>* store);

  absl::Status Create(const std::string& space,
                      std::unique_ptr<NewBlob>* blob) override;
  absl::Status Commit(std::span<NewBlob* const> blobs) override;
  absl::Status StartUpload(const BlobName& name,
                           std::unique_ptr<BlobUpload>* upload) override;
  absl::Status Find(const BlobName& name, bool* exists) override;
  absl::Status Open(const BlobName& name,
                    std::unique_ptr<BlobReader>* reader) override;
  absl::Status WasUsed(const BlobName& name, int64_t since_ms,
                       bool* was_used) override;
  absl::Status Remove(const BlobName& name) override;
  absl::Status List(
      const std::function<bool(const BlobEntry& entry)>& take) override;
  absl::Status DropUploads(int64_t before_ms) override;
  int64_t bytes() const override { return bytes_; }

 private:
  class FileBlob;
  class FileUpload;

  FileBlobStore(std::string folder, const BlobQuota& quota)
      : folder_(std::move(folder)), quota_(quota) {}

  absl::Status Prepare();
  std::string NewFolder(int64_t number) const;
  std::string PathOf(const BlobName& name) const;
  std::string FolderOf(const BlobName& name) const;
  std::string UploadPath(const BlobName& name) const;
  absl::Status ReadyFolder(const BlobName& name);
  absl::Status SyncNames(const std::string& folder);
  // Counts `bytes` more, unless they exceed the quota. `spare` is the part of
  // min_free_bytes that must stay free.
  absl::Status Reserve(int64_t bytes, int64_t spare);
  void Return(int64_t bytes) { bytes_ -= bytes; }
  absl::Status CheckFree(int64_t spare);

  const std::string folder_;
  const BlobQuota quota_;
  // Bytes of blobs, and of those that are being made.
  std::atomic<int64_t> bytes_{0};
  // Bytes that may be written before the free space is looked at again.
  std::atomic<int64_t> unchecked_{0};
  std::atomic<int64_t> next_number_{0};
  std::mutex mutex_;
  // Paths of running uploads.
  std::set<std::string> uploading_;
  // Folders that exist and whose names are on the disk.
  std::set<std::string> ready_;
  // Folders whose names are on the disk: those of the process before may not
  // be.
  std::set<std::string> synced_;
};

}  // namespace bvhmill::server
