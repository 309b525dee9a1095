#include "server/response_bytes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <array>
#include <cstdint>
#include <utility>

namespace bvhmill::server {
namespace {

// What stands before a field of `length` bytes in the wire format of Protobuf.
std::string FieldHead(int number, size_t length) {
  constexpr uint32_t kLengthDelimited = 2;
  std::string head;
  google::protobuf::io::StringOutputStream stream(&head);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.WriteTag(static_cast<uint32_t>(number) << 3 | kLengthDelimited);
  out.WriteVarint64(length);
  out.Trim();
  return head;
}

// Refers to the bytes, and frees them with the last reference.
grpc::Slice OwningSlice(std::string bytes) {
  auto* const owned = new std::string(std::move(bytes));
  return {owned->data(), owned->size(),
          [](void* string) { delete static_cast<std::string*>(string); },
          owned};
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
  std::string fields = chunk.SerializeAsString();
  fields += FieldHead(v1::OutputChunk::kDataFieldNumber, data.size());
  const std::string head =
      FieldHead(v1::ConvertClipsResponse::kOutputChunkFieldNumber,
                fields.size() + data.size()) +
      fields;
  const std::array<grpc::Slice, 2> slices = {grpc::Slice(head),
                                             OwningSlice(std::move(data))};
  grpc::ByteBuffer(slices.data(), slices.size()).Swap(out);
}

}  // namespace bvhmill::server
