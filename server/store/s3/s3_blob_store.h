#pragma once

// Objects that are sent in parts. The store shows an object only when it is
// completed; a part has 5 MiB at least, except the last one.
//
// Statuses: those of S3Client::Send.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/blob_budget.h"
#include "server/store/blob_store.h"
#include "server/store/file_ops.h"
#include "server/store/s3/s3_client.h"

namespace bvhmill::server {

// The largest blob has 640 parts of this size; a store takes 10,000 parts.
inline constexpr int64_t kS3PartBytes = int64_t{8} << 20;

struct S3Part {
  // From 1.
  int number = 0;
  const OwnedFile* file = nullptr;
  int64_t offset = 0;
  int64_t bytes = 0;
  // The SHA-256 of its bytes, in hexadecimal.
  std::string digest = {};
};

// Begins an upload of the object `key`, and sets `id` to its name.
absl::Status BeginParts(S3Client* client, const std::string& key,
                        std::string* id);
// Sends a part; the store compares its digest. `tag` names the part with these
// bytes: if another server sends other bytes under its number, the upload
// cannot be completed with this tag.
absl::Status PutPart(S3Client* client, const std::string& key,
                     const std::string& id, const S3Part& part,
                     std::string* tag);
// Makes the object of all parts with these tags, the first of which has the
// number 1.
absl::Status CompleteParts(S3Client* client, const std::string& key,
                           const std::string& id,
                           const std::vector<std::string>& tags);
// Ends an upload and drops its parts. OK if there is no such upload.
absl::Status AbortParts(S3Client* client, const std::string& key,
                        const std::string& id);

// The state of an upload that is not complete, as an object of the store: any
// server goes on from it. The parts of an upload cannot be read back, so the
// state has the SHA-256 after them.

struct S3UploadState {
  // The name of the upload of parts; empty = there are no parts yet.
  std::string id;
  // The tags of the parts, each of which has kS3PartBytes.
  std::vector<std::string> tags;
  // The state of the digest after the parts; see Sha256::Save.
  std::string digest;
};

// The text of a state. In the object, the bytes that are in no part follow it.
std::string WriteUploadState(const S3UploadState& state);

// Reads a state from the beginning of `text`. `tail` is a view of the rest.
// False if the text is no state, e.g. that of a later version.
bool ReadUploadState(std::string_view text, S3UploadState* state,
                     std::string_view* tail);

// Blobs as objects of an S3-compatible store:
//
//   PREFIX/blobs/SPACE/DIGEST     a blob; its time of change is its last use
//   PREFIX/uploads/SPACE-DIGEST   the state of an upload that is not complete
//   PREFIX/database               the identity of the database of jobs
//
// Bytes wait in files without a name until they are sent, so memory does not
// grow with their number. A small blob is one PUT, which the store refuses
// unless the bytes have the digest. A large one is sent in parts, and completed
// only after the digest of all bytes was compared. So an object exists whole or
// not at all.
//
// An upload that ends early leaves its parts and its state; any server goes on
// with it. Two servers may run uploads of one blob at once: each compares the
// digest of its own bytes, and completes the upload with the tags of its own
// parts. The first one makes the blob, and the other one finds it.

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
  // A blob larger than kMaxS3BlobBytes does not count as used by this: it keeps
  // the time when it was stored.
  absl::Status Find(const BlobName& name, bool* exists) override;
  // Asks for up to 16 blobs at the same time.
  absl::Status FindAll(std::span<const BlobName> names,
                       std::vector<bool>* exist) override;
  // Reads the first MiB. A reader holds 1 MiB, or the size of its largest Read
  // if that is more.
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
  // The age of an upload that runs at another server is that of the last part
  // that it has sent. Also drops uploads of parts without a state.
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
  // since then. A blob that is stored again counts twice until the next one.
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

  // The prefix must belong to the database with this identity, else
  // DATA_OF_ANOTHER_DATABASE. A prefix without an identity gets this one if a
  // store `may_begin` there; else it is NOT_FOUND, DATA_MISSING.
  // DATA_INCOMPLETE if blobs have no identity, or if there are none and the
  // database `needs_blobs`.
  absl::Status Check(const std::string& identity, bool may_begin,
                     bool needs_blobs);
  absl::Status ReadIdentity(std::string* identity);
  absl::Status WriteIdentity(const std::string& identity);

  // Functions of the interface, but with the statuses of S3Client::Send.
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
  // Completes an upload of `size` bytes, all of which were compared.
  absl::Status Complete(const BlobName& name, const std::string& id,
                        const std::vector<std::string>& tags, int64_t size);

  // NOT_FOUND if there is no state, or none that can be read.
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
  // The folder of files that wait.
  const std::string spool_;
  BlobBudget budget_;
  std::mutex mutex_;
  // Keys of the states of uploads that run here.
  std::set<std::string> running_;
};

// Keys within the prefix.
std::string BlobKey(const BlobName& name);
std::string StateKey(const BlobName& name);

// The time `store_ms` of the clock of the store, by the clock of this machine:
// milliseconds since 1970. Exact to a second, since `answer` has whole seconds.
int64_t LocalTimeOf(int64_t store_ms, const S3Answer& answer);

}  // namespace bvhmill::server
