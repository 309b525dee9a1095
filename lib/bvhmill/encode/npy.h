#pragma once

// The .npy format of NumPy (version 1.0, NEP 1): a header, then the bytes of a
// C-contiguous little-endian array.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bvhmill {

// The least size of a header. It fits any five sizes, so that all headers of
// such arrays have the same length: a header can be written before the sizes
// are known, and corrected later.
inline constexpr size_t kLeastNpyHeaderBytes = 192;

// The header of an array. `dtype` is in NumPy's spelling: "<f4", "<i4", "<f8",
// "<U12".
std::string NpyHeader(std::string_view dtype, std::span<const int64_t> shape);

}  // namespace bvhmill
