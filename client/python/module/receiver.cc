#include "client/python/module/receiver.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bvhmill::python {
namespace {

// Bytes to reserve if the size is not known.
constexpr int64_t kFirstBytes = int64_t{64} << 10;
constexpr int64_t kUnknownText = int64_t{1} << 20;

int64_t ChannelsOf(const ClipInfo& info) {
  int64_t channels = 0;
  for (const JointInfo& joint : info.joints) {
    channels += static_cast<int64_t>(joint.channels.size());
  }
  return channels;
}

// Bytes to reserve for an output. A row of text has at least two bytes for each
// channel.
int64_t ReserveFor(const OutputInfo& output, int64_t frames, int64_t channels,
                   int64_t text_bytes) {
  if (!output.tensor) return std::clamp<int64_t>(output.size_bytes, 0, 1 << 24);
  const int64_t stated = TensorBytes(*output.tensor);
  if (channels == 0 || frames <= 0) return std::min(stated, kFirstBytes);
  const int64_t text = text_bytes < 0 ? kUnknownText : text_bytes;
  const int64_t most = text / (2 * channels) + 1;
  return stated / frames * std::min(frames, most);
}

}  // namespace

absl::Status BlockReceiver::Begin(const ClipInfo& info,
                                  std::span<const OutputInfo> outputs) {
  const int64_t channels = ChannelsOf(info);
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    data_[i].clear();
    data_[i].reserve(static_cast<size_t>(
        ReserveFor(outputs[i], info.frames, channels, text_bytes_)));
  }
  return absl::OkStatus();
}

absl::Status BlockReceiver::Data(size_t output, std::string_view bytes) {
  if (interrupts_ != nullptr && interrupts_->Check()) {
    return absl::CancelledError("interrupted");
  }
  if (bytes.empty()) return absl::OkStatus();
  Bytes& data = data_[output];
  const size_t size = data.size();
  if (size + bytes.size() > data.capacity()) {
    data.reserve(std::max(size + bytes.size(), 2 * data.capacity()));
  }
  data.resize(size + bytes.size());
  std::memcpy(data.data() + size, bytes.data(), bytes.size());
  return absl::OkStatus();
}

int64_t BlockReceiver::TotalBytes() const {
  size_t bytes = 0;
  for (const Bytes& data : data_) bytes += data.size();
  return static_cast<int64_t>(bytes);
}

std::shared_ptr<Block> BlockOf(const OutputInfo& info, Bytes bytes) {
  // Memory of small blocks is exact; that of large ones was never touched.
  if (bytes.capacity() > 2 * bytes.size() && bytes.capacity() < kLargeBytes) {
    bytes.shrink_to_fit();
  }
  if (info.tensor) {
    return std::make_shared<Block>(std::move(bytes), ElementType::kFloat32,
                                   info.tensor->shape);
  }
  const auto size = static_cast<int64_t>(bytes.size());
  return std::make_shared<Block>(std::move(bytes), ElementType::kByte,
                                 std::vector<int64_t>{size});
}

}  // namespace bvhmill::python
