#include "server/codec/output_bytes.h"

#include <algorithm>
#include <utility>

namespace bvhmill::server {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

}  // namespace

grpc::Slice OwningSlice(std::string owned) {
  auto* const kept = new std::string(std::move(owned));
  return {kept->data(), kept->size(),
          [](void* bytes) { delete static_cast<std::string*>(bytes); }, kept};
}

void OutputBytes::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    // The expected size may be wrong, so it never takes more than a piece.
    const size_t expected = std::max(expected_, size_) - size_;
    if (piece_.empty()) piece_.reserve(std::min(expected, kPieceBytes));
    const auto part = bytes.substr(0, kPieceBytes - piece_.size());
    piece_.append(part);
    bytes.remove_prefix(part.size());
    size_ += part.size();
    if (piece_.size() == kPieceBytes) EndPiece();
  }
}

void OutputBytes::EndPiece() {
  if (piece_.empty()) return;
  // A call is charged for bytes, not for what is kept beside them.
  if (piece_.capacity() - piece_.size() > piece_.size() / 4) {
    piece_.shrink_to_fit();
  }
  pieces_.push_back(OwningSlice(std::exchange(piece_, {})));
}

std::vector<grpc::Slice> OutputBytes::Take() {
  EndPiece();
  size_ = 0;
  return std::exchange(pieces_, {});
}

}  // namespace bvhmill::server
