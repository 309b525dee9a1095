#pragma once

// Arrays as the bytes of little-endian tensors. Private to encode/.

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/encode/output.h"

namespace bvhmill {

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they lie in memory");

template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Media type of a bare tensor.
inline constexpr std::string_view kTensorMediaType =
    "application/vnd.bvhmill.tensor";

inline int64_t TensorBytes(const TensorInfo& tensor) {
  int64_t bytes = sizeof(float);
  for (const int64_t size : tensor.shape) bytes *= size;
  return bytes;
}

// The shape (frames, joints, components...) in the order of `layout`.
TensorInfo MakeTensor(TensorLayout layout, int64_t frames, int64_t joints,
                      std::span<const int64_t> components,
                      std::span<const std::string_view> axes);

// Collects tiles of a frame-major array of `width` values a joint and gives
// them back joint-major. Keeps the whole array.
class Transposer {
 public:
  void Begin(int64_t frames, int64_t joints, int64_t width);
  void Add(int64_t first_frame, std::span<const float> tile);
  std::span<const float> values() const { return values_; }

 private:
  int64_t frames_ = 0;
  int64_t joints_ = 0;
  int64_t width_ = 0;
  std::vector<float> values_;
};

}  // namespace bvhmill
