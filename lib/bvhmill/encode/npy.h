#pragma once

// The .npy container of NumPy (format version 1.0, NEP 1): a header, then the
// bytes of a C-contiguous little-endian array.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bvhmill {

// `dtype` in NumPy's spelling: "<f4", "<i4", "<f8", "<U12".
std::string NpyHeader(std::string_view dtype, std::span<const int64_t> shape);

}  // namespace bvhmill
