#pragma once

// Arrays as bytes: C-contiguous and little-endian, with the header of NumPy's
// .npy format (version 1.0, NEP 1) or without one.
//
//   sink->Append(NpyHeader("<f4", shape));
//   sink->Append(BytesOf(std::span<const float>(positions)));

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/encode/output.h"
#include "bvhmill/encode/poses.h"

namespace bvhmill {

// The least size of a header. It has room for any five sizes, so the headers of
// all such arrays have the same length: a header can be written before the
// sizes are known, and corrected later.
inline constexpr size_t kLeastNpyHeaderBytes = 192;

// The header of an array. `dtype` is in NumPy's spelling: "<f4", "<i4", "<f8",
// "<U12".
std::string NpyHeader(std::string_view dtype, std::span<const int64_t> shape);

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
