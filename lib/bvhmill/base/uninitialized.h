#pragma once

// A vector whose resize() leaves new numbers unset: for buffers that are about
// to be written whole, where zeroing would touch every page once for nothing.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace bvhmill {

// Memory of `bytes` for a large buffer, in huge pages where the system gives
// them: the first touch of each page then costs a quarter. Throws
// std::bad_alloc, as operator new does.
void* AllocateLarge(size_t bytes);
void FreeLarge(void* memory);
// Lets the system give the pages of such a buffer, or of a part of it, now, and
// not when they are first written to. Changes no byte. A wish: may do nothing.
void Populate(void* memory, size_t bytes);
// Of x86-64 and most arm64 systems; elsewhere it is only an alignment.
inline constexpr size_t kHugePageBytes = size_t{2} << 20;
// Buffers from this size on are large.
inline constexpr size_t kLargeBytes = size_t{8} << 20;

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
    if (count < kLargeBytes / sizeof(T)) {
      return std::allocator<T>().allocate(count);
    }
    return static_cast<T*>(AllocateLarge(count * sizeof(T)));
  }
  void deallocate(T* memory, size_t count) {
    if (count < kLargeBytes / sizeof(T)) {
      std::allocator<T>().deallocate(memory, count);
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
