#include "server/jobs/item_work.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"
#include "server/convert/receivers.h"
#include "server/convert/source.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {
namespace {

// Bytes of the source that one turn reads, and bytes of one read.
constexpr size_t kTurnBytes = size_t{512} << 10;
constexpr size_t kPieceBytes = size_t{256} << 10;
// Bytes of an output that are buffered before they are written.
constexpr size_t kWriteBytes = size_t{64} << 10;
// An item is dead-lettered after the server has ended this often while it
// worked on the item. From kAloneCrashes on it runs alone.
constexpr int kMaxCrashes = 5;

// True if a later try may succeed: memory was refused for now, or a store does
// not answer.
bool IsBusy(const absl::Status& status) {
  return (absl::IsResourceExhausted(status) || absl::IsUnavailable(status)) &&
         !FindArg(CallErrorOf(status), "retry_after_ms").empty();
}

}  // namespace

// Writes outputs into new blobs, one blob for each output.
class BlobReceiver final : public MeteredReceiver {
 public:
  BlobReceiver(BlobStore* blobs, std::string space, Grant grant)
      : MeteredReceiver(std::move(grant)),
        blobs_(*blobs),
        space_(std::move(space)) {}

  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> outputs) override {
    BVHMILL_RETURN_IF_ERROR(
        Hold(static_cast<int64_t>(outputs.size() * kWriteBytes)));
    waiting_.resize(outputs.size());
    for (size_t i = 0; i < outputs.size() && fault_.ok(); ++i) {
      fault_ = blobs_.Create(space_, &made_.emplace_back());
    }
    return fault_;
  }

  absl::Status Data(size_t output, std::string_view bytes) override {
    std::string& waiting = waiting_[output];
    if (waiting.size() + bytes.size() < kWriteBytes) {
      waiting.append(bytes);
      return absl::OkStatus();
    }
    Write(output);
    if (fault_.ok()) fault_ = made_[output]->Append(bytes);
    return fault_;
  }

  // Writes what is buffered and finishes the blobs: they have digests then.
  absl::Status Finish() {
    for (size_t i = 0; i < made_.size() && fault_.ok(); ++i) {
      Write(i);
      made_[i]->Finish();
    }
    return fault_;
  }

  // The first error of a blob; OK if all were written.
  const absl::Status& fault() const { return fault_; }
  std::vector<std::unique_ptr<NewBlob>>& made() { return made_; }

 private:
  void Write(size_t output) {
    std::string& waiting = waiting_[output];
    if (waiting.empty() || !fault_.ok()) return;
    fault_ = made_[output]->Append(waiting);
    waiting.clear();
  }

  BlobStore& blobs_;
  const std::string space_;
  std::vector<std::unique_ptr<NewBlob>> made_;
  std::vector<std::string> waiting_;
  absl::Status fault_;
};

absl::Status SourceDamaged() {
  return MakeCallError({.code = absl::StatusCode::kDataLoss,
                        .reason = "SOURCE_DAMAGED",
                        .message = "the stored source has other bytes than "
                                   "were uploaded"});
}

ItemWork::ItemWork(const ServerConfig& config, BlobStore* blobs,
                   ClaimedItem item)
    : config_(config), blobs_(*blobs), item_(std::move(item)) {}

ItemWork::~ItemWork() = default;

void ItemWork::Fail(const absl::Status& fault, bool counts) {
  end_.fault = fault;
  end_.counts = counts;
}

// Fails with an error of Begin or Feed. A fault of a store that is not one of
// the blob may be repaired: the try does not count, and the runner pauses.
void ItemWork::FailToRead(const absl::Status& fault) {
  Fail(fault, is_store_at_fault_ ? blobs_.IsOfBlob(fault) : !IsBusy(fault));
}

bool ItemWork::Turn() {
  if (cancel_.IsCancelled()) {
    Fail(absl::CancelledError(""), /*counts=*/false);
    return true;
  }
  if (conversion_ == nullptr) {
    if (const absl::Status begun = Begin(); !begun.ok()) {
      FailToRead(begun);
      return true;
    }
  }
  for (size_t done = 0; done < kTurnBytes; done += kPieceBytes) {
    bool has_ended = false;
    if (const absl::Status fed = Feed(&has_ended); !fed.ok()) {
      FailToRead(fed);
      return true;
    }
    if (has_ended) {
      Finish();
      return true;
    }
  }
  return false;
}

// The error of an access to the source. A store that reports a blob as missing
// works; the blob is damaged.
absl::Status ItemWork::FromStore(const absl::Status& status) {
  if (absl::IsNotFound(status)) return SourceDamaged();
  is_store_at_fault_ = !status.ok();
  return status;
}

// Opens the source and makes the conversion. The options were checked when the
// job was made.
absl::Status ItemWork::Begin() {
  v1::ConvertOptions message;
  if (!message.ParseFromString(*item_.options)) return InternalFault();
  BVHMILL_RETURN_IF_ERROR(ReadClipOptions(config_.limits, message, &options_));
  Encoding encoding = Encoding::kIdentity;
  BVHMILL_RETURN_IF_ERROR(ReadEncoding(
      static_cast<v1::ContentEncoding>(item_.item.encoding), &encoding));
  BVHMILL_RETURN_IF_ERROR(
      ReadFormat(static_cast<v1::SourceFormat>(item_.item.format),
                 &options_.source_format));
  const std::string space = SpaceOf(item_.caller);
  BVHMILL_RETURN_IF_ERROR(
      FromStore(blobs_.Open({space, item_.item.blob}, &reader_)));
  BVHMILL_RETURN_IF_ERROR(
      ticket_.Grow(DecoderBytes(encoding) + int64_t{kPieceBytes}));
  receiver_ = std::make_unique<BlobReceiver>(
      &blobs_, space, [this](int64_t bytes) { return ticket_.Grow(bytes); });
  conversion_ = std::make_unique<SourceConversion>(
      options_, encoding, config_.limits.max_clip_bytes, receiver_.get(),
      &cancel_);
  return absl::OkStatus();
}

// Passes the next piece of the source to the conversion. At the end of the
// source, checks its digest and sets `has_ended`.
absl::Status ItemWork::Feed(bool* has_ended) {
  std::string piece;
  BVHMILL_RETURN_IF_ERROR(FromStore(reader_->Read(read_, kPieceBytes, &piece)));
  if (piece.empty()) {
    if (digest_.Finish() != item_.item.blob) return SourceDamaged();
    *has_ended = true;
    return absl::OkStatus();
  }
  read_ += static_cast<int64_t>(piece.size());
  digest_.Add(piece);
  conversion_->Add(piece);
  return absl::OkStatus();
}

// Adds the blobs of the outputs that were made to the result and to `end_`.
void ItemWork::KeepOutputs(const ConvertResult& made, v1::ClipResult* message,
                           ItemResult* result) {
  std::vector<std::unique_ptr<NewBlob>>& blobs = receiver_->made();
  for (size_t i = 0; i < blobs.size(); ++i) {
    if (!made.outputs[i].status.ok()) continue;
    v1::Output* const output = message->mutable_outputs(static_cast<int>(i));
    output->set_blob("blobs/" + blobs[i]->name().digest);
    output->set_size_bytes(blobs[i]->size());
    result->outputs.push_back(blobs[i]->name().digest);
    end_.outputs.push_back(std::move(blobs[i]));
  }
}

// Ends the conversion and sets `end_`.
void ItemWork::Finish() {
  ConvertResult& made = conversion_->Finish();
  if (made.status.ok()) made.status = receiver_->Finish();
  // The disk is at fault, not the item.
  if (!receiver_->fault().ok()) return Fail(receiver_->fault(), false);
  if (absl::IsCancelled(made.status)) return Fail(made.status, false);
  if (IsBusy(receiver_->refused())) return Fail(receiver_->refused(), false);
  if (absl::IsInternal(made.status)) return Fail(made.status, true);
  v1::ClipResult message;
  wire::ToProto(made, &message);
  message.set_key(item_.item.key);
  message.set_display_name(item_.item.display_name);
  ItemResult& result = end_.result.emplace();
  result.code = static_cast<int>(made.status.code());
  if (made.status.ok()) KeepOutputs(made, &message, &result);
  message.SerializeToString(&result.bytes);
  end_.converted = std::make_unique<ConvertResult>(std::move(made));
  // Frees the memory now: the item may wait for the disk before it is stored.
  conversion_ = nullptr;
  ticket_.Release();
}

bool IsUsedUp(const ClaimedItem& item, int64_t max_tries, std::string* why) {
  if (item.crashes >= kMaxCrashes) {
    *why = "the server ended " + std::to_string(item.crashes) +
           " times while it worked on the item";
    return true;
  }
  if (max_tries == 0 || item.tries < max_tries) return false;
  *why = std::to_string(item.tries) +
         (item.tries == 1 ? " try has failed: "
                          : " tries have failed; the last one: ") +
         item.why;
  return true;
}

void SetAside(const ClaimedItem& item, const std::string& why, ItemEnd* end) {
  end->fault =
      MakeCallError({.code = absl::StatusCode::kInternal,
                     .reason = "ITEM_SET_ASIDE",
                     .args = {{"tries", std::to_string(item.tries)},
                              {"crashes", std::to_string(item.crashes)}},
                     .message = "the server has given the item up: " + why});
  ItemResult& result = end->result.emplace();
  result.is_set_aside = true;
  v1::ClipResult message;
  message.set_key(item.item.key);
  message.set_display_name(item.item.display_name);
  *message.mutable_status() = wire::ToProto(end->fault);
  result.code = static_cast<int>(end->fault.code());
  message.SerializeToString(&result.bytes);
}

}  // namespace bvhmill::server
