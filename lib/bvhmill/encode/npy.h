#pragma once

// The .npy container of NumPy (format version 1.0, NEP 1): a header, then the
// bytes of a C-contiguous little-endian array.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bvhmill {

// Room for any five sizes: headers of such arrays are equally long, so that one
// can be written before the sizes are certain, and put right later.
inline constexpr size_t kLeastNpyHeaderBytes = 192;

// `dtype` in NumPy's spelling: "<f4", "<i4", "<f8", "<U12".
std::string NpyHeader(std::string_view dtype, std::span<const int64_t> shape);

}  // namespace bvhmill
