#include "client/cli/io/extents.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace bvhmill::client {

static_assert(std::endian::native == std::endian::little,
              "tensors are read as they lie in memory");

absl::Status Extents::Begin(const ClipInfo& /*info*/,
                            std::span<const OutputInfo> /*outputs*/) {
  least_.fill(std::numeric_limits<float>::infinity());
  greatest_.fill(-std::numeric_limits<float>::infinity());
  partial_size_ = 0;
  axis_ = 0;
  return absl::OkStatus();
}

absl::Status Extents::Data(size_t /*output*/, std::string_view bytes) {
  if (partial_size_ > 0) {
    const size_t taken = std::min(bytes.size(), sizeof(float) - partial_size_);
    std::memcpy(partial_.data() + partial_size_, bytes.data(), taken);
    partial_size_ += taken;
    bytes.remove_prefix(taken);
    if (partial_size_ < sizeof(float)) return absl::OkStatus();
    Add(partial_.data());
  }
  for (; bytes.size() >= sizeof(float); bytes.remove_prefix(sizeof(float))) {
    Add(bytes.data());
  }
  std::memcpy(partial_.data(), bytes.data(), bytes.size());
  partial_size_ = bytes.size();
  return absl::OkStatus();
}

bool Extents::known() const {
  for (size_t i = 0; i < least_.size(); ++i) {
    if (least_[i] > greatest_[i]) return false;
  }
  return true;
}

void Extents::Add(const char* value) {
  float number = 0;
  std::memcpy(&number, value, sizeof(number));
  if (std::isfinite(number)) {
    least_[axis_] = std::min(least_[axis_], number);
    greatest_[axis_] = std::max(greatest_[axis_], number);
  }
  axis_ = axis_ == 2 ? 0 : axis_ + 1;
}

}  // namespace bvhmill::client
