#include "bvhmill/base/uninitialized.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

namespace bvhmill {

void* AllocateLarge(size_t bytes) {
  void* memory = ::operator new (bytes, std::align_val_t{kHugePageBytes});
// Only a hint to the system: access is faster in huge pages.
#if defined(MADV_HUGEPAGE)
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
  return memory;
}

void Populate(void* memory, size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  constexpr uintptr_t kPage = 4096;
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) / kPage;
  const auto end = (reinterpret_cast<uintptr_t>(memory) + bytes) / kPage;
  if (begin >= end) return;
  static_cast<void>(madvise(reinterpret_cast<void*>(begin * kPage),
                            (end - begin) * kPage, MADV_POPULATE_WRITE));
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

void MoveLarge(void* from, size_t bytes, void* to) {
  constexpr size_t kPart = 4 * kHugePageBytes;
  for (size_t at = 0; at < bytes; at += kPart) {
    const size_t size = std::min(kPart, bytes - at);
    char* const part = static_cast<char*>(from) + at;
    std::memcpy(static_cast<char*>(to) + at, part, size);
#if defined(__linux__)
    // Only whole pages of the buffer, which begins at one.
    static_cast<void>(
        madvise(part, size / kHugePageBytes * kHugePageBytes, MADV_DONTNEED));
#endif
  }
}

void FreeLarge(void* memory) {
  ::operator delete (memory, std::align_val_t{kHugePageBytes});
}

}  // namespace bvhmill
