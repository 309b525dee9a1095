#pragma once

// Blobs: bytes that are named by their SHA-256, in spaces. Each caller has its
// own space, so that no caller learns from a digest what others have stored.
//
//   std::unique_ptr<NewBlob> blob;
//   BVHMILL_RETURN_IF_ERROR(store->Create(SpaceOf(caller), &blob));
//   BVHMILL_RETURN_IF_ERROR(blob->Append(bytes));
//   blob->Finish();
//   NewBlob* const made = blob.get();
//   BVHMILL_RETURN_IF_ERROR(store->Commit({&made, 1}));
//
// A blob exists whole or not at all: it appears under its name only after all
// its bytes are on the disk and their digest was checked. A blob never changes.
//
// The interface is narrow, so that engines for one machine, for a shared folder
// and for S3 can implement it.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill::server {

struct BlobName {
  std::string space;
  // 64 hexadecimal digits.
  std::string digest;

  bool operator==(const BlobName&) const = default;
};

// The space of the caller `name`. The name of callers without a token is empty.
std::string SpaceOf(std::string_view name);

// The statuses that the functions below name: ALREADY_EXISTS; ABORTED,
// UPLOAD_RUNNING; INVALID_ARGUMENT, DIGEST_MISMATCH.
absl::Status BlobExists();
absl::Status UploadRunning();
absl::Status DigestMismatch();
// True if `status` refuses an upload for the bytes of its space.
bool IsBeyondShare(const absl::Status& status);

// An unfinished blob. It is dropped if it is destroyed before Commit. Used by
// one thread at a time. The store must outlive it.
class NewBlob {
 public:
  virtual ~NewBlob() = default;
  // Errors: those of BlobStore.
  virtual absl::Status Append(std::string_view bytes) = 0;
  // Computes the digest. Call it once, after the last Append and before Commit.
  virtual void Finish() = 0;
  // The digest is empty until Finish.
  virtual const BlobName& name() const = 0;
  // The bytes that were appended.
  virtual int64_t size() const = 0;
};

// An upload that may be resumed. Its bytes are kept if it is destroyed before
// it is complete; that may block for the network. An error of Append or Finish
// may drop them: the next upload then starts from the beginning. Used by one
// thread at a time. The store must outlive it.
class BlobUpload {
 public:
  virtual ~BlobUpload() = default;
  // The number of stored bytes: the offset of the next byte to append.
  virtual int64_t committed_bytes() const = 0;
  // Bounds the bytes of all blobs of the space: an Append or Finish that would
  // exceed it is RESOURCE_EXHAUSTED, LIMIT_EXCEEDED, and drops the upload. The
  // initial value 0 is no bound.
  void set_max_space_bytes(int64_t bytes) { max_space_bytes_ = bytes; }
  // Reads a part of the bytes of earlier uploads, for the digest. Call it
  // before Append or Finish until it sets `is_ready`: else these read the rest
  // at once, which may take seconds.
  virtual absl::Status Prepare(bool* is_ready) {
    *is_ready = true;
    return absl::OkStatus();
  }
  virtual absl::Status Append(std::string_view bytes) = 0;
  // Makes the blob. INVALID_ARGUMENT, DIGEST_MISMATCH if the bytes have another
  // digest; they are dropped then, and the upload must start from the
  // beginning.
  virtual absl::Status Finish() = 0;

 protected:
  int64_t max_space_bytes() const { return max_space_bytes_; }

 private:
  int64_t max_space_bytes_ = 0;
};

// An open blob. If the blob is removed meanwhile, the reader can read it to its
// end, or every Read is NOT_FOUND. Thread-safe.
class BlobReader {
 public:
  virtual ~BlobReader() = default;
  virtual int64_t size() const = 0;
  // Sets `bytes` to `size` bytes at `offset`; to fewer, or none, only at the
  // end of the blob.
  virtual absl::Status Read(int64_t offset, size_t size,
                            std::string* bytes) const = 0;
};

// Bytes by the space that they are in.
using SpaceBytes = std::map<std::string, int64_t>;

// The bytes that count for a blob or an upload of this size: at least 4 KiB,
// since many small ones fill a store, too.
inline int64_t CountedBytes(int64_t size) {
  return std::max<int64_t>(size, 4096);
}

struct BlobEntry {
  BlobName name;
  int64_t size = 0;
  // The last use, i.e. the time at which the blob was stored or last found, in
  // milliseconds since 1970.
  int64_t used_ms = 0;
};

// Thread-safe. Functions block for the disk or the network. Errors besides
// those that are named: RESOURCE_EXHAUSTED, DISK_FULL; INTERNAL, STORE_FAULT;
// UNAVAILABLE, BLOBS_UNAVAILABLE or STORE_FAULT, after which it is not known
// whether a change was stored. A blob is NOT_FOUND only if the store itself is
// available.
class BlobStore {
 public:
  BlobStore() = default;
  virtual ~BlobStore() = default;
  BlobStore(const BlobStore&) = delete;
  BlobStore& operator=(const BlobStore&) = delete;

  // Begins a blob of a space, whose digest is not known yet.
  virtual absl::Status Create(const std::string& space,
                              std::unique_ptr<NewBlob>* blob) = 0;
  // Stores finished blobs of this store. After OK each exists and is on the
  // disk. After an error some may exist; Collect removes them, since no job
  // names them. Cheaper than one call for each.
  virtual absl::Status Commit(std::span<NewBlob* const> blobs) = 0;

  // Returns the error with which an upload into `space` would be refused now:
  // RESOURCE_EXHAUSTED, DISK_FULL; or LIMIT_EXCEEDED if its blobs have more
  // than `max_space_bytes`, 0 = any number.
  virtual absl::Status CheckRoom(const std::string& /*space*/,
                                 int64_t /*max_space_bytes*/) {
    return absl::OkStatus();
  }
  // The bytes of the blobs and uploads of a space.
  virtual int64_t BytesIn(const std::string& /*space*/) const { return 0; }
  // CALLER_BUSY if outputs in `space` should wait: its blobs have more than
  // `max_space_bytes`, 0 = any number, and the quota of all blobs is almost
  // used.
  virtual absl::Status CheckOutputs(const std::string& /*space*/,
                                    int64_t /*max_space_bytes*/) const {
    return absl::OkStatus();
  }
  // DISK_FULL if the disk of the store has too little free space for outputs.
  // The results of a server that works alone are on the same disk.
  virtual absl::Status CheckDisk() const { return absl::OkStatus(); }
  // Begins or resumes the upload of `name`. ALREADY_EXISTS if the blob is
  // there. ABORTED, UPLOAD_RUNNING while another upload of it runs in this
  // process. A store of several machines may not know the uploads of others:
  // then the first one that is complete makes the blob.
  virtual absl::Status StartUpload(const BlobName& name,
                                   std::unique_ptr<BlobUpload>* upload) = 0;

  // Sets `exists` to true if the blob exists, and marks it as used.
  virtual absl::Status Find(const BlobName& name, bool* exists) = 0;
  // Find for many blobs: exist[i] is for names[i].
  virtual absl::Status FindAll(std::span<const BlobName> names,
                               std::vector<bool>* exist);
  // Sets sizes[i] to the bytes of names[i]; to 0 if there is no such blob.
  virtual absl::Status FindSizes(std::span<const BlobName> names,
                                 std::vector<int64_t>* sizes) = 0;
  // NOT_FOUND if there is no such blob. The store must outlive the reader.
  virtual absl::Status Open(const BlobName& name,
                            std::unique_ptr<BlobReader>* reader) = 0;
  // True if `fault`, an error of Open or of a reader, concerns that blob alone:
  // the store itself is readable now.
  virtual bool IsOfBlob(const absl::Status& /*fault*/) { return false; }
  // Sets `was_used` to true if the blob exists and its last use is not before
  // `since_ms`.
  virtual absl::Status WasUsed(const BlobName& name, int64_t since_ms,
                               bool* was_used) = 0;
  // OK if there is no such blob.
  virtual absl::Status Remove(const BlobName& name) = 0;
  // Removes those of the blobs that were not used since `before_ms`, and adds
  // their number to `count`. Continues after an error, and returns the first.
  virtual absl::Status RemoveUnused(std::span<const BlobName> names,
                                    int64_t before_ms, int64_t* count);

  // Calls `take` for every blob, in any order, until it returns false.
  virtual absl::Status List(
      const std::function<bool(const BlobEntry& entry)>& take) = 0;
  // Drops the bytes of an incomplete upload, if there are any. ABORTED,
  // UPLOAD_RUNNING while it runs.
  virtual absl::Status DropUpload(const BlobName& name) = 0;
  // Drops uploads that got no bytes since `before_ms`.
  virtual absl::Status DropUploads(int64_t before_ms) = 0;

  // The bytes of all blobs, and of uploads as far as they are known.
  virtual int64_t bytes() const = 0;
  // Replaces the counted bytes by the sums of a List for each space, which
  // include what other servers have stored and removed.
  virtual void SetBytes(const SpaceBytes& /*bytes*/) {}
};

}  // namespace bvhmill::server
