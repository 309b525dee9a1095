// Uploads that may be resumed, here or at another server.

#include <algorithm>
#include <cerrno>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/s3/s3_blob_store.h"
#include "server/store/s3/s3_faults.h"
#include "server/store/s3/s3_parts.h"

namespace bvhmill::server {
namespace {

// The size of a state with the bytes of a part that is not full.
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
  // The bytes are wrong or gone: the next upload begins anew.
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
  // The upload has failed: its bytes are in doubt, and the stored state counts.
  bool is_broken_ = false;
};

S3BlobStore::S3Upload::~S3Upload() {
  // After an error the tail is lost: the caller sees that when it resumes.
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

// Bytes of an earlier upload count again while this one runs. An upload beyond
// the share of its caller is dropped: its bytes would keep out other uploads of
// the caller until they are old.
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
  // If this fails, the upload stays as it was stored last.
  has_new_bytes_ = false;
  const absl::Status made = Make();
  if (absl::IsAborted(made) || absl::IsNotFound(made)) {
    Drop();
    return UploadDropped();
  }
  BVHMILL_RETURN_IF_ERROR(ForCallers(made));
  reserved_ = 0;
  // A state that stays is removed when it is old.
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
