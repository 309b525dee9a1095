#pragma once

// The mutex of the library. Without threads, which BVHMILL_THREADS=OFF states,
// nothing is locked.

#include <mutex>

namespace bvhmill {

#if defined(BVHMILL_NO_THREADS)
class Mutex {
 public:
  void lock() {}
  void unlock() {}
};
#else
using Mutex = std::mutex;
#endif

}  // namespace bvhmill
