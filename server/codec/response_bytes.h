#pragma once

// Responses as bytes for the transport.

#include <grpcpp/support/byte_buffer.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bvhmill/pipeline/convert.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/codec/output_bytes.h"

namespace bvhmill::server {

// Any thread may call these. `out` owns the serialized message; fields of
// results may have another order than protobuf gives them. REQUIRES: the
// message has less than 2 GiB.

// A message of any kind. One copy.
void ToBytes(const google::protobuf::MessageLite& message,
             grpc::ByteBuffer* out);

// A ConvertClipsResponse: `chunk`, which has no data, with `data`. These go to
// the kernel from where they are: a message that serializes itself would copy
// them once more.
void ToBytes(const v1::OutputChunk& chunk, std::string data,
             grpc::ByteBuffer* out);

// A ConvertClipResponse or, without `data`, a ValidateClipResponse, which are
// alike: `result` with `data` of its outputs, which are not copied either.
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
