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
  // What is expected may be wrong: not more is taken before it is there.
  constexpr size_t kMaxReserved = size_t{1} << 20;
  if (size_ == 0) text_.reserve(std::min(expected_, kMaxReserved));
  text_.append(bytes);
  size_ += bytes.size();
}

void OutputBytes::Append(UninitializedVector<float>* floats) {
  // Beside its bytes a piece takes some 150 that nobody counts.
  constexpr size_t kFewBytes = size_t{16} << 10;
  const size_t bytes = floats->size() * sizeof(float);
  const std::string_view view(reinterpret_cast<const char*>(floats->data()),
                              bytes);
  if (bytes < kFewBytes) return Append(view);
  if (HasMuchSpare(*floats)) {
    Append(view);
    // So that the next ones have as much as they need.
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
