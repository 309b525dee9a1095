#include "server/jobs/blob_service.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/v1/blob_service.pb.h"
#include "server/jobs/item_work.h"
#include "server/jobs/job_messages.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/errors.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

constexpr size_t kMaxBlobNames = 10'000;
// The field `data` of WriteBlobRequest.
constexpr TextField kDataTexts[] = {{{3, 0, 0}}};

absl::Status OffsetWrong(int64_t offset, int64_t committed) {
  return MakeCallError(
      {.code = absl::StatusCode::kOutOfRange,
       .reason = "OFFSET_WRONG",
       .field = "offset",
       .args = {{"committed_bytes", std::to_string(committed)}},
       .message = "is " + std::to_string(offset) + "; the server has " +
                  std::to_string(committed) + " bytes"});
}

absl::Status BlobUnknown(const std::string& name) {
  return MakeCallError(
      {.code = absl::StatusCode::kNotFound,
       .reason = "BLOB_UNKNOWN",
       .args = {{"resource_type", "blob"}, {"resource_name", name}},
       .message = "there is no " + name});
}

// A stream of either direction. Workers run its steps, one at a time. It
// deletes itself in OnDone, which gRPC calls after the last step.
class BlobStream : public RawReactor {
 public:
  BlobStream(const JobCallParts& parts, Method method, const char* where,
             grpc::CallbackServerContext* call)
      : call_(parts, method, call), where_(where) {}

  void OnCancel() override { is_cancelled_ = true; }
  void OnDone() override {
    call_.Done(is_cancelled_);
    delete this;
  }

 protected:
  ServerConfig const& config() const { return call_.parts().call.config; }

  absl::Status Enter() {
    return CatchAsStatus(call_.parts().call.record.log, where_,
                         [&] { return call_.Enter(); });
  }

  // Has a worker run `step`, which begins the next operation of gRPC or ends
  // the call. The stream may be deleted when `step` returns.
  template <typename Step>
  void Queue(const Step& step) {
    const bool is_queued = call_.Queue([this, step] {
      const absl::Status status = CatchAsStatus(call_.parts().call.record.log,
                                                where_, [&] { return step(); });
      if (!status.ok()) End(status);
    });
    if (!is_queued) End(OutOfMemory());
  }

  void End(const absl::Status& status) {
    call_.record().Finishing(status);
    Finish(ToGrpc(status));
  }

  LongCall call_;
  std::atomic<bool> is_cancelled_{false};

 private:
  const char* const where_;
};

// Appends the data of its messages to an upload, from the offset of the first
// message. An upload that is not finished stays; a later call continues it.
class WriteBlobCall final : public BlobStream {
 public:
  WriteBlobCall(const JobCallParts& parts, grpc::CallbackServerContext* call)
      : BlobStream(parts, Method::kWriteBlob, "WriteBlob", call) {}

  void Start() {
    const absl::Status entered = Enter();
    if (!entered.ok()) return End(entered);
    call_.AwaitData(0);
    StartRead(&received_);
  }

  // Counts the memory of the message before it waits for a worker.
  void OnReadDone(bool ok) override {
    const auto bytes = static_cast<int64_t>(received_.Length());
    const absl::Status counted =
        ok ? call_.CountMessage(bytes) : absl::OkStatus();
    Queue([this, ok, counted] {
      const absl::Status status = !counted.ok()   ? counted
                                  : is_cancelled_ ? absl::CancelledError("")
                                  : ok            ? Take()
                                                  : Answer(/*is_stored=*/false);
      // Closing an upload may block for the network, so a worker does it.
      if (!status.ok()) upload_ = nullptr;
      return status;
    });
  }

 private:
  absl::Status Take() {
    const auto bytes = static_cast<int64_t>(received_.Length());
    message_.Clear();
    int64_t beside = 0;
    BVHMILL_RETURN_IF_ERROR(
        ReadMessage(config(), kDataTexts, &received_, &message_, &beside));
    call_.record().AddBytes(static_cast<int64_t>(message_.data().size()), 0);
    // A message that gRPC received compressed is larger than its bytes.
    const auto more = std::max<int64_t>(
        static_cast<int64_t>(message_.ByteSizeLong()) - bytes, 0);
    BVHMILL_RETURN_IF_ERROR(call_.ticket().Grow(more));
    held_ = 2 * bytes + more;
    if (!has_begun_) BVHMILL_RETURN_IF_ERROR(Begin(message_));
    if (is_there_) return Answer(/*is_stored=*/true);
    const bool asks = message_.data().empty() && !message_.finish();
    if (!asks) BVHMILL_RETURN_IF_ERROR(CheckOffset());
    return Prepare();
  }

  // Compares the offset of the first message with the bytes that are stored.
  // Call it before the first byte is stored; that byte may come in a later
  // message.
  absl::Status CheckOffset() {
    const int64_t committed = upload_->committed_bytes();
    if (!is_offset_good_ && offset_ != committed) {
      return OffsetWrong(offset_, committed);
    }
    is_offset_good_ = true;
    return absl::OkStatus();
  }

  // Reads the stored bytes of an earlier call, in turns: other work runs in
  // between.
  absl::Status Prepare() {
    bool is_ready = message_.data().empty() && !message_.finish();
    if (!is_ready) BVHMILL_RETURN_IF_ERROR(upload_->Prepare(&is_ready));
    if (is_ready) return Go();
    if (is_cancelled_) return absl::CancelledError("");
    Queue([this] { return Prepare(); });
    return absl::OkStatus();
  }

  absl::Status Go() {
    const bool finishes = message_.finish();
    const auto bytes = static_cast<int64_t>(message_.data().size());
    BVHMILL_RETURN_IF_ERROR(Store(message_));
    // Clear would keep the memory of the data, which is not counted any more.
    message_ = {};
    static_cast<void>(call_.ticket().Grow(-held_));
    if (finishes) return Answer(/*is_stored=*/true);
    call_.AwaitData(bytes);
    StartRead(&received_);
    return absl::OkStatus();
  }

  absl::Status Begin(const v1::WriteBlobRequest& message) {
    has_begun_ = true;
    DataFolder* folder = nullptr;
    BVHMILL_RETURN_IF_ERROR(call_.parts().jobs.Open(&folder));
    BlobName name;
    name.space = SpaceOf(call_.record().caller()->name);
    BVHMILL_RETURN_IF_ERROR(ReadBlobName("blob", message.blob(), &name.digest));
    // The lock of names keeps a blob that is found from being removed.
    NamesHeld held;
    BVHMILL_RETURN_IF_ERROR(folder->HoldNames(&held));
    const absl::Status begun = folder->blobs().StartUpload(name, &upload_);
    if (absl::IsAlreadyExists(begun)) {
      std::unique_ptr<BlobReader> reader;
      BVHMILL_RETURN_IF_ERROR(folder->blobs().Open(name, &reader));
      size_ = reader->size();
      is_there_ = true;
      return absl::OkStatus();
    }
    BVHMILL_RETURN_IF_ERROR(begun);
    upload_->set_max_space_bytes(
        LimitsOf(*call_.record().caller(), config().jobs)
            .max_data_bytes_per_caller);
    offset_ = message.offset();
    return absl::OkStatus();
  }

  absl::Status Store(const v1::WriteBlobRequest& message) {
    const int64_t size = upload_->committed_bytes() +
                         static_cast<int64_t>(message.data().size());
    const int64_t limit = config().jobs.max_blob_bytes;
    if (Exceeds(size, limit)) {
      return LimitExceeded("max_blob_bytes", limit, size);
    }
    if (!message.data().empty()) {
      BVHMILL_RETURN_IF_ERROR(upload_->Append(message.data()));
    }
    return message.finish() ? upload_->Finish() : absl::OkStatus();
  }

  absl::Status Answer(bool is_stored) {
    if (!has_begun_) return InvalidField("blob", "is missing");
    v1::WriteBlobResponse response;
    response.set_finished(is_stored);
    response.set_committed_bytes(is_there_ ? size_
                                           : upload_->committed_bytes());
    ToBytes(response, &response_);
    // Another call may continue the upload as soon as this one has ended.
    upload_ = nullptr;
    call_.record().Finishing(absl::OkStatus());
    StartWriteAndFinish(&response_, {}, grpc::Status::OK);
    return absl::OkStatus();
  }

  grpc::ByteBuffer response_;
  grpc::ByteBuffer received_;
  v1::WriteBlobRequest message_;
  // Bytes of memory that the ticket counts for the message.
  int64_t held_ = 0;
  std::unique_ptr<BlobUpload> upload_;
  bool has_begun_ = false;
  // The offset of the first message, and whether CheckOffset has accepted it.
  int64_t offset_ = 0;
  bool is_offset_good_ = false;
  // The blob was stored before.
  bool is_there_ = false;
  int64_t size_ = 0;
};

// Sends a range of a blob in chunks of recommended_chunk_bytes.
class ReadBlobCall final : public BlobStream {
 public:
  ReadBlobCall(const JobCallParts& parts, grpc::CallbackServerContext* call)
      : BlobStream(parts, Method::kReadBlob, "ReadBlob", call) {}

  void Start() {
    const absl::Status entered = Enter();
    entered.ok() ? call_.ReceiveRequest(this, &request_) : End(entered);
  }

  void OnCancel() override {
    BlobStream::OnCancel();
    if (call_.LeaveRequests()) End(absl::CancelledError(""));
  }

  void OnReadDone(bool ok) override {
    const absl::Status taken = call_.TakeRequest(ok, request_);
    if (!taken.ok()) return End(taken);
    Queue([this] {
      const absl::Status begun = Begin();
      return begun.ok() ? Next() : begun;
    });
  }

  void OnWriteDone(bool ok) override {
    if (!ok || is_cancelled_) return End(absl::CancelledError(""));
    Queue([this] { return Next(); });
  }

 private:
  absl::Status Begin() {
    v1::ReadBlobRequest message;
    int64_t beside = 0;
    BVHMILL_RETURN_IF_ERROR(
        ReadMessage(config(), {}, &request_, &message, &beside));
    DataFolder* folder = nullptr;
    BVHMILL_RETURN_IF_ERROR(call_.parts().jobs.Open(&folder));
    BlobName name;
    name.space = SpaceOf(call_.record().caller()->name);
    BVHMILL_RETURN_IF_ERROR(ReadBlobName("blob", message.blob(), &name.digest));
    const absl::Status opened = folder->blobs().Open(name, &reader_);
    if (absl::IsNotFound(opened)) return BlobUnknown(message.blob());
    BVHMILL_RETURN_IF_ERROR(opened);
    if (message.offset() < 0 || message.offset() > reader_->size()) {
      return InvalidField("offset", "is not within the blob, which has " +
                                        std::to_string(reader_->size()) +
                                        " bytes");
    }
    if (message.limit() < 0) return InvalidField("limit", "is negative");
    at_ = message.offset();
    end_ = message.limit() == 0
               ? reader_->size()
               : std::min(reader_->size() - at_, message.limit()) + at_;
    return call_.ticket().Grow(2 * config().service.recommended_chunk_bytes);
  }

  absl::Status Next() {
    if (at_ == end_) {
      End(absl::OkStatus());
      return absl::OkStatus();
    }
    const int64_t size =
        std::min(end_ - at_, config().service.recommended_chunk_bytes);
    v1::ReadBlobResponse response;
    BVHMILL_RETURN_IF_ERROR(
        reader_->Read(at_, static_cast<size_t>(size), response.mutable_data()));
    // A blob never changes: a shorter one is damaged.
    if (response.data().empty()) return InternalFault();
    at_ += static_cast<int64_t>(response.data().size());
    call_.record().AddBytes(0, static_cast<int64_t>(response.data().size()));
    ToBytes(response, &sent_);
    call_.AwaitPeer();
    StartWrite(&sent_);
    return absl::OkStatus();
  }

  grpc::ByteBuffer request_;
  grpc::ByteBuffer sent_;
  std::unique_ptr<BlobReader> reader_;
  int64_t at_ = 0;
  int64_t end_ = 0;
};

// Begins a stream. The reactor deletes itself when the call is done.
template <typename Call>
RawReactor* StartStream(const JobCallParts& parts,
                        grpc::CallbackServerContext* call) {
  Call* stream = nullptr;
  const absl::Status status =
      CatchAsStatus(parts.call.record.log, "a stream of a blob", [&] {
        stream = new Call(parts, call);
        return absl::OkStatus();
      });
  if (stream == nullptr) return new RefusedCall(ToGrpc(status));
  stream->Start();
  return stream;
}

absl::Status FindMissing(const JobCallParts& parts, const UnaryWork& call,
                         const v1::FindMissingBlobsRequest& request,
                         v1::FindMissingBlobsResponse* response) {
  BVHMILL_RETURN_IF_ERROR(CheckCount(
      "blobs", static_cast<size_t>(request.blobs_size()), kMaxBlobNames));
  DataFolder* folder = nullptr;
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&folder));
  const std::string space = SpaceOf(call.record.caller()->name);
  std::vector<BlobName> names;
  for (int i = 0; i < request.blobs_size(); ++i) {
    BlobName& name = names.emplace_back();
    name.space = space;
    BVHMILL_RETURN_IF_ERROR(ReadBlobName("blobs[" + std::to_string(i) + "]",
                                         request.blobs(i), &name.digest));
  }
  std::vector<bool> exist;
  BVHMILL_RETURN_IF_ERROR(folder->FindBlobs(names, &exist));
  for (int i = 0; i < request.blobs_size(); ++i) {
    if (!exist[static_cast<size_t>(i)]) response->add_missing(request.blobs(i));
  }
  return absl::OkStatus();
}

absl::Status DeleteOneBlob(const JobCallParts& parts, const UnaryWork& call,
                           const v1::DeleteBlobRequest& request,
                           v1::DeleteBlobResponse* /*response*/) {
  DataFolder* folder = nullptr;
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&folder));
  BlobName name;
  name.space = SpaceOf(call.record.caller()->name);
  BVHMILL_RETURN_IF_ERROR(ReadBlobName("blob", request.blob(), &name.digest));
  return folder->DeleteBlob(name);
}

}  // namespace

BlobService::BlobService(const JobCallParts& parts) : parts_(parts) {
  Add("/bvhmill.v1.BlobService/FindMissingBlobs", [this](auto* call) {
    return ServeMessage(parts_, Method::kFindMissingBlobs, call, &FindMissing);
  });
  Add("/bvhmill.v1.BlobService/WriteBlob",
      [this](auto* call) { return StartStream<WriteBlobCall>(parts_, call); });
  Add("/bvhmill.v1.BlobService/ReadBlob",
      [this](auto* call) { return StartStream<ReadBlobCall>(parts_, call); });
  Add("/bvhmill.v1.BlobService/DeleteBlob", [this](auto* call) {
    return ServeMessage(parts_, Method::kDeleteBlob, call, &DeleteOneBlob);
  });
}

absl::Status ReadStoredSource(const JobCallParts& parts, const UnaryWork& call,
                              const std::string& blob, std::string* bytes) {
  const Caller& caller = *call.record.caller();
  if (!caller.May(Scope::kJobs)) {
    return ScopeMissing(caller.name, "ReadBlob", Scope::kJobs);
  }
  BlobName name{SpaceOf(caller.name), ""};
  BVHMILL_RETURN_IF_ERROR(ReadBlobName("source.blob", blob, &name.digest));
  DataFolder* folder = nullptr;
  BVHMILL_RETURN_IF_ERROR(parts.jobs.Open(&folder));
  std::unique_ptr<BlobReader> reader;
  const absl::Status opened = folder->blobs().Open(name, &reader);
  if (absl::IsNotFound(opened)) return BlobUnknown(blob);
  BVHMILL_RETURN_IF_ERROR(opened);
  const int64_t limit = parts.call.config.service.max_request_message_bytes;
  if (Exceeds(reader->size(), limit)) {
    return LimitExceeded("max_request_message_bytes", limit, reader->size());
  }
  BVHMILL_RETURN_IF_ERROR(call.ticket.Grow(reader->size()));
  BVHMILL_RETURN_IF_ERROR(
      reader->Read(0, static_cast<size_t>(reader->size()), bytes));
  return Sha256Of(*bytes) == name.digest ? absl::OkStatus() : SourceDamaged();
}

}  // namespace bvhmill::server
