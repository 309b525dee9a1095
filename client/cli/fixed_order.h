#pragma once

#include <google/protobuf/message_lite.h>

#include <string>

namespace bvhmill::client {

// The bytes of `message`, the same for equal messages: maps have no order of
// their own.
std::string InFixedOrder(const google::protobuf::MessageLite& message);

}  // namespace bvhmill::client
