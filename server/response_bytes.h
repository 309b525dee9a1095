#pragma once

// Responses as the transport takes them.

#include <grpcpp/support/byte_buffer.h>

#include <string>

#include "bvhmill/v1/clip_service.pb.h"

namespace bvhmill::server {

// Any thread may call these. `out` becomes what the message would serialize to,
// and owns its bytes. Messages must be of less than 2 GiB.

// A message of any kind. One copy.
void ToBytes(const google::protobuf::MessageLite& message,
             grpc::ByteBuffer* out);

// A ConvertClipsResponse: `chunk`, which has no data, with `data`. These go to
// the kernel from where they are: a message that serializes itself would copy
// them once more.
void ToBytes(const v1::OutputChunk& chunk, std::string data,
             grpc::ByteBuffer* out);

}  // namespace bvhmill::server
