#include "server/codec/response_bytes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "bvhmill/wire/result.h"
#include "bvhmill/wire/serialize.h"

namespace bvhmill::server {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

// Refers to the bytes of `owned`, and frees them with the last reference.
grpc::Slice OwningSlice(std::string owned) {
  auto* const kept = new std::string(std::move(owned));
  return {kept->data(), kept->size(),
          [](void* bytes) { delete static_cast<std::string*>(bytes); }, kept};
}

// Makes a message with one field, `number`, that contains a message. Its bytes
// are heads[0], data[0], heads[1], data[1], and so on. `heads` may have one
// more than `data`.
void Wrap(int number, std::vector<std::string> heads,
          std::vector<std::vector<grpc::Slice>> data, grpc::ByteBuffer* out) {
  size_t bytes = 0;
  for (const std::string& head : heads) bytes += head.size();
  for (const auto& pieces : data) {
    for (const grpc::Slice& piece : pieces) bytes += piece.size();
  }
  heads.front().insert(0, wire::FieldHead(number, bytes));
  std::vector<grpc::Slice> slices;
  for (size_t i = 0; i < heads.size(); ++i) {
    if (!heads[i].empty()) slices.emplace_back(heads[i]);
    if (i == data.size()) continue;
    slices.insert(slices.end(), data[i].begin(), data[i].end());
  }
  grpc::ByteBuffer(slices.data(), slices.size()).Swap(out);
}

}  // namespace

void OutputBytes::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    // The expected size may be wrong, so it reserves at most one piece.
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
  // A call is charged for the bytes, not for the unused capacity.
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

void ToBytes(const google::protobuf::MessageLite& message,
             grpc::ByteBuffer* out) {
  const grpc::Slice slice(message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(const_cast<uint8_t*>(slice.begin()));
  grpc::ByteBuffer(&slice, 1).Swap(out);
}

void ToBytes(const v1::OutputChunk& chunk, std::string data,
             grpc::ByteBuffer* out) {
  // data is the last field, so that its bytes can follow the others.
  std::string head =
      chunk.SerializeAsString() +
      wire::FieldHead(v1::OutputChunk::kDataFieldNumber, data.size());
  Wrap(v1::ConvertClipsResponse::kOutputChunkFieldNumber, {std::move(head)},
       {{OwningSlice(std::move(data))}}, out);
}

void ToBytes(const ConvertResult& result, std::vector<OutputBytes> data,
             grpc::ByteBuffer* out) {
  constexpr int kResult = v1::ConvertClipResponse::kResultFieldNumber;
  static_assert(kResult == int{v1::ValidateClipResponse::kResultFieldNumber});
  if (!result.status.ok()) data.clear();
  std::vector<size_t> sizes;
  std::vector<std::vector<grpc::Slice>> pieces;
  for (OutputBytes& output : data) {
    sizes.push_back(output.size());
    if (output.size() > 0) pieces.push_back(output.Take());
  }
  Wrap(kResult, wire::Serialize("", result, sizes), std::move(pieces), out);
}

void ToBytes(std::string_view key, const ConvertResult& result,
             grpc::ByteBuffer* out) {
  Wrap(v1::ConvertClipsResponse::kResultFieldNumber,
       wire::Serialize(key, result, {}), {}, out);
}

void ToBytes(std::string_view key, const ClipInfo& info,
             std::span<const OutputInfo> outputs, grpc::ByteBuffer* out) {
  v1::ClipStarted begin;
  begin.set_key(key.data(), key.size());
  for (const OutputInfo& output : outputs) {
    wire::ToProto(output, begin.add_outputs());
  }
  const std::string info_bytes = wire::Serialize(info);
  Wrap(v1::ConvertClipsResponse::kBeginFieldNumber,
       {begin.SerializeAsString() +
        wire::FieldHead(v1::ClipStarted::kInfoFieldNumber, info_bytes.size()) +
        info_bytes},
       {}, out);
}

void ToBytes(std::string_view key, std::span<const Issue> issues,
             grpc::ByteBuffer* out) {
  v1::ConvertClipsResponse response;
  v1::IssuesFound* const found = response.mutable_issues_found();
  found->set_key(key.data(), key.size());
  for (const Issue& issue : issues) wire::ToProto(issue, found->add_issues());
  ToBytes(response, out);
}

}  // namespace bvhmill::server
