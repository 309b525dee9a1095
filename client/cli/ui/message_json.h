#pragma once

// A message of the API as JSON of the command line: each field under its name,
// numbers as numbers, enums by name. protobuf's own JSON writes 64-bit integers
// as strings and leaves out fields that have their default.

#include <google/protobuf/message.h>

#include <string>

namespace bvhmill::client {

// `message` on one line without a line end. Every field is present; a number
// that is not finite and a message that is not set are null. Requires that no
// field is a map, bytes, a member of a oneof, or a list of numbers or bools.
std::string MessageJson(const google::protobuf::Message& message);

}  // namespace bvhmill::client
