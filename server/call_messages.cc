#include "server/call_messages.h"

#include <grpcpp/support/proto_buffer_reader.h>

namespace bvhmill::server {

bool Parse(grpc::ByteBuffer* bytes, google::protobuf::MessageLite* message) {
  bool is_message = false;
  {
    grpc::ProtoBufferReader reader(bytes);
    is_message =
        reader.status().ok() && message->ParseFromZeroCopyStream(&reader);
  }
  bytes->Clear();
  return is_message;
}

}  // namespace bvhmill::server
