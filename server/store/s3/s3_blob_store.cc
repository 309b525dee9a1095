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

// The largest blob has 640 parts of this size; a store accepts 10,000 parts.
constexpr int64_t kS3PartBytes = int64_t{8} << 20;
// Larger blobs are sent in parts: a part that fails is sent again alone.
constexpr int64_t kMaxWholeBytes = 2 * kS3PartBytes;
constexpr size_t kPieceBytes = size_t{1} << 20;
// A store answers parallel requests in little more time than one.
constexpr size_t kPutThreads = 16;
// A store may assemble the parts before it answers.
constexpr int kCompleteTimeout = 120;

struct S3Part {
  // From 1.
  int number = 0;
  const OwnedFile* file = nullptr;
  int64_t offset = 0;
  int64_t bytes = 0;
  // The SHA-256 of its bytes, in hexadecimal.
  std::string digest = {};
};

// The key of the state of an upload, below the prefix.
std::string StateKey(const BlobName& name) {
  return "uploads/" + name.space + "-" + name.digest;
}

// The time `store_ms` of the clock of the store, by the clock of this machine:
// milliseconds since 1970. Exact to a second, since `answer` has whole seconds.
int64_t LocalTimeOf(int64_t store_ms, const S3Answer& answer) {
  const int64_t here = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  return answer.now_ms == 0 ? store_ms : store_ms + here - answer.now_ms;
}

// Sends a part; the store compares its digest. `tag` names the part with these
// bytes: if another server sends other bytes under its number, the upload
// cannot be completed with this tag.
absl::Status PutPart(S3Client* client, const std::string& key,
                     const std::string& id, const S3Part& part,
                     std::string* tag) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(client->Send(
      {.method = "PUT",
       .key = key,
       .query = {{"partNumber", std::to_string(part.number)}, {"uploadId", id}},
       .file = part.file,
       .file_offset = part.offset,
       .file_bytes = part.bytes,
       .digest = part.digest},
      &answer));
  *tag = answer.tag;
  return tag->empty() ? BlobsUnavailable("the store of blobs names no part")
                      : absl::OkStatus();
}

// Makes the object of all parts with these tags. The first part has the number
// 1.
absl::Status CompleteParts(S3Client* client, const std::string& key,
                           const std::string& id,
                           const std::vector<std::string>& tags) {
  S3Answer answer;
  return client->Send({.method = "POST",
                       .key = key,
                       .query = {{"uploadId", id}},
                       .headers = {"Content-Type: application/xml"},
                       .text = CompletionOf(tags),
                       .timeout_seconds = kCompleteTimeout},
                      &answer);
}

// Sets the digest of a part, and adds its bytes to the digest of all parts.
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

// The first line of a state. Lines of a name and a value follow; an empty line
// ends them.
constexpr std::string_view kFirstLine = "bvhmill-upload 1";

std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end + 1);
  return line;
}

bool ReadLine(std::string_view line, S3UploadState* state) {
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, space);
  const std::string value(line.substr(space + 1));
  if (name == "id") {
    state->id = value;
  } else if (name == "digest") {
    state->digest = value;
  } else if (name == "part") {
    state->tags.push_back(value);
  } else if (name == "part_bytes") {
    return value == std::to_string(kS3PartBytes);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string BlobKey(const BlobName& name) {
  return "blobs/" + name.space + "/" + name.digest;
}

absl::Status BeginParts(S3Client* client, const std::string& key,
                        std::string* id) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(client->Send(
      {.method = "POST", .key = key, .query = {{"uploads", ""}}}, &answer));
  *id = FieldIn(answer.body, "UploadId");
  return id->empty() ? BlobsUnavailable("the store of blobs begins no upload")
                     : absl::OkStatus();
}

absl::Status AbortParts(S3Client* client, const std::string& key,
                        const std::string& id) {
  S3Answer answer;
  const absl::Status status = client->Send(
      {.method = "DELETE", .key = key, .query = {{"uploadId", id}}}, &answer);
  return absl::IsNotFound(status) || absl::IsAborted(status) ? absl::OkStatus()
                                                             : status;
}

std::string WriteUploadState(const S3UploadState& state) {
  std::string text(kFirstLine);
  text += "\npart_bytes " + std::to_string(kS3PartBytes) + "\n";
  if (!state.id.empty()) {
    text += "id " + state.id + "\ndigest " + state.digest + "\n";
  }
  for (const std::string& tag : state.tags) text += "part " + tag + "\n";
  return text + "\n";
}

bool ReadUploadState(std::string_view text, S3UploadState* state,
                     std::string_view* tail) {
  *state = {};
  if (TakeLine(&text) != kFirstLine) return false;
  while (true) {
    if (text.find('\n') == std::string_view::npos) return false;
    const std::string_view line = TakeLine(&text);
    if (line.empty()) break;
    if (!ReadLine(line, state)) return false;
  }
  *tail = text;
  return state->id.empty() ? state->tags.empty() && state->digest.empty()
                           : !state->tags.empty() && IsSha256(state->digest);
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
  // The disk of this machine returned other bytes than were written.
  if (digest.Finish() != name.digest) return FileFault("read", spool_, EIO);
  return Complete(name, id, tags, size);
}

// If the answer to an earlier attempt was lost, the upload does not exist any
// more. The object shows whether that attempt completed it.
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

// Opening, lists, and the removal of old uploads.

namespace {

constexpr char kIdentityKey[] = "database";
constexpr char kBlobs[] = "blobs/";
constexpr char kStates[] = "uploads/";
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

// Reads SPACE and DIGEST with `separator` between them. False for other texts.
bool ReadName(std::string_view text, char separator, BlobName* name) {
  const size_t at = text.find(separator);
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

absl::Status S3BlobStore::Open(const S3Options& options,
                               const std::string& spool,
                               const std::string& identity, bool has_jobs,
                               const BlobQuota& quota,
                               std::unique_ptr<S3BlobStore>* store) {
  std::unique_ptr<S3Client> client;
  BVHMILL_RETURN_IF_ERROR(S3Client::Make(options, &client));
  std::unique_ptr<S3BlobStore> out(
      new S3BlobStore(options, std::move(client), spool, quota));
  BVHMILL_RETURN_IF_ERROR(
      AtPlace(options, out->Check(identity, /*may_begin=*/!has_jobs,
                                  /*needs_blobs=*/has_jobs)));
  *store = std::move(out);
  return absl::OkStatus();
}

absl::Status S3BlobStore::OpenForCheck(const S3Options& options,
                                       const std::string& identity,
                                       std::unique_ptr<S3BlobStore>* store) {
  std::unique_ptr<S3Client> client;
  BVHMILL_RETURN_IF_ERROR(S3Client::Make(options, &client));
  std::unique_ptr<S3BlobStore> out(
      new S3BlobStore(options, std::move(client), /*spool=*/"", {}));
  BVHMILL_RETURN_IF_ERROR(
      AtPlace(options, out->Check(identity, /*may_begin=*/false,
                                  /*needs_blobs=*/false)));
  *store = std::move(out);
  return absl::OkStatus();
}

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

absl::Status S3BlobStore::ListKeys(
    const std::string& prefix,
    const std::function<bool(const BlobEntry&, const std::string& key)>& take) {
  const std::string& outer = client_->place().prefix;
  std::map<std::string, std::string> query = {{"list-type", "2"},
                                              {"prefix", outer + prefix}};
  S3ObjectPage page;
  do {
    S3Answer answer;
    BVHMILL_RETURN_IF_ERROR(client_->Send({.query = query}, &answer));
    if (!ReadObjectPage(answer.body, &page)) return NoList();
    for (const S3Object& object : page.objects) {
      BlobEntry entry;
      entry.size = object.size;
      entry.used_ms = LocalTimeOf(object.modified_ms, answer);
      const std::string key = object.key.substr(outer.size() + prefix.size());
      if (!take(entry, key)) return absl::OkStatus();
    }
    query["continuation-token"] = page.next;
  } while (!page.next.empty());
  return absl::OkStatus();
}

// Ignores objects with other names.
absl::Status S3BlobStore::List(
    const std::function<bool(const BlobEntry& entry)>& take) {
  return ForCallers(
      ListKeys(kBlobs, [&](const BlobEntry& found, const std::string& key) {
        BlobEntry entry = found;
        entry.used_ms += options_.touch_after_ms;
        return !ReadName(key, '/', &entry.name) || take(entry);
      }));
}

absl::Status S3BlobStore::DropUploads(int64_t before_ms) {
  BVHMILL_RETURN_IF_ERROR(ForCallers(DropStates(before_ms)));
  return ForCallers(DropParts(before_ms));
}

absl::Status S3BlobStore::DropStates(int64_t before_ms) {
  std::vector<BlobName> old;
  BVHMILL_RETURN_IF_ERROR(
      ListKeys(kStates, [&](const BlobEntry& entry, const std::string& key) {
        BlobName name;
        if (entry.used_ms < before_ms && ReadName(key, '-', &name) &&
            !IsRunning(name)) {
          old.push_back(name);
        }
        return true;
      }));
  for (const BlobName& name : old) {
    BVHMILL_RETURN_IF_ERROR(DropStateAndParts(name));
  }
  return absl::OkStatus();
}

absl::Status S3BlobStore::DropStateAndParts(const BlobName& name) {
  std::string text;
  S3UploadState state;
  std::string_view tail;
  const absl::Status loaded = LoadState(name, &text, &state, &tail);
  if (loaded.ok() && !state.id.empty()) {
    BVHMILL_RETURN_IF_ERROR(AbortParts(client_.get(), BlobKey(name), state.id));
  }
  return DropState(name);
}

absl::Status S3BlobStore::DropUpload(const BlobName& name) {
  return IsRunning(name) ? UploadRunning()
                         : ForCallers(DropStateAndParts(name));
}

// Drops the parts of uploads that a killed server did not complete.
absl::Status S3BlobStore::DropParts(int64_t before_ms) {
  const std::string& outer = client_->place().prefix;
  std::map<std::string, std::string> query = {{"prefix", outer + kBlobs},
                                              {"uploads", ""}};
  S3UploadPage page;
  do {
    S3Answer answer;
    BVHMILL_RETURN_IF_ERROR(client_->Send({.query = query}, &answer));
    if (!ReadUploadPage(answer.body, &page)) return NoList();
    for (const S3RunningUpload& upload : page.uploads) {
      if (LocalTimeOf(upload.begun_ms, answer) >= before_ms) continue;
      BVHMILL_RETURN_IF_ERROR(
          DropPart(upload.key.substr(outer.size()), upload.id));
    }
    query["key-marker"] = page.next_key;
    query["upload-id-marker"] = page.next_id;
  } while (!page.next_key.empty());
  return absl::OkStatus();
}

// Keeps parts to which a state refers.
absl::Status S3BlobStore::DropPart(const std::string& key,
                                   const std::string& id) {
  BlobName name;
  const std::string_view rest =
      std::string_view(key).substr(sizeof(kBlobs) - 1);
  if (!ReadName(rest, '/', &name) || IsRunning(name)) return absl::OkStatus();
  std::string text;
  S3UploadState state;
  std::string_view tail;
  const absl::Status loaded = LoadState(name, &text, &state, &tail);
  if (!loaded.ok() && !absl::IsNotFound(loaded)) return loaded;
  if (loaded.ok() && state.id == id) return absl::OkStatus();
  return AbortParts(client_.get(), key, id);
}

absl::Status OpenS3BlobsForCheck(const S3Options& options,
                                 const std::string& identity,
                                 std::unique_ptr<BlobStore>* store) {
  std::unique_ptr<S3BlobStore> out;
  BVHMILL_RETURN_IF_ERROR(S3BlobStore::OpenForCheck(options, identity, &out));
  *store = std::move(out);
  return absl::OkStatus();
}

absl::Status OpenS3BlobStore(const S3Options& options, const std::string& spool,
                             const std::string& identity, bool has_jobs,
                             const BlobQuota& quota,
                             std::unique_ptr<BlobStore>* store) {
  std::unique_ptr<S3BlobStore> out;
  BVHMILL_RETURN_IF_ERROR(
      S3BlobStore::Open(options, spool, identity, has_jobs, quota, &out));
  *store = std::move(out);
  return absl::OkStatus();
}

// Lookup, reads and removal of blobs.

namespace {

// The bytes of one request of a reader: most takes are smaller.
constexpr int64_t kAheadBytes = int64_t{1} << 20;
constexpr size_t kFindThreads = 16;
// A store may copy all bytes of an object.
constexpr int kCopyTimeout = 120;

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
                     .timeout_seconds = kCopyTimeout},
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

// Uploads that any server can resume.

namespace {

// The largest state with the bytes that are in no part.
constexpr size_t kMaxStateBytes =
    static_cast<size_t>(kS3PartBytes) + (size_t{1} << 20);

constexpr size_t kUploadPieceBytes = size_t{1} << 20;

absl::Status UploadDropped() {
  return BlobsUnavailable(
      "the upload was dropped meanwhile; upload the blob again");
}

}  // namespace

// The bytes that are in no part wait in a file without a name. A part is sent
// when it is full; then the state is stored, so that a server that is killed
// loses one part at most.
class S3BlobStore::S3Upload final : public BlobUpload {
 public:
  S3Upload(S3BlobStore* store, BlobName name)
      : store_(*store), name_(std::move(name)) {}
  ~S3Upload() override;

  absl::Status Start();
  int64_t committed_bytes() const override { return size_; }
  absl::Status Append(std::string_view bytes) override;
  absl::Status Finish() override;

 private:
  S3Client* client() { return store_.client_.get(); }
  absl::Status Resume();
  // Counts the upload as one of `size` bytes.
  absl::Status Reserve(int64_t size);
  absl::Status AppendToTail(std::string_view bytes);
  // Sends the tail as the next part.
  absl::Status SendPart();
  absl::Status SaveState();
  absl::Status Make();
  // The bytes are wrong or lost: the next upload starts from the beginning.
  void Drop();

  S3BlobStore& store_;
  const BlobName name_;
  S3UploadState state_;
  // The bytes that are in no part.
  OwnedFile file_;
  int64_t tail_ = 0;
  Sha256 tail_digest_;
  // The digest of all bytes.
  Sha256 digest_;
  int64_t size_ = 0;
  // Bytes that count for the quota.
  int64_t reserved_ = 0;
  bool is_running_ = false;
  // The store has a state.
  bool has_state_ = false;
  // The tail has bytes that no state has.
  bool has_new_bytes_ = false;
  // The upload has failed. Its bytes are unreliable; the next upload resumes
  // from the stored state.
  bool is_broken_ = false;
};

S3BlobStore::S3Upload::~S3Upload() {
  // After an error the tail is lost. committed_bytes of the next upload shows
  // that.
  if (has_new_bytes_ && !is_broken_) static_cast<void>(SaveState());
  store_.budget_.Return(name_.space, reserved_);
  if (is_running_) store_.EndUpload(name_);
}

absl::Status S3BlobStore::S3Upload::Start() {
  is_running_ = store_.BeginUpload(name_);
  if (!is_running_) return UploadRunning();
  // The upload that ran before may have made the blob.
  bool exists = false;
  BVHMILL_RETURN_IF_ERROR(store_.FindOne(name_, &exists));
  if (exists) return BlobExists();
  BVHMILL_RETURN_IF_ERROR(OpenUnnamedFile(store_.spool_, &file_));
  const absl::Status resumed = Resume();
  return absl::IsNotFound(resumed) ? absl::OkStatus() : resumed;
}

absl::Status S3BlobStore::S3Upload::Resume() {
  std::string text;
  std::string_view tail;
  BVHMILL_RETURN_IF_ERROR(store_.LoadState(name_, &text, &state_, &tail));
  has_state_ = true;
  const auto parts = static_cast<int64_t>(state_.tags.size()) * kS3PartBytes;
  if (parts > 0) digest_.Restore(state_.digest, parts);
  size_ = parts;
  return AppendToTail(tail);
}

absl::Status S3BlobStore::S3Upload::AppendToTail(std::string_view bytes) {
  const absl::Status written = WriteFile(file_, store_.spool_, bytes);
  is_broken_ = !written.ok();
  digest_.Add(bytes);
  tail_digest_.Add(bytes);
  tail_ += static_cast<int64_t>(bytes.size());
  size_ += static_cast<int64_t>(bytes.size());
  return written;
}

absl::Status S3BlobStore::S3Upload::Append(std::string_view bytes) {
  const auto more = static_cast<int64_t>(bytes.size());
  BVHMILL_RETURN_IF_ERROR(Reserve(size_ + more));
  has_new_bytes_ = has_new_bytes_ || more > 0;
  while (!bytes.empty()) {
    const auto room = static_cast<size_t>(kS3PartBytes - tail_);
    const std::string_view piece = bytes.substr(0, room);
    BVHMILL_RETURN_IF_ERROR(AppendToTail(piece));
    bytes.remove_prefix(piece.size());
    if (tail_ < kS3PartBytes) continue;
    const absl::Status sent = SendPart();
    if (absl::IsAborted(sent)) Drop();
    is_broken_ = is_broken_ || !sent.ok();
    if (absl::IsAborted(sent)) return UploadDropped();
    BVHMILL_RETURN_IF_ERROR(ForCallers(sent));
    state_.digest = digest_.Save();
    BVHMILL_RETURN_IF_ERROR(ForCallers(SaveState()));
  }
  return absl::OkStatus();
}

// Bytes of an earlier upload count again while this one runs. Drops an upload
// that exceeds the quota of its caller: its bytes would block other uploads of
// the caller until they expire.
absl::Status S3BlobStore::S3Upload::Reserve(int64_t size) {
  const int64_t more = CountedBytes(size) - reserved_;
  if (more <= 0) return absl::OkStatus();
  const absl::Status reserved =
      store_.budget_.ReserveForUpload(name_.space, more, max_space_bytes());
  if (reserved.ok()) reserved_ += more;
  if (IsBeyondShare(reserved)) Drop();
  return reserved;
}

absl::Status S3BlobStore::S3Upload::SendPart() {
  const std::string key = BlobKey(name_);
  if (state_.id.empty()) {
    BVHMILL_RETURN_IF_ERROR(BeginParts(client(), key, &state_.id));
  }
  const S3Part part = {.number = static_cast<int>(state_.tags.size()) + 1,
                       .file = &file_,
                       .bytes = tail_,
                       .digest = tail_digest_.Finish()};
  std::string tag;
  BVHMILL_RETURN_IF_ERROR(PutPart(client(), key, state_.id, part, &tag));
  state_.tags.push_back(tag);
  tail_ = 0;
  tail_digest_ = Sha256();
  return EmptyFile(file_, store_.spool_);
}

absl::Status S3BlobStore::S3Upload::SaveState() {
  const std::string text = WriteUploadState(state_);
  Sha256 digest;
  digest.Add(text);
  std::string piece;
  for (int64_t done = 0; done < tail_;
       done += static_cast<int64_t>(piece.size())) {
    const auto size =
        std::min(kUploadPieceBytes, static_cast<size_t>(tail_ - done));
    BVHMILL_RETURN_IF_ERROR(
        ReadFileAt(file_, store_.spool_, done, size, &piece));
    if (piece.size() < size) return FileFault("read", store_.spool_, EIO);
    digest.Add(piece);
  }
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(client()->Send({.method = "PUT",
                                          .key = StateKey(name_),
                                          .text = text,
                                          .file = &file_,
                                          .file_bytes = tail_,
                                          .digest = digest.Finish()},
                                         &answer));
  has_state_ = true;
  has_new_bytes_ = false;
  return absl::OkStatus();
}

absl::Status S3BlobStore::S3Upload::Finish() {
  if (digest_.Finish() != name_.digest) {
    Drop();
    return DigestMismatch();
  }
  BVHMILL_RETURN_IF_ERROR(Reserve(size_));
  // If Make fails, the stored state remains.
  has_new_bytes_ = false;
  const absl::Status made = Make();
  if (absl::IsAborted(made) || absl::IsNotFound(made)) {
    Drop();
    return UploadDropped();
  }
  BVHMILL_RETURN_IF_ERROR(ForCallers(made));
  reserved_ = 0;
  // DropUploads removes a state that cannot be removed now.
  if (has_state_) static_cast<void>(store_.DropState(name_));
  return absl::OkStatus();
}

absl::Status S3BlobStore::S3Upload::Make() {
  if (state_.id.empty()) return store_.Put(name_, file_, size_);
  if (tail_ > 0) BVHMILL_RETURN_IF_ERROR(SendPart());
  return store_.Complete(name_, state_.id, state_.tags, size_);
}

void S3BlobStore::S3Upload::Drop() {
  if (!state_.id.empty()) {
    static_cast<void>(AbortParts(client(), BlobKey(name_), state_.id));
  }
  if (has_state_) static_cast<void>(store_.DropState(name_));
  size_ = 0;
  is_broken_ = true;
}

absl::Status S3BlobStore::StartUpload(const BlobName& name,
                                      std::unique_ptr<BlobUpload>* upload) {
  auto out = std::make_unique<S3Upload>(this, name);
  BVHMILL_RETURN_IF_ERROR(ForCallers(out->Start()));
  *upload = std::move(out);
  return absl::OkStatus();
}

absl::Status S3BlobStore::LoadState(const BlobName& name, std::string* text,
                                    S3UploadState* state,
                                    std::string_view* tail) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(client_->Send(
      {.key = StateKey(name), .max_answer_bytes = kMaxStateBytes}, &answer));
  *text = std::move(answer.body);
  const bool is_good = ReadUploadState(*text, state, tail) &&
                       static_cast<int64_t>(tail->size()) < kS3PartBytes;
  return is_good ? absl::OkStatus() : absl::NotFoundError("");
}

absl::Status S3BlobStore::DropState(const BlobName& name) {
  S3Answer answer;
  const absl::Status dropped =
      client_->Send({.method = "DELETE", .key = StateKey(name)}, &answer);
  return absl::IsNotFound(dropped) ? absl::OkStatus() : dropped;
}

bool S3BlobStore::BeginUpload(const BlobName& name) {
  const std::lock_guard lock(mutex_);
  return running_.insert(StateKey(name)).second;
}

void S3BlobStore::EndUpload(const BlobName& name) {
  const std::lock_guard lock(mutex_);
  running_.erase(StateKey(name));
}

bool S3BlobStore::IsRunning(const BlobName& name) {
  const std::lock_guard lock(mutex_);
  return running_.contains(StateKey(name));
}

}  // namespace bvhmill::server
