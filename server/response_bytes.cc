#include "server/response_bytes.h"

#include <cstdint>
#include <utility>

#include "bvhmill/wire/result.h"
#include "bvhmill/wire/serialize.h"

namespace bvhmill::server {
namespace {

// Refers to the bytes, and frees them with the last reference.
grpc::Slice OwningSlice(std::string bytes) {
  auto* const owned = new std::string(std::move(bytes));
  return {owned->data(), owned->size(),
          [](void* string) { delete static_cast<std::string*>(string); },
          owned};
}

// A message whose only field, `number`, is the message in `pieces`.
void Wrap(int number, std::vector<std::string> pieces, grpc::ByteBuffer* out) {
  size_t bytes = 0;
  for (const std::string& piece : pieces) bytes += piece.size();
  std::vector<grpc::Slice> slices;
  slices.reserve(pieces.size());
  slices.emplace_back(wire::FieldHead(number, bytes) + pieces.front());
  for (size_t i = 1; i < pieces.size(); ++i) {
    slices.push_back(OwningSlice(std::move(pieces[i])));
  }
  grpc::ByteBuffer(slices.data(), slices.size()).Swap(out);
}

}  // namespace

void ToBytes(const google::protobuf::MessageLite& message,
             grpc::ByteBuffer* out) {
  const grpc::Slice slice(message.ByteSizeLong());
  message.SerializeWithCachedSizesToArray(const_cast<uint8_t*>(slice.begin()));
  grpc::ByteBuffer(&slice, 1).Swap(out);
}

void ToBytes(const v1::OutputChunk& chunk, std::string data,
             grpc::ByteBuffer* out) {
  // Its last field, so that it can be put behind the others.
  std::vector<std::string> pieces = {
      chunk.SerializeAsString() +
      wire::FieldHead(v1::OutputChunk::kDataFieldNumber, data.size())};
  pieces.push_back(std::move(data));
  Wrap(v1::ConvertClipsResponse::kOutputChunkFieldNumber, std::move(pieces),
       out);
}

void ToBytes(const ConvertResult& result, std::vector<std::string> data,
             grpc::ByteBuffer* out) {
  constexpr int kResult = v1::ConvertClipResponse::kResultFieldNumber;
  static_assert(kResult == int{v1::ValidateClipResponse::kResultFieldNumber});
  Wrap(kResult, wire::Serialize("", result, std::move(data)), out);
}

void ToBytes(std::string_view key, const ConvertResult& result,
             grpc::ByteBuffer* out) {
  Wrap(v1::ConvertClipsResponse::kResultFieldNumber,
       wire::Serialize(key, result, {}), out);
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
       out);
}

}  // namespace bvhmill::server
