#pragma once

#include <chrono>
#include <cstdint>

namespace bvhmill::server {

// Milliseconds since 1970.
inline int64_t WallClockMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace bvhmill::server
