#include "tests/fuzz/support/counted_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> g_live{0};
std::atomic<int64_t> g_peak{0};

void* Count(void* memory) {
  if (memory == nullptr) return nullptr;
  const auto bytes = static_cast<int64_t>(malloc_usable_size(memory));
  const int64_t live = g_live.fetch_add(bytes) + bytes;
  int64_t peak = g_peak;
  while (live > peak && !g_peak.compare_exchange_weak(peak, live)) {
  }
  return memory;
}

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* Allocate(size_t size) { return Count(std::malloc(size + (size == 0))); }

void* AllocateAligned(size_t size, std::align_val_t align) {
  const auto step = static_cast<size_t>(align);
  return Count(std::aligned_alloc(step, (size + step - 1) / step * step));
}

void Free(void* memory) {
  if (memory == nullptr) return;
  g_live -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// All of them, since memory of one that is not here may not be freed here.
void* operator new(size_t size) { return OrThrow(Allocate(size)); }
void* operator new[](size_t size) { return OrThrow(Allocate(size)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size);
}
void* operator new(size_t size, std::align_val_t align) {
  return OrThrow(AllocateAligned(size, align));
}
void* operator new[](size_t size, std::align_val_t align) {
  return OrThrow(AllocateAligned(size, align));
}
void* operator new(size_t size, std::align_val_t align,
                   const std::nothrow_t&) noexcept {
  return AllocateAligned(size, align);
}
void* operator new[](size_t size, std::align_val_t align,
                     const std::nothrow_t&) noexcept {
  return AllocateAligned(size, align);
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  Free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  Free(memory);
}
void operator delete(void* memory, size_t) noexcept { Free(memory); }
void operator delete[](void* memory, size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept {
  Free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  Free(memory);
}
void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  Free(memory);
}

namespace bvhmill::fuzz {

int64_t LiveBytes() { return g_live; }
int64_t PeakBytes() { return g_peak; }
void ResetPeak() { g_peak = g_live.load(); }

}  // namespace bvhmill::fuzz
