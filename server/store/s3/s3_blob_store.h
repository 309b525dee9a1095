#pragma once

// Blobs as objects of an S3-compatible store:
//
//   PREFIX/blobs/SPACE/DIGEST     a blob; its time of change is its last use
//   PREFIX/database               the identity of the database of jobs
//
// Bytes wait in files without a name until they are sent, so memory does not
// grow with their number. A blob is one PUT, which the store refuses unless the
// bytes match the digest. So an object exists whole or not at all.
//
// An upload that ends early leaves nothing: the next one begins anew. Two
// servers may run uploads of one blob at the same time; both make the same
// object.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_budget.h"
#include "server/store/blob_store.h"
#include "server/store/file_ops.h"
#include "server/store/s3/s3_client.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

class S3BlobStore final : public BlobStore {
 public:
  // `spool` is the folder of bytes that wait to be sent.
  S3BlobStore(const S3Options& options, std::unique_ptr<S3Client> client,
              std::string spool, const BlobQuota& quota)
      : options_(options),
        client_(std::move(client)),
        spool_(std::move(spool)),
        budget_(spool_, quota) {}

  // DATA_OF_ANOTHER_DATABASE if the prefix belongs to another database than the
  // one with this identity. Stores the identity at a prefix without one if
  // `may_begin`; else NOT_FOUND, DATA_MISSING. DATA_INCOMPLETE if there are
  // blobs and no identity, or if there are no blobs and the database
  // `needs_blobs`.
  absl::Status Check(const std::string& identity, bool may_begin,
                     bool needs_blobs);

  absl::Status Create(const std::string& space,
                      std::unique_ptr<NewBlob>* blob) override;
  absl::Status Commit(std::span<NewBlob* const> blobs) override;
  absl::Status StartUpload(const BlobName& name,
                           std::unique_ptr<BlobUpload>* upload) override;
  absl::Status Find(const BlobName& name, bool* exists) override;
  // Sends up to 16 requests at the same time.
  absl::Status FindAll(std::span<const BlobName> names,
                       std::vector<bool>* exist) override;
  // Reads the first MiB. A reader buffers 1 MiB, or the size of its largest
  // Read if that is more.
  absl::Status Open(const BlobName& name,
                    std::unique_ptr<BlobReader>* reader) override;
  absl::Status FindSizes(std::span<const BlobName> names,
                         std::vector<int64_t>* sizes) override;
  bool IsOfBlob(const absl::Status& fault) override;
  absl::Status WasUsed(const BlobName& name, int64_t since_ms,
                       bool* was_used) override;
  absl::Status Remove(const BlobName& name) override;
  // Removes up to 16 blobs at the same time.
  absl::Status RemoveUnused(std::span<const BlobName> names, int64_t before_ms,
                            int64_t* count) override;
  absl::Status List(
      const std::function<bool(const BlobEntry& entry)>& take) override;
  absl::Status DropUpload(const BlobName& name) override;
  // No upload is stored.
  absl::Status DropUploads(int64_t /*before_ms*/) override {
    return absl::OkStatus();
  }
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
  // All bytes as of the last SetBytes, and those that this server has stored
  // since then. A blob that is stored again counts twice until the next
  // SetBytes.
  int64_t bytes() const override { return budget_.bytes(); }
  void SetBytes(const SpaceBytes& bytes) override { budget_.Set(bytes); }

 private:
  class S3Blob;
  class S3Upload;

  absl::Status ReadIdentity(std::string* identity);
  absl::Status WriteIdentity(const std::string& identity);

  // Functions with the statuses of S3Client::Send: see ForCallers.

  absl::Status FindOne(const BlobName& name, bool* exists);
  // Sets `answer` to the size and the time of the last use. NOT_FOUND.
  absl::Status Head(const BlobName& name, S3Answer* answer);
  absl::Status Touch(const BlobName& name, bool* exists);

  // Sends a blob whose bytes are in a file.
  absl::Status Put(const BlobName& name, const OwnedFile& file, int64_t size);

  // False if an upload of it runs in this process.
  bool BeginUpload(const BlobName& name);
  void EndUpload(const BlobName& name);

  const S3Options options_;
  const std::unique_ptr<S3Client> client_;
  // The folder of files that wait to be sent.
  const std::string spool_;
  BlobBudget budget_;
  std::mutex mutex_;
  // Keys of the blobs whose uploads run in this process.
  std::set<std::string> running_;
};

// The key of a blob, below the prefix.
std::string BlobKey(const BlobName& name);

}  // namespace bvhmill::server
