#pragma once

// Responses as bytes for the transport, without copies of the outputs: a
// message that serializes itself would copy them once more.
//
//   OutputBytes output(expected_bytes);
//   output.Append(bytes);
//   ToBytes(result, {std::move(output)}, &response);
//
// Any thread may call the functions.

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::server {

// Collects the bytes of one output of a unary call.
class OutputBytes {
 public:
  // `expected`: the likely number of bytes.
  explicit OutputBytes(size_t expected) : expected_(expected) {}

  // Cost: O(bytes); each byte is copied once or twice.
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

// Each ToBytes sets `out` to a serialized message that `out` owns. The fields
// of results may be in another order than protobuf writes them. Requires that
// the message has less than 2 GiB.

// A message of any kind. One copy.
void ToBytes(const google::protobuf::MessageLite& message,
             grpc::ByteBuffer* out);

// A ConvertClipsResponse: `chunk`, whose data field is empty, with `data`,
// which is not copied.
void ToBytes(const v1::OutputChunk& chunk, std::string data,
             grpc::ByteBuffer* out);

// A ConvertClipResponse: `result` with the `data` of its outputs, which is not
// copied. Without `data` also a ValidateClipResponse: both have the same
// fields.
void ToBytes(const ConvertResult& result, std::vector<OutputBytes> data,
             grpc::ByteBuffer* out);

// ConvertClipsResponses of the clip `key`: its `result`; its `begin`, with the
// facts about the outputs that follow; and its `issues_found`.
void ToBytes(std::string_view key, const ConvertResult& result,
             grpc::ByteBuffer* out);
void ToBytes(std::string_view key, const ClipInfo& info,
             std::span<const OutputInfo> outputs, grpc::ByteBuffer* out);
void ToBytes(std::string_view key, std::span<const Issue> issues,
             grpc::ByteBuffer* out);

}  // namespace bvhmill::server
