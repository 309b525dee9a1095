#pragma once

// Parses the messages of peers within limits: on the bytes as they come, on the
// bytes after decompression, and on lists, which take more memory than bytes on
// the wire.

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <array>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "server/app/config.h"

namespace bvhmill::server {

// The path of a text field: field numbers from the outermost message to the
// text, then 0. Only text fields may be large. In a table, fields of one
// message are adjacent.
struct TextField {
  std::array<int, 3> numbers = {};
};

// ValidateClipRequest, ConvertClipRequest: data and name of the source.
inline constexpr TextField kUnaryTexts[] = {{{1, 1, 0}}, {{1, 3, 0}}};
// ConvertClipsRequest: key, data and name of the source of begin; chunk.
inline constexpr TextField kStreamTexts[] = {
    {{2, 1, 0}}, {{2, 2, 1}}, {{2, 2, 3}}, {{3, 0, 0}}};

// True if it may take milliseconds to read a message from `bytes`: gRPC packed
// them, or more than 4 KiB of them are not in one of `texts`. Changes nothing.
// Cost: O(fields within the first of such bytes).
bool IsDear(std::span<const TextField> texts, grpc::ByteBuffer* bytes);

// Reads `message` from `bytes`, which are emptied; `beside` is set to how many
// of them are not in one of `texts`. RESOURCE_EXHAUSTED if gRPC has packed more
// than max_request_message_bytes (as they came they are for the caller to
// check), or `beside` is more than max_option_bytes: a list of empty words
// takes fifty times its bytes. INVALID_ARGUMENT if they are no such message; it
// holds something then. Cost: O(bytes); of packed bytes, no more than the limit
// is held.
absl::Status ReadMessage(const ServerConfig& config,
                         std::span<const TextField> texts,
                         grpc::ByteBuffer* bytes,
                         google::protobuf::MessageLite* message,
                         int64_t* beside);

// Replaces bytes that gRPC packed by the plain ones; leaves others. Errors are
// those of ReadMessage.
absl::Status Unpack(const ServerConfig& config, grpc::ByteBuffer* bytes);

}  // namespace bvhmill::server
