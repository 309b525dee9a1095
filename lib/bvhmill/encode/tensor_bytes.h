#pragma once

// Arrays as bytes. Private to encode/.

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "bvhmill/encode/output.h"
#include "bvhmill/encode/poses.h"

namespace bvhmill {

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they lie in memory");

// The bytes of `values`, which must outlive them.
template <typename T>
std::string_view BytesOf(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

// Sets `tensor` to the shape and axes of `array` for `frames` frames of a
// skeleton. Reuses its memory.
void DescribeTensor(const PoseArray& array, const Skeleton& skeleton,
                    int64_t frames, TensorInfo* tensor);

}  // namespace bvhmill
