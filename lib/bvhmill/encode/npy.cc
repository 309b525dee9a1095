#include "bvhmill/encode/npy.h"

namespace bvhmill {

std::string NpyHeader(std::string_view dtype, std::span<const int64_t> shape) {
  std::string dict = "{'descr': '" + std::string(dtype) +
                     "', 'fortran_order': False, 'shape': (";
  for (const int64_t size : shape) dict += std::to_string(size) + ", ";
  // The tuple of a single size keeps its comma; longer tuples drop the last
  // one.
  if (shape.size() > 1) dict.resize(dict.size() - 2);
  if (shape.size() == 1) dict.pop_back();
  dict += "), }";
  // NEP 1: magic, version and length take 10 bytes. The size of the whole
  // header is a multiple of 64, and its last byte is a line end.
  constexpr size_t kPrefix = 10;
  constexpr size_t kAlignment = 64;
  size_t unpadded = kPrefix + dict.size() + 1;
  if (unpadded < kLeastNpyHeaderBytes) {
    dict.append(kLeastNpyHeaderBytes - unpadded, ' ');
    unpadded = kLeastNpyHeaderBytes;
  }
  dict.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dict += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dict.size() & 0xFF);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace bvhmill
