#include "bvhmill/base/uninitialized.h"

#include <sys/mman.h>

#include <new>

namespace bvhmill {
namespace {

// Of x86-64 and most arm64 systems; elsewhere it is only an alignment.
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

void* AllocateLarge(size_t bytes) {
  void* memory = ::operator new (bytes, std::align_val_t{kHugePage});
  // A wish: where it is not granted, nothing is lost.
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
  return memory;
}

void FreeLarge(void* memory) {
  ::operator delete (memory, std::align_val_t{kHugePage});
}

}  // namespace bvhmill
