// Finding, reading and removing blobs: the part of S3BlobStore that makes none.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "server/store/for_all.h"
#include "server/store/s3/s3_blob_store.h"
#include "server/store/s3/s3_faults.h"

namespace bvhmill::server {
namespace {

// Bytes that a reader asks for at once: most takes are smaller.
constexpr int64_t kAheadBytes = int64_t{1} << 20;
constexpr size_t kFindThreads = 16;
// A store may copy all bytes of an object.
constexpr int kCopyPatience = 120;

absl::Status ShortAnswer() {
  return MakeCallError({.code = absl::StatusCode::kInternal,
                        .reason = "STORE_FAULT",
                        .message = "the store of blobs gives fewer bytes than "
                                   "the blob has"});
}

// Bytes from `offset` on, `size` at most; also the size of the object.
absl::Status GetRange(S3Client* client, const std::string& key, int64_t offset,
                      int64_t size, S3Answer* answer) {
  return client->Send({.key = key,
                       .range = std::to_string(offset) + "-" +
                                std::to_string(offset + size - 1),
                       .max_answer_bytes = static_cast<size_t>(size)},
                      answer);
}

class S3Reader final : public BlobReader {
 public:
  S3Reader(S3Client* client, std::string key)
      : client_(*client), key_(std::move(key)) {}

  absl::Status Start() {
    S3Answer answer;
    const absl::Status got = GetRange(&client_, key_, 0, kAheadBytes, &answer);
    // An empty object has no range.
    if (absl::IsOutOfRange(got)) return absl::OkStatus();
    BVHMILL_RETURN_IF_ERROR(got);
    size_ = answer.size;
    ahead_ = std::move(answer.body);
    return static_cast<int64_t>(ahead_.size()) == std::min(size_, kAheadBytes)
               ? absl::OkStatus()
               : ShortAnswer();
  }

  int64_t size() const override { return size_; }

  absl::Status Read(int64_t offset, size_t size,
                    std::string* bytes) const override {
    bytes->clear();
    if (offset >= size_) return absl::OkStatus();
    const int64_t wanted = std::min(static_cast<int64_t>(size), size_ - offset);
    const std::lock_guard lock(mutex_);
    const int64_t end = ahead_at_ + static_cast<int64_t>(ahead_.size());
    if (offset < ahead_at_ || offset + wanted > end) {
      BVHMILL_RETURN_IF_ERROR(ForCallers(Fetch(offset, wanted)));
    }
    bytes->assign(ahead_, static_cast<size_t>(offset - ahead_at_),
                  static_cast<size_t>(wanted));
    return absl::OkStatus();
  }

 private:
  absl::Status Fetch(int64_t offset, int64_t wanted) const {
    const int64_t size =
        std::min(std::max(wanted, kAheadBytes), size_ - offset);
    S3Answer answer;
    BVHMILL_RETURN_IF_ERROR(GetRange(&client_, key_, offset, size, &answer));
    if (static_cast<int64_t>(answer.body.size()) != size) return ShortAnswer();
    ahead_ = std::move(answer.body);
    ahead_at_ = offset;
    return absl::OkStatus();
  }

  S3Client& client_;
  const std::string key_;
  int64_t size_ = 0;
  mutable std::mutex mutex_;
  // Bytes that were read, from ahead_at_ on.
  mutable std::string ahead_;
  mutable int64_t ahead_at_ = 0;
};

}  // namespace

// Both times of an answer are in whole seconds.
int64_t LocalTimeOf(int64_t store_ms, const S3Answer& answer) {
  const int64_t here = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  return answer.now_ms == 0 ? store_ms : store_ms + here - answer.now_ms;
}

absl::Status S3BlobStore::Head(const BlobName& name, S3Answer* answer) {
  return client_->Send({.method = "HEAD", .key = BlobKey(name)}, answer);
}

// A copy onto itself changes the time only.
absl::Status S3BlobStore::Touch(const BlobName& name, bool* exists) {
  const S3Place& place = client_->place();
  S3Answer answer;
  const absl::Status copied =
      client_->Send({.method = "PUT",
                     .key = BlobKey(name),
                     .headers = {"x-amz-copy-source: /" + place.bucket + "/" +
                                     place.prefix + BlobKey(name),
                                 "x-amz-metadata-directive: REPLACE"},
                     .patience_seconds = kCopyPatience},
                    &answer);
  *exists = copied.ok();
  return absl::IsNotFound(copied) ? absl::OkStatus() : copied;
}

absl::Status S3BlobStore::FindOne(const BlobName& name, bool* exists) {
  S3Answer answer;
  const absl::Status found = Head(name, &answer);
  *exists = found.ok();
  if (!found.ok()) {
    return absl::IsNotFound(found) ? absl::OkStatus() : found;
  }
  const bool is_fresh =
      answer.now_ms - answer.modified_ms < options_.touch_after_ms;
  if (is_fresh || answer.size > kMaxS3BlobBytes) return absl::OkStatus();
  return Touch(name, exists);
}

absl::Status S3BlobStore::Find(const BlobName& name, bool* exists) {
  return ForCallers(FindOne(name, exists));
}

absl::Status S3BlobStore::FindAll(std::span<const BlobName> names,
                                  std::vector<bool>* exist) {
  // Threads may write to different bytes at once, and not to different bits.
  std::vector<char> found(names.size(), 0);
  const absl::Status status = ForAll<kFindThreads>(names.size(), [&](size_t i) {
    bool exists = false;
    const absl::Status one = FindOne(names[i], &exists);
    found[i] = exists ? 1 : 0;
    return one;
  });
  exist->assign(found.begin(), found.end());
  return ForCallers(status);
}

absl::Status S3BlobStore::FindSizes(std::span<const BlobName> names,
                                    std::vector<int64_t>* sizes) {
  sizes->assign(names.size(), 0);
  return ForCallers(ForAll<kFindThreads>(names.size(), [&](size_t i) {
    S3Answer answer;
    const absl::Status found = Head(names[i], &answer);
    if (found.ok()) (*sizes)[i] = answer.size;
    return absl::IsNotFound(found) ? absl::OkStatus() : found;
  }));
}

absl::Status S3BlobStore::Open(const BlobName& name,
                               std::unique_ptr<BlobReader>* reader) {
  auto out = std::make_unique<S3Reader>(client_.get(), BlobKey(name));
  BVHMILL_RETURN_IF_ERROR(ForCallers(out->Start()));
  *reader = std::move(out);
  return absl::OkStatus();
}

// The store refuses one object, e.g. by a rule of its bucket, or its bytes are
// not those that it states; and another object can be read.
bool S3BlobStore::IsOfBlob(const absl::Status& fault) {
  std::string identity;
  return (absl::IsInternal(fault) || absl::IsUnavailable(fault)) &&
         ReadIdentity(&identity).ok();
}

// The time that is compared is later than the last use, by up to two seconds
// and touch_after_ms: so no blob is removed too early.
absl::Status S3BlobStore::WasUsed(const BlobName& name, int64_t since_ms,
                                  bool* was_used) {
  constexpr int64_t kSecond = 1000;
  S3Answer answer;
  *was_used = false;
  const absl::Status found = Head(name, &answer);
  if (absl::IsNotFound(found)) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(ForCallers(found));
  *was_used = LocalTimeOf(answer.modified_ms, answer) + kSecond +
                  options_.touch_after_ms >=
              since_ms;
  return absl::OkStatus();
}

absl::Status S3BlobStore::Remove(const BlobName& name) {
  S3Answer answer;
  const absl::Status found = Head(name, &answer);
  if (absl::IsNotFound(found)) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(ForCallers(found));
  const int64_t size = answer.size;
  const absl::Status removed =
      client_->Send({.method = "DELETE", .key = BlobKey(name)}, &answer);
  if (removed.ok()) budget_.Return(name.space, CountedBytes(size));
  return absl::IsNotFound(removed) ? absl::OkStatus() : ForCallers(removed);
}

absl::Status S3BlobStore::RemoveUnused(std::span<const BlobName> names,
                                       int64_t before_ms, int64_t* count) {
  std::atomic<int64_t> removed = 0;
  const absl::Status status = ForAll<kFindThreads>(names.size(), [&](size_t i) {
    int64_t one = 0;
    const absl::Status done =
        BlobStore::RemoveUnused(names.subspan(i, 1), before_ms, &one);
    removed += one;
    return done;
  });
  *count += removed;
  return status;
}

}  // namespace bvhmill::server
