#include "server/convert/incremental_conversion.h"

#include <utility>

#include "bvhmill/base/sink.h"
#include "server/convert/converters.h"
#include "server/convert/source.h"
#include "server/rpc/errors.h"

namespace bvhmill::server {
namespace {

// Text that one step reads.
constexpr size_t kSliceBytes = size_t{256} << 10;

// Bytes that are decoded at once, and the text that they give at most.
constexpr size_t kGzipSlice = 256;
constexpr int64_t kGzipText = int64_t{320} << 10;
constexpr size_t kZstdSlice = 128;
constexpr int64_t kZstdText = int64_t{4} << 20;

}  // namespace

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

IncrementalConversion::IncrementalConversion(const ConvertOptions& options,
                                             Encoding encoding,
                                             int64_t max_clip_bytes,
                                             MeteredReceiver* receiver,
                                             const CancelToken* cancel)
    : max_clip_bytes_(max_clip_bytes),
      receiver_(*receiver),
      lease_(Converters()),
      converter_(&*lease_, options, receiver, cancel, &result_) {
  if (encoding == Encoding::kIdentity) return;
  decoder_ = MakeDecoder(encoding, max_clip_bytes);
  decoder_slice_ = encoding == Encoding::kGzip ? kGzipSlice : kZstdSlice;
}

void IncrementalConversion::Give(std::string bytes) {
  given_ = std::move(bytes);
  Borrow(given_);
}

void IncrementalConversion::Borrow(std::string_view bytes) {
  rest_ = bytes;
  if (!is_wanted_) DropBytes();
}

size_t IncrementalConversion::Step() {
  const std::string_view text = NextText();
  is_wanted_ = converter_.Read(text) && is_wanted_;
  const size_t size = text.size();
  if (!is_wanted_) DropBytes();
  if (!has_work()) given_ = {};
  return size;
}

// The next slice of text; marks it as used.
std::string_view IncrementalConversion::NextText() {
  std::string_view slice;
  if (decoder_ == nullptr) {
    slice = rest_.substr(0, kSliceBytes);
    rest_.remove_prefix(slice.size());
    converter_.AddInput(static_cast<int64_t>(slice.size()));
  } else {
    if (text_at_ == text_.size()) Decode();
    slice = std::string_view(text_).substr(text_at_, kSliceBytes);
    text_at_ += slice.size();
  }
  return slice;
}

void IncrementalConversion::DropBytes() {
  rest_ = {};
  text_at_ = text_.size();
}

void IncrementalConversion::Decode() {
  text_.clear();
  text_at_ = 0;
  StringSink sink(&text_);
  const std::string_view slice = rest_.substr(0, decoder_slice_);
  rest_.remove_prefix(slice.size());
  converter_.AddInput(static_cast<int64_t>(slice.size()));
  if (!is_broken()) CheckDecoded(decoder_->Push(slice, &sink));
  if (is_broken()) text_.clear();
}

void IncrementalConversion::CheckDecoded(const absl::Status& status) {
  if (!status.ok()) decode_error_ = DecodeError(max_clip_bytes_, status);
}

ConvertResult& IncrementalConversion::Finish() {
  if (decoder_ != nullptr && !is_broken() && is_wanted_) {
    CheckDecoded(decoder_->End());
  }
  if (is_broken()) {
    result_ = {};
    result_.status = decode_error_;
  } else {
    converter_.Finish();
  }
  if (!receiver_.refused().ok()) result_.status = receiver_.refused();
  return result_;
}

}  // namespace bvhmill::server
