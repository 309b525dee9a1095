#include "tests/allocations/allocator.h"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max() / 2;

std::atomic<int64_t> g_allocations{0};
std::atomic<int64_t> g_bytes{0};
std::atomic<int64_t> g_left{kNoEnd};

bool HasMemory(size_t size) {
  ++g_allocations;
  g_bytes += static_cast<int64_t>(size);
  return g_left-- > 0;
}

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* Allocate(size_t size) {
  return OrThrow(HasMemory(size) ? std::malloc(size + (size == 0)) : nullptr);
}

void* AllocateAligned(size_t size, std::align_val_t align) {
  const auto step = static_cast<size_t>(align);
  const size_t steps = (size + step - 1) / step * step;
  return OrThrow(HasMemory(size) ? std::aligned_alloc(step, steps) : nullptr);
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void* operator new(size_t size, std::align_val_t align) {
  return AllocateAligned(size, align);
}
void* operator new[](size_t size, std::align_val_t align) {
  return AllocateAligned(size, align);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace bvhmill::testing {

int64_t Allocations() { return g_allocations; }
int64_t AllocatedBytes() { return g_bytes; }

MemoryFor::MemoryFor(int64_t count) { g_left = count; }
MemoryFor::~MemoryFor() { g_left = kNoEnd; }

}  // namespace bvhmill::testing
