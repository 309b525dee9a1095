#pragma once

// Arrays as the bytes of little-endian tensors. Private to encode/.

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/sink.h"
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

// Writes an array that comes in tiles of frames: frame-major as they come,
// joint-major at the end, which keeps the whole array until then.
class TensorWriter {
 public:
  explicit TensorWriter(TensorLayout layout) : layout_(layout) {}

  // An array of `frames` x `joints` x `width` values.
  void Begin(int64_t frames, int64_t joints, int64_t width);
  // `tile` is frame-major and starts at `first_frame`.
  absl::Status Add(int64_t first_frame, std::span<const float> tile,
                   Sink* sink);
  absl::Status End(Sink* sink);

 private:
  void Transpose(int64_t first_frame, std::span<const float> tile);

  TensorLayout layout_;
  int64_t frames_ = 0;
  int64_t joints_ = 0;
  int64_t width_ = 0;
  std::vector<float> values_;
};

}  // namespace bvhmill
