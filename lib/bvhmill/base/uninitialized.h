#pragma once

// A vector of numbers for large buffers. resize() does not initialize new
// elements, and the memory is aligned to cache lines, or to huge pages from
// 8 MB on.
//
//   UninitializedVector<float> values(frames * width);
//   ReadValues(&values);  // writes all of them
//
// It suits buffers that are then written completely: zeros would touch every
// page one more time.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

namespace bvhmill {

// --- Memory of large buffers.

// Allocates `bytes` for a large buffer, in huge pages where the system supports
// them: the first touch of each page then costs a quarter of the time. Free it
// with FreeLarge. Throws std::bad_alloc, as operator new does.
void* AllocateLarge(size_t bytes);
void FreeLarge(void* memory);
// Moves `bytes` from one such buffer to another. On Linux, pages of `from` are
// returned to the system as soon as they are copied, so at most 8 MB exist
// twice. Afterwards `from` may only be freed.
void MoveLarge(void* from, size_t bytes, void* to);
// Maps the pages of such a buffer, or of a part of it, now instead of at the
// first write. Only a hint to the system; changes no byte.
void Populate(void* memory, size_t bytes);
// The size of a huge page on x86-64 and most arm64 systems. On other systems it
// is only an alignment.
inline constexpr size_t kHugePageBytes = size_t{2} << 20;
// Buffers of at least this size count as large.
inline constexpr size_t kLargeBytes = size_t{8} << 20;
// The alignment of other buffers: a SIMD vector lies in one cache line.
inline constexpr std::align_val_t kVectorBytes{64};

template <typename T>
struct UninitializedAllocator {
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
};

// --- The vector.

// The part of std::vector that buffers need. Elements are copied as bytes;
// std::vector loops over all of them to construct and to destroy.
template <typename T, typename Allocator = UninitializedAllocator<T>>
class UninitializedVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  UninitializedVector() = default;
  explicit UninitializedVector(size_t count) { resize(count); }
  UninitializedVector(size_t count, T value) { assign(count, value); }
  UninitializedVector(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
  }
  template <std::forward_iterator Iterator>
  UninitializedVector(Iterator first, Iterator last) {
    assign(first, last);
  }
  UninitializedVector(const UninitializedVector& other) {
    assign(other.begin(), other.end());
  }
  UninitializedVector(UninitializedVector&& other) noexcept { swap(other); }
  UninitializedVector& operator=(const UninitializedVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  UninitializedVector& operator=(UninitializedVector&& other) noexcept {
    UninitializedVector(std::move(other)).swap(*this);
    return *this;
  }
  ~UninitializedVector() {
    if (data_ != nullptr) Allocator().deallocate(data_, capacity_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  iterator begin() { return data_; }
  iterator end() { return data_ + size_; }
  const_iterator begin() const { return data_; }
  const_iterator end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void reserve(size_t capacity) {
    if (capacity > capacity_) MoveTo(capacity);
  }
  void shrink_to_fit() {
    if (size_ < capacity_) MoveTo(size_);
  }
  // New elements are not initialized. A new block has at least twice the size
  // of the vector.
  void resize(size_t size) {
    if (size > capacity_) reserve(std::max(size, 2 * size_));
    size_ = size;
  }
  void clear() { size_ = 0; }
  void push_back(T value) {
    resize(size_ + 1);
    back() = value;
  }
  void assign(size_t count, T value) {
    clear();
    resize(count);
    std::fill(begin(), end(), value);
  }
  template <std::forward_iterator Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }
  // The elements must not be those of this vector.
  template <std::forward_iterator Iterator>
  void append(Iterator first, Iterator last) {
    const size_t before = size_;
    resize(before + static_cast<size_t>(std::distance(first, last)));
    std::copy(first, last, begin() + before);
  }
  void swap(UninitializedVector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  friend bool operator==(const UninitializedVector& a,
                         const UninitializedVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // Moves the elements to a block for `capacity` >= size_ elements.
  void MoveTo(size_t capacity) {
    T* const moved = capacity == 0 ? nullptr : Allocator().allocate(capacity);
    if (capacity_ >= kLargeBytes / sizeof(T)) {
      MoveLarge(data_, size_ * sizeof(T), moved);
    } else if (size_ > 0) {
      std::memcpy(moved, data_, size_ * sizeof(T));
    }
    if (data_ != nullptr) Allocator().deallocate(data_, capacity_);
    data_ = moved;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace bvhmill
