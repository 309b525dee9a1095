#pragma once

// Fields of a message that this version of the API does not know: a newer
// client sent them, or one that made a mistake.

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::wire {

// More are not listed.
inline constexpr size_t kMaxUnknownFields = 16;

// Adds the fields of `message` that are not known to `fields`, each as its path
// and number, such as "options.read: field 99"; `path` is that of the message.
// Does not look into messages within it.
void AddOwnUnknownFields(const google::protobuf::Message& message,
                         std::string_view path,
                         std::vector<std::string>* fields);

// The same of `message` and all messages within it. O(fields).
void AddUnknownFields(const google::protobuf::Message& message,
                      std::string_view path, std::vector<std::string>* fields);

}  // namespace bvhmill::wire
