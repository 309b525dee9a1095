#include "server/convert/source_conversion.h"

#include <utility>

#include "server/convert/converters.h"
#include "server/convert/source.h"

namespace bvhmill::server {

SourceConversion::SourceConversion(const ConvertOptions& options,
                                   Encoding encoding, int64_t max_clip_bytes,
                                   MeteredReceiver* receiver,
                                   const CancelToken* cancel)
    : max_clip_bytes_(max_clip_bytes),
      receiver_(*receiver),
      lease_(Converters()),
      conversion_(&*lease_, options, receiver, cancel, &result_) {
  if (encoding == Encoding::kIdentity) return;
  decoder_ = MakeDecoder(encoding, max_clip_bytes);
}

void SourceConversion::Add(std::string_view bytes) {
  if (!is_wanted_) return;
  if (decoder_ == nullptr) {
    is_wanted_ = conversion_.Add(bytes);
  } else {
    came_ += static_cast<int64_t>(bytes.size());
    CheckDecoded(decoder_->Push(bytes, this));
  }
}

absl::Status SourceConversion::Append(std::string_view text) {
  is_wanted_ = conversion_.Add(text, std::exchange(came_, 0));
  return is_wanted_ ? absl::OkStatus() : absl::CancelledError("");
}

void SourceConversion::CheckDecoded(const absl::Status& status) {
  if (status.ok() || !is_wanted_) return;
  decode_error_ = DecodeError(max_clip_bytes_, status);
  is_wanted_ = false;
}

ConvertResult& SourceConversion::Finish() {
  if (decoder_ != nullptr && is_wanted_) CheckDecoded(decoder_->End());
  if (decode_error_.ok()) {
    conversion_.Finish();
  } else {
    result_ = {};
    result_.status = decode_error_;
  }
  if (!receiver_.refused().ok()) result_.status = receiver_.refused();
  return result_;
}

}  // namespace bvhmill::server
