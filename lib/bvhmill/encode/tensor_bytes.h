#pragma once

// Arrays as bytes. Private to encode/.

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/encode/encoder.h"
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

// Sets shape and axes of `array` with the frames and the skeleton of `context`.
// The memory of `tensor` is used again.
void DescribeTensor(const PoseArray& array, const EncodeContext& context,
                    TensorInfo* tensor);

}  // namespace bvhmill
