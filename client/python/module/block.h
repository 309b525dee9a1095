#pragma once

// Arrays that C++ shares with Python: Block, and the memory of large arrays,
// which is kept between calls.
//
// A program that reads one long take after another frees the arrays of a take
// before it reads the next one. Without kept memory, the system maps and clears
// each page once for every take, which is a quarter of the time of a read.

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "bvhmill/base/uninitialized.h"

namespace bvhmill::python {

namespace py = pybind11;

// Kept memory: at most two buffers of at most 64 MB in a process. The system
// may reclaim their pages at any time, so they do not count as used when memory
// is short. No lock is used, so that a fork cannot leave one held.

// Returns memory for `bytes`, which must be at least kLargeBytes: a kept buffer
// of about this size, or new memory. It is not initialized. Throws
// std::bad_alloc.
void* TakeLarge(size_t bytes);
// Keeps or frees memory of TakeLarge(bytes).
void GiveLarge(void* memory, size_t bytes);
// The bytes that are kept now, for tests.
size_t KeptBytes();

// An UninitializedAllocator that reuses the memory of large buffers.
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

// The types of elements, as the letters of the module struct.
enum class ElementType : char {
  kByte = 'B',
  kInt32 = 'i',
  kInt64 = 'q',
  kFloat32 = 'f',
};

// The size of an element in bytes.
size_t SizeOf(ElementType type);

// True if a buffer has its elements in one piece, in the order of C.
bool IsContiguous(const py::buffer_info& info);

// A C-contiguous array that Python reads. It exports the buffer protocol, so
// that NumPy and others use it without a copy and keep it alive, and the module
// needs no header of NumPy. It owns its memory, or holds the buffer of another
// Python object; in that case its destructor needs the GIL.
class Block {
 public:
  // `bytes` must hold the elements of `shape`.
  Block(Bytes bytes, ElementType type, std::vector<int64_t> shape);
  // The buffer of `source`, which must be C-contiguous and have the size of
  // `shape`: throws std::invalid_argument otherwise. Read-only.
  Block(const py::buffer& source, ElementType type, std::vector<int64_t> shape);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // After this call, Python cannot change the array.
  void MakeReadOnly() { is_read_only_ = true; }

  const char* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  std::string_view view() const { return {data_, bytes_}; }
  py::buffer_info Buffer() const;
  // A copy, made without the GIL. Call with the GIL.
  py::bytes ToBytes() const;

  // The number of blocks that exist now, for tests.
  static int64_t Count();

 private:
  size_t ShapeBytes() const;

  Bytes own_;
  std::unique_ptr<py::buffer_info> held_;
  char* data_ = nullptr;
  size_t bytes_ = 0;
  ElementType type_;
  bool is_read_only_ = false;
  std::vector<int64_t> shape_;
};

// A block that owns a copy of `values`.
template <typename T>
std::shared_ptr<Block> BlockOf(const std::vector<T>& values, ElementType type,
                               std::vector<int64_t> shape) {
  Bytes bytes(values.size() * sizeof(T));
  std::copy_n(reinterpret_cast<const char*>(values.data()), bytes.size(),
              bytes.data());
  return std::make_shared<Block>(std::move(bytes), type, std::move(shape));
}

}  // namespace bvhmill::python
