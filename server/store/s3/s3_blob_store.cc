// Makes blobs: outputs of jobs, whose digest is known only at their end.

#include "server/store/s3/s3_blob_store.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/for_all.h"
#include "server/store/s3/s3_faults.h"
#include "server/store/s3/s3_parts.h"

namespace bvhmill::server {
namespace {

// Larger blobs are sent in parts: a part that fails is sent again alone.
constexpr int64_t kMaxWholeBytes = 2 * kS3PartBytes;
constexpr size_t kPieceBytes = size_t{1} << 20;
// A store answers many requests in hardly more time than one.
constexpr size_t kPutThreads = 16;

// Adds a part of a file to the digest of all, and gives its own.
absl::Status DigestPart(const OwnedFile& file, const std::string& path,
                        S3Part* part, Sha256* all) {
  Sha256 own;
  std::string piece;
  for (int64_t done = 0; done < part->bytes;) {
    const auto size = static_cast<size_t>(
        std::min<int64_t>(part->bytes - done, int64_t{kPieceBytes}));
    BVHMILL_RETURN_IF_ERROR(
        ReadFileAt(file, path, part->offset + done, size, &piece));
    if (piece.size() < size) return FileFault("read", path, EIO);
    own.Add(piece);
    all->Add(piece);
    done += static_cast<int64_t>(size);
  }
  part->digest = own.Finish();
  return absl::OkStatus();
}

}  // namespace

std::string BlobKey(const BlobName& name) {
  return "blobs/" + name.space + "/" + name.digest;
}

std::string StateKey(const BlobName& name) {
  return "uploads/" + name.space + "-" + name.digest;
}

// A file without a name until it is committed.
class S3BlobStore::S3Blob final : public NewBlob {
 public:
  S3Blob(S3BlobStore* store, std::string space, OwnedFile file)
      : store_(*store), file_(std::move(file)) {
    name_.space = std::move(space);
  }
  ~S3Blob() override {
    if (!is_stored_) store_.budget_.Return(name_.space, CountedBytes(size_));
  }

  absl::Status Append(std::string_view bytes) override {
    const auto more = static_cast<int64_t>(bytes.size());
    BVHMILL_RETURN_IF_ERROR(store_.budget_.ReserveForOutput(
        name_.space, CountedBytes(size_ + more) - CountedBytes(size_)));
    size_ += more;
    digest_.Add(bytes);
    return WriteFile(file_, store_.spool_, bytes);
  }
  void Finish() override { name_.digest = digest_.Finish(); }
  const BlobName& name() const override { return name_; }
  int64_t size() const override { return size_; }

 private:
  friend class S3BlobStore;

  S3BlobStore& store_;
  const OwnedFile file_;
  Sha256 digest_;
  BlobName name_;
  int64_t size_ = 0;
  bool is_stored_ = false;
};

absl::Status S3BlobStore::Create(const std::string& space,
                                 std::unique_ptr<NewBlob>* blob) {
  OwnedFile file;
  BVHMILL_RETURN_IF_ERROR(OpenUnnamedFile(spool_, &file));
  BVHMILL_RETURN_IF_ERROR(budget_.ReserveForOutput(space, CountedBytes(0)));
  *blob = std::make_unique<S3Blob>(this, space, std::move(file));
  return absl::OkStatus();
}

// A blob that exists is replaced by the same bytes, which makes it used now.
absl::Status S3BlobStore::Commit(std::span<NewBlob* const> blobs) {
  // Two blobs of one call may be equal.
  std::map<std::string, S3Blob*> by_key;
  for (NewBlob* const blob : blobs) {
    by_key.emplace(BlobKey(blob->name()), static_cast<S3Blob*>(blob));
  }
  std::vector<S3Blob*> added;
  added.reserve(by_key.size());
  for (const auto& [key, blob] : by_key) added.push_back(blob);
  return ForCallers(ForAll<kPutThreads>(added.size(), [&](size_t i) {
    S3Blob& blob = *added[i];
    const absl::Status put = Put(blob.name_, blob.file_, blob.size_);
    blob.is_stored_ = put.ok();
    return put;
  }));
}

absl::Status S3BlobStore::Put(const BlobName& name, const OwnedFile& file,
                              int64_t size) {
  if (size > kMaxWholeBytes) return PutInParts(name, file, size);
  S3Answer answer;
  return client_->Send({.method = "PUT",
                        .key = BlobKey(name),
                        .file = &file,
                        .file_bytes = size,
                        .digest = name.digest},
                       &answer);
}

absl::Status S3BlobStore::PutInParts(const BlobName& name,
                                     const OwnedFile& file, int64_t size) {
  std::string id;
  BVHMILL_RETURN_IF_ERROR(BeginParts(client_.get(), BlobKey(name), &id));
  const absl::Status sent = SendParts(name, id, file, size);
  if (!sent.ok()) {
    static_cast<void>(AbortParts(client_.get(), BlobKey(name), id));
  }
  return sent;
}

absl::Status S3BlobStore::SendParts(const BlobName& name, const std::string& id,
                                    const OwnedFile& file, int64_t size) {
  Sha256 digest;
  std::vector<std::string> tags;
  for (int64_t done = 0; done < size; done += kS3PartBytes) {
    S3Part part = {.number = static_cast<int>(tags.size()) + 1,
                   .file = &file,
                   .offset = done,
                   .bytes = std::min(kS3PartBytes, size - done)};
    BVHMILL_RETURN_IF_ERROR(DigestPart(file, spool_, &part, &digest));
    BVHMILL_RETURN_IF_ERROR(
        PutPart(client_.get(), BlobKey(name), id, part, &tags.emplace_back()));
  }
  // The disk of this machine has given other bytes than were written.
  if (digest.Finish() != name.digest) return FileFault("read", spool_, EIO);
  return Complete(name, id, tags, size);
}

// If the answer to an earlier try was lost, the upload is gone, too. Whether it
// was completed is seen by the object.
absl::Status S3BlobStore::Complete(const BlobName& name, const std::string& id,
                                   const std::vector<std::string>& tags,
                                   int64_t size) {
  const absl::Status completed =
      CompleteParts(client_.get(), BlobKey(name), id, tags);
  if (!absl::IsAborted(completed) && !absl::IsNotFound(completed)) {
    return completed;
  }
  S3Answer found;
  const absl::Status head = Head(name, &found);
  return head.ok() && found.size == size ? absl::OkStatus() : completed;
}

}  // namespace bvhmill::server
