#include "client/python/module/stream.h"

#include <utility>

#include "client/cli/io/packed_name.h"

namespace bvhmill::python {

Stream::Stream(const Choices& choices, const std::string& path)
    : choices_(choices),
      receiver_(&interrupts_),
      converter_(Parallelism::None()),
      clip_(std::make_unique<bvhmill::Conversion>(
          &converter_, choices_.options, &receiver_, interrupts_.token(),
          &converted_.result)) {
  const Encoding encoding = client::EncodingOfName(path);
  if (encoding == Encoding::kIdentity) return;
  decoder_ = MakeDecoder(encoding, choices_.options.limits.max_clip_bytes);
}

absl::Status Stream::Text::Append(std::string_view bytes) {
  return stream_.clip_->Add(bytes) ? absl::OkStatus()
                                   : absl::CancelledError("enough");
}

bool Stream::Push(std::string_view piece) {
  if (decoder_ == nullptr) return clip_->Add(piece);
  Text text(this);
  if (decoded_.ok()) decoded_ = decoder_->Push(piece, &text);
  return decoded_.ok();
}

Converted Stream::Finish() {
  if (decoder_ != nullptr && decoded_.ok()) decoded_ = decoder_->End();
  clip_->Finish();
  clip_.reset();
  converter_.FreeMemory();
  converted_.data = std::move(receiver_.data());
  if (!decoded_.ok() && !absl::IsCancelled(decoded_)) {
    // The end of the text is that of the decoder.
    ConvertResult& result = converted_.result;
    result.status =
        ErrorOfPacking(decoded_, choices_.options.limits.max_clip_bytes);
    result.report = {};
    result.skeleton.reset();
    result.outputs.clear();
  }
  return std::move(converted_);
}

}  // namespace bvhmill::python
