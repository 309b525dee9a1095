#pragma once

// Cuts an array that arrives in pieces into its frames.

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace bvhmill::client {

static_assert(std::endian::native == std::endian::little,
              "tensors are read as they lie in memory");

// Takes the bytes of a frame-major float32 array in pieces of any size.
class FrameCutter {
 public:
  // A frame has `floats` numbers.
  explicit FrameCutter(size_t floats = 0) : frame_(floats) {}

  // Calls take(frame) for each frame that is complete. The frame is borrowed.
  template <typename Take>
  void Add(std::string_view bytes, const Take& take) {
    const size_t frame_bytes = frame_.size() * sizeof(float);
    while (!bytes.empty() && frame_bytes > 0) {
      const size_t taken = std::min(bytes.size(), frame_bytes - filled_);
      std::memcpy(reinterpret_cast<char*>(frame_.data()) + filled_,
                  bytes.data(), taken);
      bytes.remove_prefix(taken);
      filled_ += taken;
      if (filled_ < frame_bytes) return;
      filled_ = 0;
      take(std::span<const float>(frame_));
    }
  }

 private:
  std::vector<float> frame_;
  // Bytes of the frame that have arrived.
  size_t filled_ = 0;
};

}  // namespace bvhmill::client
