#include "server/output_bytes.h"

#include <algorithm>
#include <span>

namespace bvhmill::server {

void OutputBytes::Append(std::string_view bytes) {
  // What is expected may be wrong: not more is taken before it is there.
  constexpr size_t kMostReserved = size_t{1} << 20;
  if (size_ == 0) text_.reserve(std::min(expected_, kMostReserved));
  text_.append(bytes);
  size_ += bytes.size();
}

void OutputBytes::Append(UninitializedVector<float>* floats) {
  const size_t bytes = floats->size() * sizeof(float);
  const size_t spare = (floats->capacity() - floats->size()) * sizeof(float);
  if (spare > bytes / 4) {
    return Append({reinterpret_cast<const char*>(floats->data()), bytes});
  }
  EndText();
  size_ += bytes;
  pieces_.push_back(OwningSlice(std::exchange(*floats, {})));
}

void OutputBytes::EndText() {
  if (text_.empty()) return;
  pieces_.push_back(OwningSlice(std::exchange(text_, {})));
}

std::vector<grpc::Slice> OutputBytes::Take() {
  EndText();
  size_ = 0;
  return std::exchange(pieces_, {});
}

}  // namespace bvhmill::server
