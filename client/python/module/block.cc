#include "client/python/module/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "client/python/module/gil.h"

namespace bvhmill::python {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

enum class State : char { kEmpty, kBusy, kFull };

// A thread that has set the state to kBusy owns the other members; other
// threads skip the slot. After a fork beside such a thread, the child does not
// use the slot.
struct Slot {
  std::atomic<State> state = State::kEmpty;
  void* memory = nullptr;
  size_t bytes = 0;
};

std::array<Slot, 2> slots;
std::atomic<size_t> next_victim = 0;

bool Own(Slot* slot, State from) {
  return slot->state.compare_exchange_strong(from, State::kBusy,
                                             std::memory_order_acquire);
}

void Release(Slot* slot, State to) {
  slot->state.store(to, std::memory_order_release);
}

// Rounds up to a multiple of an eighth of the power of two below, so that takes
// of about the same length have buffers of the same size.
size_t RoundedBytes(size_t bytes) {
  const size_t step = std::max(std::bit_floor(bytes) / 8, kHugePageBytes);
  return (bytes + step - 1) / step * step;
}

// The system may drop the pages until they are written again. Only a hint.
void LetGo(void* memory, size_t bytes) {
#if defined(MADV_FREE)
  static_cast<void>(madvise(memory, bytes, MADV_FREE));
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

void Fill(Slot* slot, void* memory, size_t bytes) {
  LetGo(memory, bytes);
  slot->memory = memory;
  slot->bytes = bytes;
  Release(slot, State::kFull);
}

}  // namespace

void* TakeLarge(size_t bytes) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  const size_t rounded = RoundedBytes(bytes);
  for (Slot& slot : slots) {
    if (!Own(&slot, State::kFull)) continue;
    if (slot.bytes == rounded) {
      void* const memory = slot.memory;
      Release(&slot, State::kEmpty);
      return memory;
    }
    Release(&slot, State::kFull);
  }
  return AllocateLarge(rounded);
}

void GiveLarge(void* memory, size_t bytes) {
  const size_t rounded = RoundedBytes(bytes);
  if (rounded > kMostBytes) return FreeLarge(memory);
  for (Slot& slot : slots) {
    if (Own(&slot, State::kEmpty)) return Fill(&slot, memory, rounded);
  }
  Slot& victim = slots[next_victim++ % slots.size()];
  if (!Own(&victim, State::kFull)) return FreeLarge(memory);
  FreeLarge(victim.memory);
  Fill(&victim, memory, rounded);
}

size_t KeptBytes() {
  size_t bytes = 0;
  for (Slot& slot : slots) {
    if (!Own(&slot, State::kFull)) continue;
    bytes += slot.bytes;
    Release(&slot, State::kFull);
  }
  return bytes;
}

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
