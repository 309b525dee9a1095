#pragma once

// Fields and enum values of a message that this version of the API does not
// know: the client is newer or made a mistake.
//
//   std::vector<std::string> fields;
//   AddUnknownFields(message, "options", &fields);
//   fields[0];  // "options.read: field 99"

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill::wire {

// Adds the unknown fields of `message` and of all messages within it to
// `fields`, until it has 16 entries: each as the path of the message and the
// number of the field, such as "options.read: field 99". `path` is the path of
// `message`. O(fields).
void AddUnknownFields(const google::protobuf::Message& message,
                      std::string_view path, std::vector<std::string>* fields);

// The same for `message` alone, without the messages within it.
void AddOwnUnknownFields(const google::protobuf::Message& message,
                         std::string_view path,
                         std::vector<std::string>* fields);

// INVALID_ARGUMENT for a `field` whose enum value is not known.
absl::Status UnknownValue(std::string_view field, int value);

}  // namespace bvhmill::wire
