#include "client/python/module/stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "client/cli/io/packed_name.h"
#include "client/python/module/conversion.h"

namespace bvhmill::python {

absl::Status Stream::Receiver::Begin(const ClipInfo& /*info*/,
                                     std::span<const OutputInfo> infos) {
  outputs.resize(infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    outputs[i].shape = infos[i].tensor->shape;
    outputs[i].frame_bytes = sizeof(float);
    for (size_t axis = 1; axis < outputs[i].shape.size(); ++axis) {
      outputs[i].frame_bytes *= static_cast<size_t>(outputs[i].shape[axis]);
    }
  }
  return absl::OkStatus();
}

absl::Status Stream::Receiver::Data(size_t output, std::string_view bytes) {
  Output& out = outputs[output];
  if (out.begin > 0 && out.begin * 2 >= out.bytes.size()) {
    out.bytes.erase(out.bytes.begin(),
                    out.bytes.begin() + static_cast<ptrdiff_t>(out.begin));
    out.begin = 0;
  }
  const size_t size = out.bytes.size();
  if (size + bytes.size() > out.bytes.capacity()) {
    out.bytes.reserve(std::max(size + bytes.size(), 2 * size));
  }
  out.bytes.resize(size + bytes.size());
  if (!bytes.empty()) {
    std::memcpy(out.bytes.data() + size, bytes.data(), bytes.size());
  }
  return absl::OkStatus();
}

Stream::Stream(const Choices& choices, const std::string& path)
    : choices_(choices),
      converter_(Parallelism::None()),
      clip_(std::make_unique<ClipConverter>(&converter_, choices_.options,
                                            &receiver_, interrupts_.token(),
                                            &result_)) {
  const Encoding encoding = client::EncodingOfName(path);
  if (encoding == Encoding::kIdentity) return;
  decoder_ = MakeDecoder(encoding, choices_.options.limits.max_clip_bytes);
}

absl::Status Stream::Text::Append(std::string_view bytes) {
  return stream_.clip_->Push(bytes) ? absl::OkStatus()
                                    : absl::CancelledError("enough");
}

bool Stream::Push(std::string_view piece) {
  if (decoder_ == nullptr) return clip_->Push(piece);
  Text text(this);
  if (decoded_.ok()) decoded_ = decoder_->Push(piece, &text);
  return decoded_.ok();
}

void Stream::Finish() {
  if (decoder_ != nullptr && decoded_.ok()) decoded_ = decoder_->End();
  clip_->Finish();
  clip_.reset();
  if (decoded_.ok() || absl::IsCancelled(decoded_)) return;
  // The end of the text is that of the decoder.
  result_.status =
      ErrorOfPacking(decoded_, choices_.options.limits.max_clip_bytes);
  result_.report = {};
}

int64_t Stream::Waiting() const {
  int64_t least = receiver_.outputs.empty() ? 0 : INT64_MAX;
  for (const Receiver::Output& output : receiver_.outputs) {
    if (output.frame_bytes == 0) continue;
    const size_t waiting = output.bytes.size() - output.begin;
    least = std::min(least, static_cast<int64_t>(waiting / output.frame_bytes));
  }
  return least == INT64_MAX ? 0 : least;
}

std::vector<std::shared_ptr<Block>> Stream::Take(int64_t frames) {
  std::vector<std::shared_ptr<Block>> blocks;
  for (Receiver::Output& output : receiver_.outputs) {
    const size_t size = static_cast<size_t>(frames) * output.frame_bytes;
    Bytes bytes(size);
    if (size > 0) {
      std::memcpy(bytes.data(), output.bytes.data() + output.begin, size);
    }
    output.begin += size;
    std::vector<int64_t> shape = output.shape;
    shape[0] = frames;
    blocks.push_back(std::make_shared<Block>(
        std::move(bytes), ElementType::kFloat32, std::move(shape)));
  }
  taken_ += frames;
  return blocks;
}

}  // namespace bvhmill::python
