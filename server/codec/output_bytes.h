#pragma once

// Collects the bytes of one output of a unary call.

#include <grpcpp/support/slice.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/uninitialized.h"

namespace bvhmill::server {

// Refers to the bytes of `owned`, a string or vector, and frees them with the
// last reference.
template <typename Container>
grpc::Slice OwningSlice(Container owned) {
  auto* const kept = new Container(std::move(owned));
  return {kept->data(), kept->size() * sizeof(*kept->data()),
          [](void* container) { delete static_cast<Container*>(container); },
          kept};
}

class OutputBytes {
 public:
  // `expected`: the likely number of bytes.
  explicit OutputBytes(size_t expected) : expected_(expected) {}

  void Append(std::string_view bytes);
  // Appends `floats` as they lie in memory. Takes their memory if they are many
  // and waste little of it, and copies them otherwise.
  void Append(UninitializedVector<float>* floats);

  size_t size() const { return size_; }
  // All bytes, in pieces. The object is empty after it.
  std::vector<grpc::Slice> Take();

 private:
  void EndText();

  size_t expected_;
  size_t size_ = 0;
  std::vector<grpc::Slice> pieces_;
  // Bytes that were copied after the last piece.
  std::string text_;
};

}  // namespace bvhmill::server
