#include "server/store/s3/s3_blob_store.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/data_folder.h"
#include "server/store/for_all.h"
#include "server/store/s3/open_s3.h"
#include "server/store/s3/s3_client.h"

namespace bvhmill::server {
namespace {

// A store answers parallel requests in little more time than one.
constexpr size_t kThreads = 16;
// A store may write all bytes of an object before it answers.
constexpr int kObjectTimeout = 120;

// The time `store_ms` of the clock of the store, by the clock of this machine:
// milliseconds since 1970. Exact to a second, since `answer` has whole seconds.
int64_t LocalTimeOf(int64_t store_ms, const S3Answer& answer) {
  const int64_t here = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  return answer.now_ms == 0 ? store_ms : store_ms + here - answer.now_ms;
}

}  // namespace

std::string BlobKey(const BlobName& name) {
  return "blobs/" + name.space + "/" + name.digest;
}

// Outputs of jobs, whose digest is known at their end.

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

// Replaces a blob that exists by the same bytes, which marks it as used.
absl::Status S3BlobStore::Commit(std::span<NewBlob* const> blobs) {
  // Two blobs of one call may be equal.
  std::map<std::string, S3Blob*> by_key;
  for (NewBlob* const blob : blobs) {
    by_key.emplace(BlobKey(blob->name()), static_cast<S3Blob*>(blob));
  }
  std::vector<S3Blob*> added;
  added.reserve(by_key.size());
  for (const auto& [key, blob] : by_key) added.push_back(blob);
  return ForCallers(ForAll<kThreads>(added.size(), [&](size_t i) {
    S3Blob& blob = *added[i];
    const absl::Status put = Put(blob.name_, blob.file_, blob.size_);
    blob.is_stored_ = put.ok();
    return put;
  }));
}

absl::Status S3BlobStore::Put(const BlobName& name, const OwnedFile& file,
                              int64_t size) {
  S3Answer answer;
  return client_->Send({.method = "PUT",
                        .key = BlobKey(name),
                        .file = &file,
                        .file_bytes = size,
                        .digest = name.digest,
                        .timeout_seconds = kObjectTimeout},
                       &answer);
}

// Opening and lists.

namespace {

constexpr char kIdentityKey[] = "database";
constexpr char kBlobs[] = "blobs/";
constexpr int kPreconditionFailed = 412;

absl::Status NoList() {
  return MakeCallError({.code = absl::StatusCode::kInternal,
                        .reason = "STORE_FAULT",
                        .message = "the store of blobs gives no list"});
}

absl::Status NoIdentity() {
  return MakeCallError(
      {.code = absl::StatusCode::kNotFound,
       .reason = "DATA_MISSING",
       .message =
           "no server has stored blobs with this prefix: name the one of "
           "these jobs; if their blobs are lost, see \"The prefix is "
           "lost\" in docs/jobs-on-several-machines.md"});
}

// Reads SPACE/DIGEST. False for other texts.
bool ReadName(std::string_view text, BlobName* name) {
  const size_t at = text.find('/');
  if (at == std::string_view::npos) return false;
  name->space = text.substr(0, at);
  name->digest = text.substr(at + 1);
  return IsSha256(name->digest);
}

// Adds the place of the store to the message, for the operator.
absl::Status AtPlace(const S3Options& options, const absl::Status& status) {
  if (status.ok()) return status;
  std::string endpoint;
  if (!ReadS3Endpoint(options, &endpoint).ok()) return status;
  CallError error = CallErrorOf(status);
  error.code = status.code();
  error.message = options.address + " at " + endpoint + ": " +
                  std::string(MessageOf(status));
  return MakeCallError(error);
}

}  // namespace

absl::Status S3BlobStore::ReadIdentity(std::string* identity) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(client_->Send({.key = kIdentityKey}, &answer));
  *identity = std::move(answer.body);
  return absl::OkStatus();
}

// If several servers start at once, one of them makes the object.
absl::Status S3BlobStore::WriteIdentity(const std::string& identity) {
  S3Answer answer;
  const absl::Status put = client_->Send({.method = "PUT",
                                          .key = kIdentityKey,
                                          .headers = {"If-None-Match: *"},
                                          .text = identity},
                                         &answer);
  return answer.status == kPreconditionFailed ? absl::OkStatus() : put;
}

// Lists first: without the right to list, the store does not answer NOT_FOUND
// for a missing object.
absl::Status S3BlobStore::Check(const std::string& identity, bool may_begin,
                                bool needs_blobs) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(
      client_->Send({.query = {{"list-type", "2"},
                               {"max-keys", "1"},
                               {"prefix", client_->place().prefix + kBlobs}}},
                    &answer));
  S3ObjectPage page;
  if (!ReadObjectPage(answer.body, &page)) return NoList();
  const bool has_blobs = !page.objects.empty();
  std::string found;
  absl::Status read = ReadIdentity(&found);
  if (absl::IsNotFound(read)) {
    if (!may_begin) return NoIdentity();
    if (has_blobs) {
      return DataIncomplete(
          "the prefix has blobs, and its object \"database\" is missing, which "
          "names the database of their jobs");
    }
    BVHMILL_RETURN_IF_ERROR(WriteIdentity(identity));
    read = ReadIdentity(&found);
  }
  BVHMILL_RETURN_IF_ERROR(read);
  if (found == identity) {
    return needs_blobs && !has_blobs ? BlobsLost("the prefix")
                                     : absl::OkStatus();
  }
  return MakeCallError(
      {.code = absl::StatusCode::kFailedPrecondition,
       .reason = "DATA_OF_ANOTHER_DATABASE",
       .message = "has the blobs of jobs of another database; use another "
                  "prefix, or if that database is lost, restore it"});
}

// Ignores objects with other names.
absl::Status S3BlobStore::List(
    const std::function<bool(const BlobEntry& entry)>& take) {
  const std::string prefix = client_->place().prefix + kBlobs;
  std::map<std::string, std::string> query = {{"list-type", "2"},
                                              {"prefix", prefix}};
  S3ObjectPage page;
  do {
    S3Answer answer;
    BVHMILL_RETURN_IF_ERROR(
        ForCallers(client_->Send({.query = query}, &answer)));
    if (!ReadObjectPage(answer.body, &page)) return NoList();
    for (const S3Object& object : page.objects) {
      BlobEntry entry;
      entry.size = object.size;
      entry.used_ms =
          LocalTimeOf(object.modified_ms, answer) + options_.touch_after_ms;
      const std::string_view key = object.key;
      if (!ReadName(key.substr(prefix.size()), &entry.name)) continue;
      if (!take(entry)) return absl::OkStatus();
    }
    query["continuation-token"] = page.next;
  } while (!page.next.empty());
  return absl::OkStatus();
}

absl::Status OpenS3BlobsForCheck(const S3Options& options,
                                 const std::string& identity,
                                 std::unique_ptr<BlobStore>* store) {
  std::unique_ptr<S3Client> client;
  BVHMILL_RETURN_IF_ERROR(S3Client::Make(options, &client));
  auto out = std::make_unique<S3BlobStore>(options, std::move(client),
                                           /*spool=*/"", BlobQuota{});
  BVHMILL_RETURN_IF_ERROR(
      AtPlace(options, out->Check(identity, /*may_begin=*/false,
                                  /*needs_blobs=*/false)));
  *store = std::move(out);
  return absl::OkStatus();
}

absl::Status OpenS3BlobStore(const S3Options& options, const std::string& spool,
                             const std::string& identity, bool has_jobs,
                             const BlobQuota& quota,
                             std::unique_ptr<BlobStore>* store) {
  std::unique_ptr<S3Client> client;
  BVHMILL_RETURN_IF_ERROR(S3Client::Make(options, &client));
  auto out =
      std::make_unique<S3BlobStore>(options, std::move(client), spool, quota);
  BVHMILL_RETURN_IF_ERROR(
      AtPlace(options, out->Check(identity, /*may_begin=*/!has_jobs,
                                  /*needs_blobs=*/has_jobs)));
  *store = std::move(out);
  return absl::OkStatus();
}

// Lookup, reads and removal of blobs.

namespace {

// The bytes of one request of a reader: most takes are smaller.
constexpr int64_t kAheadBytes = int64_t{1} << 20;

absl::Status ShortAnswer() {
  return MakeCallError({.code = absl::StatusCode::kInternal,
                        .reason = "STORE_FAULT",
                        .message = "the store of blobs gives fewer bytes than "
                                   "the blob has"});
}

// Gets at most `size` bytes from `offset` on, and the size of the object.
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
  // The buffered bytes, from the offset ahead_at_ on.
  mutable std::string ahead_;
  mutable int64_t ahead_at_ = 0;
};

}  // namespace

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
                     .timeout_seconds = kObjectTimeout},
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
  return is_fresh ? absl::OkStatus() : Touch(name, exists);
}

absl::Status S3BlobStore::Find(const BlobName& name, bool* exists) {
  return ForCallers(FindOne(name, exists));
}

absl::Status S3BlobStore::FindAll(std::span<const BlobName> names,
                                  std::vector<bool>* exist) {
  // Threads may write to different bytes at once, and not to different bits.
  std::vector<char> found(names.size(), 0);
  const absl::Status status = ForAll<kThreads>(names.size(), [&](size_t i) {
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
  return ForCallers(ForAll<kThreads>(names.size(), [&](size_t i) {
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

// True if the store refuses one object, e.g. by a rule of its bucket, or
// returns too few bytes of it, while another object is readable.
bool S3BlobStore::IsOfBlob(const absl::Status& fault) {
  std::string identity;
  return (absl::IsInternal(fault) || absl::IsUnavailable(fault)) &&
         ReadIdentity(&identity).ok();
}

// Compares a time that is later than the last use, by up to two seconds and
// touch_after_ms, so that no blob is removed too early.
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
  const absl::Status status = ForAll<kThreads>(names.size(), [&](size_t i) {
    int64_t one = 0;
    const absl::Status done =
        BlobStore::RemoveUnused(names.subspan(i, 1), before_ms, &one);
    removed += one;
    return done;
  });
  *count += removed;
  return status;
}

// Uploads.

// The bytes wait in a file without a name until all are there.
class S3BlobStore::S3Upload final : public BlobUpload {
 public:
  S3Upload(S3BlobStore* store, BlobName name)
      : store_(*store), name_(std::move(name)) {}
  ~S3Upload() override {
    store_.budget_.Return(name_.space, reserved_);
    if (is_running_) store_.EndUpload(name_);
  }

  absl::Status Start();
  int64_t committed_bytes() const override { return size_; }
  absl::Status Append(std::string_view bytes) override;
  absl::Status Finish() override;

 private:
  // Counts the upload as one of `size` bytes.
  absl::Status Reserve(int64_t size);

  S3BlobStore& store_;
  const BlobName name_;
  OwnedFile file_;
  Sha256 digest_;
  int64_t size_ = 0;
  // Bytes that count for the quota.
  int64_t reserved_ = 0;
  bool is_running_ = false;
};

absl::Status S3BlobStore::S3Upload::Start() {
  is_running_ = store_.BeginUpload(name_);
  if (!is_running_) return UploadRunning();
  // The upload that ran before may have made the blob.
  bool exists = false;
  BVHMILL_RETURN_IF_ERROR(store_.FindOne(name_, &exists));
  if (exists) return BlobExists();
  return OpenUnnamedFile(store_.spool_, &file_);
}

absl::Status S3BlobStore::S3Upload::Append(std::string_view bytes) {
  const int64_t size = size_ + static_cast<int64_t>(bytes.size());
  BVHMILL_RETURN_IF_ERROR(Reserve(size));
  BVHMILL_RETURN_IF_ERROR(WriteFile(file_, store_.spool_, bytes));
  digest_.Add(bytes);
  size_ = size;
  return absl::OkStatus();
}

absl::Status S3BlobStore::S3Upload::Reserve(int64_t size) {
  const int64_t more = CountedBytes(size) - reserved_;
  if (more <= 0) return absl::OkStatus();
  BVHMILL_RETURN_IF_ERROR(
      store_.budget_.ReserveForUpload(name_.space, more, max_space_bytes()));
  reserved_ += more;
  return absl::OkStatus();
}

absl::Status S3BlobStore::S3Upload::Finish() {
  if (digest_.Finish() != name_.digest) return DigestMismatch();
  BVHMILL_RETURN_IF_ERROR(Reserve(size_));
  BVHMILL_RETURN_IF_ERROR(ForCallers(store_.Put(name_, file_, size_)));
  // The blob counts from now on.
  reserved_ = 0;
  return absl::OkStatus();
}

absl::Status S3BlobStore::StartUpload(const BlobName& name,
                                      std::unique_ptr<BlobUpload>* upload) {
  auto out = std::make_unique<S3Upload>(this, name);
  BVHMILL_RETURN_IF_ERROR(ForCallers(out->Start()));
  *upload = std::move(out);
  return absl::OkStatus();
}

absl::Status S3BlobStore::DropUpload(const BlobName& name) {
  const std::lock_guard lock(mutex_);
  return running_.contains(BlobKey(name)) ? UploadRunning() : absl::OkStatus();
}

bool S3BlobStore::BeginUpload(const BlobName& name) {
  const std::lock_guard lock(mutex_);
  return running_.insert(BlobKey(name)).second;
}

void S3BlobStore::EndUpload(const BlobName& name) {
  const std::lock_guard lock(mutex_);
  running_.erase(BlobKey(name));
}

}  // namespace bvhmill::server
