#pragma once

// Compressed texts for tests.

#include <zstd.h>

#include <string>

#include "bench/support/gzip.h"

namespace bvhmill::testing {

using bench::Gzip;

inline std::string Zstd(const std::string& text, int level = 3) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(
      ZSTD_compress(out.data(), out.size(), text.data(), text.size(), level));
  return out;
}

}  // namespace bvhmill::testing
