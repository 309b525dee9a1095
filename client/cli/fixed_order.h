#pragma once

#include <google/protobuf/message_lite.h>

#include <string>

namespace bvhmill::client {

// The bytes of `message`. Equal messages have equal bytes: the entries of maps
// are sorted.
std::string InFixedOrder(const google::protobuf::MessageLite& message);

}  // namespace bvhmill::client
