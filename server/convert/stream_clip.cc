#include "server/convert/stream_clip.h"

#include <algorithm>
#include <utility>

#include "bvhmill/base/sink.h"
#include "bvhmill/base/status.h"
#include "bvhmill/wire/result.h"
#include "server/codec/response_bytes.h"
#include "server/convert/converters.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

// Text that is read in one step, and what a step without any counts as.
constexpr size_t kSliceBytes = size_t{256} << 10;

// Memory for frames is asked for so much at a time.
constexpr int64_t kFrameStep = int64_t{64} << 10;

// Bytes that are decoded at once, and what they give at most.
constexpr size_t kGzipSlice = 256;
constexpr int64_t kGzipText = int64_t{320} << 10;
constexpr size_t kZstdSlice = 128;
constexpr int64_t kZstdText = int64_t{4} << 20;

// Of what ToBytes takes.
template <typename... Parts>
ResponseFrame FrameOf(Parts&&... parts) {
  ResponseFrame frame{std::make_unique<grpc::ByteBuffer>()};
  ToBytes(std::forward<Parts>(parts)..., frame.message.get());
  frame.bytes = static_cast<int64_t>(frame.message->Length());
  return frame;
}

}  // namespace

absl::Status FrameReceiver::Hold(int64_t bytes) {
  if (bytes < 0) {
    static_cast<void>(peer_.hold(bytes));
    return absl::OkStatus();
  }
  // The first refusal is the result.
  if (refused_.ok()) refused_ = peer_.hold(bytes);
  if (refused_.ok()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kResourceExhausted, "no room");
}

absl::Status FrameReceiver::Begin(const ClipInfo& info,
                                  std::span<const OutputInfo> outputs) {
  pending_.resize(outputs.size());
  sent_.resize(outputs.size());
  peer_.emit(FrameOf(key_, info, outputs));
  return absl::OkStatus();
}

// Draws memory for frames with `bytes` more.
absl::Status FrameReceiver::HoldFrames(int64_t bytes) {
  if (bytes > held_) {
    const int64_t more = std::max(bytes - held_, kFrameStep);
    BVHMILL_RETURN_IF_ERROR(Hold(more));
    held_ += more;
  }
  held_ -= bytes;
  return absl::OkStatus();
}

absl::Status FrameReceiver::Data(size_t output, std::string_view bytes) {
  BVHMILL_RETURN_IF_ERROR(HoldFrames(static_cast<int64_t>(bytes.size())));
  std::string& pending = pending_[output];
  while (!bytes.empty()) {
    // Where one chunk was full, the next is likely to be.
    if (pending.empty() && sent_[output] > 0) pending.reserve(chunk_bytes_);
    const size_t take = std::min(bytes.size(), chunk_bytes_ - pending.size());
    pending.append(bytes.substr(0, take));
    bytes.remove_prefix(take);
    if (pending.size() == chunk_bytes_) FlushOutput(output);
  }
  return absl::OkStatus();
}

bool FrameReceiver::has_pending() const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [](const std::string& bytes) { return !bytes.empty(); });
}

void FrameReceiver::Flush() {
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (!pending_[i].empty()) FlushOutput(i);
  }
}

void FrameReceiver::FlushOutput(size_t output) {
  std::string data = std::exchange(pending_[output], {});
  // Room for more than there is would be memory that nobody counts.
  if (data.capacity() > 2 * data.size()) data.shrink_to_fit();
  const auto size = static_cast<int64_t>(data.size());
  v1::OutputChunk chunk;
  chunk.set_key(key_);
  chunk.set_output(static_cast<int32_t>(output));
  chunk.set_offset(sent_[output]);
  sent_[output] += size;
  ResponseFrame frame = FrameOf(chunk, std::move(data));
  frame.data_bytes = size;
  peer_.emit(std::move(frame));
}

int64_t DecodingBytes(Encoding encoding) {
  switch (encoding) {
    case Encoding::kGzip:
      return DecoderBytes(encoding) + kGzipText;
    case Encoding::kZstd:
      return DecoderBytes(encoding) + kZstdText;
    case Encoding::kIdentity:
      break;
  }
  return 0;
}

StreamConversion::StreamConversion(const StreamClip& clip,
                                   const ServerConfig& config,
                                   const CancelToken* cancel,
                                   FrameReceiver::Peer peer)
    : config_(config),
      receiver_(clip.key, config.service.chunk_bytes, std::move(peer)),
      lease_(Converters()),
      converter_(&*lease_, *clip.options, &receiver_, cancel, &result_) {
  if (clip.encoding == Encoding::kIdentity) return;
  decoder_ = MakeDecoder(clip.encoding, config.limits.max_clip_bytes);
  decoder_slice_ = clip.encoding == Encoding::kGzip ? kGzipSlice : kZstdSlice;
}

void StreamConversion::Give(std::string bytes) {
  bytes_ = std::move(bytes);
  at_ = 0;
  if (!is_wanted_) DropBytes();
}

size_t StreamConversion::Step() {
  if (!broken_ && converter_.has_work()) {
    converter_.Work();
    return kSliceBytes;
  }
  if (decoder_ != nullptr && text_at_ == text_.size()) Decode();
  std::string& bytes = decoder_ == nullptr ? bytes_ : text_;
  size_t& at = decoder_ == nullptr ? at_ : text_at_;
  const std::string_view slice =
      std::string_view(bytes).substr(at, kSliceBytes);
  at += slice.size();
  if (decoder_ == nullptr) {
    converter_.AddInput(static_cast<int64_t>(slice.size()));
  }
  // Of a clip that is refused nothing more is read, nor decoded.
  is_wanted_ = converter_.Read(slice) && is_wanted_;
  if (!is_wanted_) DropBytes();
  if (!has_bytes()) bytes_ = {};
  return slice.size();
}

void StreamConversion::DropBytes() {
  at_ = bytes_.size();
  text_at_ = text_.size();
}

void StreamConversion::Flush() {
  converter_.Flush();
  if (!converter_.has_work()) receiver_.Flush();
}

void StreamConversion::End() {
  has_ended_ = true;
  if (decoder_ != nullptr && !broken_ && is_wanted_) {
    CheckDecoded(decoder_->End());
  }
  if (!broken_) converter_.End();
}

// Makes more text of a little more of the bytes.
void StreamConversion::Decode() {
  text_.clear();
  text_at_ = 0;
  StringSink sink(&text_);
  const std::string_view slice =
      std::string_view(bytes_).substr(at_, decoder_slice_);
  at_ += slice.size();
  converter_.AddInput(static_cast<int64_t>(slice.size()));
  if (!broken_) CheckDecoded(decoder_->Push(slice, &sink));
  if (broken_) text_.clear();
}

void StreamConversion::CheckDecoded(const absl::Status& status) {
  if (!status.ok()) broken_ = DecodeFault(config_, status);
}

ConvertResult& StreamConversion::Finish() {
  if (broken_) {
    result_ = {};
    result_.status = FromGrpc(*broken_, &result_.fault);
  } else {
    converter_.Finish();
  }
  if (!receiver_.refused().ok()) {
    result_.status = FromGrpc(receiver_.refused(), &result_.fault);
  }
  if (result_.status.ok()) receiver_.Flush();
  return result_;
}

ResponseFrame ResultFrame(const StreamClip& clip, const ConvertResult& result) {
  if (!clip.refused) return FrameOf(clip.key, result);
  // Nothing was read, so there is nothing to report.
  v1::ConvertClipsResponse response;
  wire::ToProto(result, response.mutable_result());
  response.mutable_result()->set_key(clip.key);
  response.mutable_result()->clear_report();
  response.mutable_result()->clear_info();
  return FrameOf(response);
}

}  // namespace bvhmill::server
