#pragma once

// Memory of large arrays, kept between calls. A program that reads one long
// take after another frees the arrays of a take before it reads the next one.
// Without this, the system maps and clears each page once for every take, which
// is a quarter of the time of a read.

#include <cstddef>

#include "bvhmill/base/uninitialized.h"

namespace bvhmill::python {

// At most two buffers of at most 64 MB are kept in a process. The system may
// take their pages back at any time, so they do not count as used when memory
// is short. There is no lock, so that a fork cannot find one held.

// Memory for `bytes`, which must be at least kLargeBytes: a kept buffer of
// about this size, or new memory. It is not initialized. Throws std::bad_alloc.
void* TakeLarge(size_t bytes);
// Keeps or frees memory of TakeLarge(bytes).
void GiveLarge(void* memory, size_t bytes);
// The bytes that are kept now, for tests.
size_t KeptBytes();

// As UninitializedAllocator, with kept memory for large buffers.
template <typename T>
struct KeptAllocator : UninitializedAllocator<T> {
  T* allocate(size_t count) {
    return IsLarge(count) ? static_cast<T*>(TakeLarge(count * sizeof(T)))
                          : UninitializedAllocator<T>::allocate(count);
  }
  void deallocate(T* memory, size_t count) {
    if (IsLarge(count)) return GiveLarge(memory, count * sizeof(T));
    UninitializedAllocator<T>::deallocate(memory, count);
  }

 private:
  static bool IsLarge(size_t count) { return count >= kLargeBytes / sizeof(T); }
};

// The bytes of an array, not initialized by resize().
using Bytes = UninitializedVector<char, KeptAllocator<char>>;

}  // namespace bvhmill::python
