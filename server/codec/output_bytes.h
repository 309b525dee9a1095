#pragma once

// Collects the bytes of one output of a unary call.

#include <grpcpp/support/slice.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::server {

// Refers to the bytes of `owned`, and frees them with the last reference.
grpc::Slice OwningSlice(std::string owned);

class OutputBytes {
 public:
  // `expected`: the likely number of bytes.
  explicit OutputBytes(size_t expected) : expected_(expected) {}

  // O(bytes): each byte is copied once or twice.
  void Append(std::string_view bytes);

  size_t size() const { return size_; }
  // All bytes, in pieces of up to 1 MiB. The object is empty after it.
  std::vector<grpc::Slice> Take();

 private:
  void EndPiece();

  size_t expected_;
  size_t size_ = 0;
  std::vector<grpc::Slice> pieces_;
  // The piece that is not full yet.
  std::string piece_;
};

}  // namespace bvhmill::server
