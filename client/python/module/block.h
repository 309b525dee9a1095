#pragma once

// Memory that Python reads as an array. A block exports the buffer protocol, so
// that NumPy and others use it without a copy and keep it alive, and the module
// needs no header of NumPy.

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "client/python/module/kept_memory.h"

namespace bvhmill::python {

namespace py = pybind11;

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

// A C-contiguous array. It owns its memory, or holds the buffer of another
// Python object. Needs the GIL to die in the second case.
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

  // Python may not change it from now on.
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
