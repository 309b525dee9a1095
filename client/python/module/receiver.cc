#include "client/python/module/receiver.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bvhmill::python {
namespace {

// Bytes to reserve for an output whose size is not known.
constexpr int64_t kFirstBytes = int64_t{64} << 10;

}  // namespace

absl::Status BlockReceiver::Begin(const ClipInfo& /*info*/,
                                  std::span<const OutputInfo> outputs) {
  data_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int64_t bytes =
        outputs[i].tensor ? TensorBytes(*outputs[i].tensor) : kFirstBytes;
    data_[i].clear();
    data_[i].reserve(static_cast<size_t>(bytes));
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
