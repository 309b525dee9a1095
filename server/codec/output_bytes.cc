#include "server/codec/output_bytes.h"

#include <algorithm>

namespace bvhmill::server {
namespace {

template <typename Container>
bool HasMuchSpare(const Container& container) {
  return container.capacity() - container.size() > container.size() / 4;
}

}  // namespace

void OutputBytes::Append(std::string_view bytes) {
  // The expected size may be wrong, so no more memory is taken than there are
  // bytes.
  constexpr size_t kMaxReserved = size_t{1} << 20;
  if (size_ == 0) text_.reserve(std::min(expected_, kMaxReserved));
  text_.append(bytes);
  size_ += bytes.size();
}

void OutputBytes::Append(UninitializedVector<float>* floats) {
  // A piece takes about 150 bytes of memory that are not counted.
  constexpr size_t kFewBytes = size_t{16} << 10;
  const size_t bytes = floats->size() * sizeof(float);
  const std::string_view view(reinterpret_cast<const char*>(floats->data()),
                              bytes);
  if (bytes < kFewBytes) return Append(view);
  if (HasMuchSpare(*floats)) {
    Append(view);
    // Later bytes then fit without another allocation.
    UninitializedVector<float>().swap(*floats);
    return;
  }
  EndText();
  size_ += bytes;
  pieces_.push_back(OwningSlice(std::exchange(*floats, {})));
}

void OutputBytes::EndText() {
  if (text_.empty()) return;
  if (HasMuchSpare(text_)) text_.shrink_to_fit();
  pieces_.push_back(OwningSlice(std::exchange(text_, {})));
}

std::vector<grpc::Slice> OutputBytes::Take() {
  EndText();
  size_ = 0;
  return std::exchange(pieces_, {});
}

}  // namespace bvhmill::server
