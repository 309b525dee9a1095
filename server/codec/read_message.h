#pragma once

// Parses the messages of peers within limits: on the bytes after decompression,
// and on lists, which need far more memory than bytes on the wire.
//
//   int64_t beside = 0;
//   absl::Status status =
//       ReadMessage(config, kStreamTexts, &bytes, &request, &beside);

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include <array>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "server/app/config.h"

namespace bvhmill::server {

// The path of a text field: the field numbers from the outermost message to the
// text, then 0. Only text fields may be large. In a table, the fields of one
// message are adjacent.
struct TextField {
  std::array<int, 3> numbers = {};
};

// ValidateClipRequest, ConvertClipRequest: data and name of the source.
inline constexpr TextField kUnaryTexts[] = {{{1, 1, 0}}, {{1, 3, 0}}};
// ConvertClipsRequest: key, data and name of the source of begin; chunk.
inline constexpr TextField kStreamTexts[] = {
    {{2, 1, 0}}, {{2, 2, 1}}, {{2, 2, 3}}, {{3, 0, 0}}};

// Parses `message` from `bytes`, and empties `bytes`. Sets `beside` to the
// number of bytes that are not in one of `texts`. RESOURCE_EXHAUSTED:
//   - the bytes were compressed, and have more than max_request_message_bytes
//     after decompression (the caller checks the bytes as they came);
//   - `beside` exceeds max_option_bytes: a list of empty words needs fifty
//     times its bytes.
// INVALID_ARGUMENT if the bytes are no such message; the content of `message`
// is then undefined. Cost: O(bytes). Memory: compressed bytes are decompressed
// up to the limit only.
absl::Status ReadMessage(const ServerConfig& config,
                         std::span<const TextField> texts,
                         grpc::ByteBuffer* bytes,
                         google::protobuf::MessageLite* message,
                         int64_t* beside);

// True if ReadMessage may take milliseconds, so that a worker should call it:
// the bytes are compressed, or more than 4 KiB of them are not in one of
// `texts`. Changes nothing. Cost: O(fields within the first 4 KiB of such
// bytes).
bool IsExpensive(std::span<const TextField> texts, grpc::ByteBuffer* bytes);

// Decompresses bytes that gRPC has compressed; leaves other bytes as they are.
// Errors are those of ReadMessage.
absl::Status Unpack(const ServerConfig& config, grpc::ByteBuffer* bytes);

}  // namespace bvhmill::server
