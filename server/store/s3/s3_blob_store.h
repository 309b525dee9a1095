#pragma once

// Blobs as objects of an S3-compatible store:
//
//   PREFIX/blobs/SPACE/DIGEST     a blob; its time of change is its last use
//   PREFIX/uploads/SPACE-DIGEST   the state of an incomplete upload
//   PREFIX/database               the identity of the database of jobs
//
// Bytes wait in files without a name until they are sent, so memory does not
// grow with their number. A small blob is one PUT, which the store refuses
// unless the bytes match the digest. A large one is sent in parts, and
// completed only after the digest of all bytes was compared. So an object
// exists whole or not at all.
//
// An upload that ends early leaves its parts and its state; any server resumes
// it. Two servers may run uploads of one blob at the same time: each compares
// the digest of its own bytes, and completes the upload with the tags of its
// own parts. The first one makes the blob, and the other one finds it.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/store/blob_budget.h"
#include "server/store/blob_store.h"
#include "server/store/file_ops.h"
#include "server/store/s3/s3_client.h"
#include "server/store/s3/s3_options.h"

namespace bvhmill::server {

// The state of an incomplete upload, as an object of the store. The parts of an
// upload cannot be read back, so the state contains the SHA-256 after them.
struct S3UploadState {
  // The name of the upload of parts; empty = no parts yet.
  std::string id;
  // The tags of the parts of 8 MiB.
  std::vector<std::string> tags;
  // The state of the digest after the parts; see Sha256::Save.
  std::string digest;
};

class S3BlobStore final : public BlobStore {
 public:
  // See OpenS3BlobStore.
  static absl::Status Open(const S3Options& options, const std::string& spool,
                           const std::string& identity, bool has_jobs,
                           const BlobQuota& quota,
                           std::unique_ptr<S3BlobStore>* store);

  // See OpenS3BlobsForCheck.
  static absl::Status OpenForCheck(const S3Options& options,
                                   const std::string& identity,
                                   std::unique_ptr<S3BlobStore>* store);

  absl::Status Create(const std::string& space,
                      std::unique_ptr<NewBlob>* blob) override;
  absl::Status Commit(std::span<NewBlob* const> blobs) override;
  absl::Status StartUpload(const BlobName& name,
                           std::unique_ptr<BlobUpload>* upload) override;
  // Does not mark a blob larger than kMaxS3BlobBytes as used: its last use is
  // the time at which it was stored.
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
  // The age of an upload at another server is that of the last part that it has
  // sent. Also drops uploads of parts without a state.
  absl::Status DropUploads(int64_t before_ms) override;
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
  absl::Status ReadIdentity(std::string* identity);
  absl::Status WriteIdentity(const std::string& identity);

  // Functions with the statuses of S3Client::Send: see ForCallers.

  absl::Status FindOne(const BlobName& name, bool* exists);
  absl::Status ListKeys(
      const std::string& prefix,
      const std::function<bool(const BlobEntry&, const std::string& key)>&
          take);
  // Sets `answer` to the size and the time of the last use. NOT_FOUND.
  absl::Status Head(const BlobName& name, S3Answer* answer);
  absl::Status Touch(const BlobName& name, bool* exists);

  // Sends a blob whose bytes are in a file.
  absl::Status Put(const BlobName& name, const OwnedFile& file, int64_t size);
  absl::Status PutInParts(const BlobName& name, const OwnedFile& file,
                          int64_t size);
  absl::Status SendParts(const BlobName& name, const std::string& id,
                         const OwnedFile& file, int64_t size);
  // Completes an upload of `size` bytes, whose digest was compared.
  absl::Status Complete(const BlobName& name, const std::string& id,
                        const std::vector<std::string>& tags, int64_t size);

  // NOT_FOUND if there is no state, or an unreadable one. `tail` is a view of
  // `text`.
  absl::Status LoadState(const BlobName& name, std::string* text,
                         S3UploadState* state, std::string_view* tail);
  absl::Status DropState(const BlobName& name);
  absl::Status DropStateAndParts(const BlobName& name);
  absl::Status DropStates(int64_t before_ms);
  absl::Status DropParts(int64_t before_ms);
  absl::Status DropPart(const std::string& key, const std::string& id);

  bool BeginUpload(const BlobName& name);
  void EndUpload(const BlobName& name);
  bool IsRunning(const BlobName& name);

  const S3Options options_;
  const std::unique_ptr<S3Client> client_;
  // The folder of files that wait to be sent.
  const std::string spool_;
  BlobBudget budget_;
  std::mutex mutex_;
  // Keys of the states of uploads that run in this process.
  std::set<std::string> running_;
};

// The key of a blob, below the prefix.
std::string BlobKey(const BlobName& name);

// Uploads of an object in parts. The store shows the object when it is
// complete. Each part has at least 5 MiB, except the last one. Statuses: those
// of S3Client::Send.

// Begins an upload of the object `key`, and sets `id` to its name.
absl::Status BeginParts(S3Client* client, const std::string& key,
                        std::string* id);
// Ends an upload and drops its parts. OK if there is no such upload.
absl::Status AbortParts(S3Client* client, const std::string& key,
                        const std::string& id);

// The text of a state. In the object, the bytes that are in no part follow it.
std::string WriteUploadState(const S3UploadState& state);

// Reads a state from the beginning of `text`. `tail` is a view of the rest.
// False if the text is no state, e.g. that of a later version.
bool ReadUploadState(std::string_view text, S3UploadState* state,
                     std::string_view* tail);

}  // namespace bvhmill::server
