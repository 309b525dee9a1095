#pragma once

// Fields and enum values of a message that this version of the API does not
// know: a newer client sent them, or one that made a mistake.

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill::wire {

// The largest number of fields that are listed.
inline constexpr size_t kMaxUnknownFields = 16;

// Adds the unknown fields of `message` to `fields` until these are
// kMaxUnknownFields: each as `path`, the path of the message, and its number,
// such as "options.read: field 99". Ignores the messages within `message`.
void AddOwnUnknownFields(const google::protobuf::Message& message,
                         std::string_view path,
                         std::vector<std::string>* fields);

// The same for `message` and all messages within it. O(fields).
void AddUnknownFields(const google::protobuf::Message& message,
                      std::string_view path, std::vector<std::string>* fields);

// The error of a call whose `field` has an enum value that is not known.
absl::Status UnknownValue(std::string_view field, int value);

}  // namespace bvhmill::wire
