#include "client/python/module/block.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

#include "client/python/module/gil.h"

namespace bvhmill::python {
namespace {

std::atomic<int64_t> blocks = 0;

}  // namespace

size_t SizeOf(ElementType type) {
  switch (type) {
    case ElementType::kByte:
      return 1;
    case ElementType::kInt64:
      return 8;
    case ElementType::kInt32:
    case ElementType::kFloat32:
      break;
  }
  return 4;
}

bool IsContiguous(const py::buffer_info& info) {
  py::ssize_t step = info.itemsize;
  for (size_t i = info.shape.size(); i-- > 0;) {
    if (info.shape[i] > 1 && info.strides[i] != step) return false;
    step *= info.shape[i];
  }
  return true;
}

Block::Block(Bytes bytes, ElementType type, std::vector<int64_t> shape)
    : own_(std::move(bytes)),
      data_(own_.data()),
      type_(type),
      shape_(std::move(shape)) {
  bytes_ = ShapeBytes();
  if (bytes_ > own_.size()) throw std::logic_error("a block is too small");
  ++blocks;
}

Block::Block(const py::buffer& source, ElementType type,
             std::vector<int64_t> shape)
    : held_(std::make_unique<py::buffer_info>(source.request())),
      data_(static_cast<char*>(held_->ptr)),
      type_(type),
      is_read_only_(true),
      shape_(std::move(shape)) {
  bytes_ = ShapeBytes();
  if (!IsContiguous(*held_)) {
    throw std::invalid_argument("the buffer is not C-contiguous");
  }
  if (bytes_ != static_cast<size_t>(held_->size * held_->itemsize)) {
    throw std::invalid_argument(
        "the buffer does not have the size of its "
        "shape");
  }
  ++blocks;
}

Block::~Block() {
  --blocks;
  if (held_ == nullptr) return;
  const py::gil_scoped_acquire gil;
  held_.reset();
}

size_t Block::ShapeBytes() const {
  size_t bytes = SizeOf(type_);
  for (const int64_t size : shape_) bytes *= static_cast<size_t>(size);
  return bytes;
}

py::buffer_info Block::Buffer() const {
  static char nothing = 0;
  std::vector<py::ssize_t> shape(shape_.begin(), shape_.end());
  std::vector<py::ssize_t> strides(shape.size());
  const auto size = static_cast<py::ssize_t>(SizeOf(type_));
  py::ssize_t step = size;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  const auto dimensions = static_cast<py::ssize_t>(shape.size());
  return {data_ == nullptr ? &nothing : data_,
          size,
          std::string(1, static_cast<char>(type_)),
          dimensions,
          std::move(shape),
          std::move(strides),
          is_read_only_};
}

py::bytes Block::ToBytes() const {
  PyObject* copy =
      PyBytes_FromStringAndSize(nullptr, static_cast<py::ssize_t>(bytes_));
  if (copy == nullptr) throw py::error_already_set();
  auto bytes = py::reinterpret_steal<py::bytes>(copy);
  char* to = PyBytes_AS_STRING(copy);
  {
    const FreeGil free;
    std::copy_n(data_, bytes_, to);
  }
  return bytes;
}

int64_t Block::Count() { return blocks; }

}  // namespace bvhmill::python
