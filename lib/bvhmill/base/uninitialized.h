#pragma once

// A vector whose resize() does not initialize new numbers, and whose first
// number begins a line of the cache. It suits buffers that are then written
// completely: setting them to zero first would touch every page one more time.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace bvhmill {

// Allocates `bytes` for a large buffer, in huge pages where the system supports
// them: the first touch of each page then takes a quarter of the time. Free it
// with FreeLarge. Throws std::bad_alloc, as operator new does.
void* AllocateLarge(size_t bytes);
void FreeLarge(void* memory);
// Asks the system to map the pages of such a buffer, or of a part of it, now
// instead of at the first write. Only a hint; changes no byte.
void Populate(void* memory, size_t bytes);
// The size of a huge page on x86-64 and most arm64 systems. On other systems it
// is only an alignment.
inline constexpr size_t kHugePageBytes = size_t{2} << 20;
// Buffers of at least this size count as large.
inline constexpr size_t kLargeBytes = size_t{8} << 20;
// The alignment of other buffers: a SIMD vector lies in one line of the cache.
inline constexpr std::align_val_t kVectorBytes{64};

template <typename T>
struct UninitializedAllocator {
  using value_type = T;

  UninitializedAllocator() = default;
  template <typename U>
  // NOLINTNEXTLINE(google-explicit-constructor): allocators convert.
  UninitializedAllocator(const UninitializedAllocator<U>& /*other*/) {}
  friend bool operator==(const UninitializedAllocator& /*a*/,
                         const UninitializedAllocator& /*b*/) {
    return true;
  }

  T* allocate(size_t count) {
    const bool is_small = count < kLargeBytes / sizeof(T);
    return static_cast<T*>(is_small
                               ? ::operator new(count * sizeof(T), kVectorBytes)
                               : AllocateLarge(count * sizeof(T)));
  }
  void deallocate(T* memory, size_t count) {
    if (count < kLargeBytes / sizeof(T)) {
      ::operator delete(memory, kVectorBytes);
    } else {
      FreeLarge(memory);
    }
  }

  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

template <typename T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace bvhmill
