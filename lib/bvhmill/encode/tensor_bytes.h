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

// The bytes of `values`, which must outlive them.
template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Sets `tensor` to the shape and axes of `array`, for the frames and the
// skeleton of `context`. Reuses its memory.
void DescribeTensor(const PoseArray& array, const EncodeContext& context,
                    TensorInfo* tensor);

}  // namespace bvhmill
