#pragma once

// HTTP/2 as bytes, for peers that break its rules or are slow.

#include <cstdint>
#include <string>

namespace bvhmill::testing {

inline constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

inline constexpr int kData = 0;
inline constexpr int kHeaders = 1;
inline constexpr int kPriority = 2;
inline constexpr int kReset = 3;
inline constexpr int kSettings = 4;
inline constexpr int kPing = 6;
inline constexpr int kGoAway = 7;
inline constexpr int kWindowUpdate = 8;
inline constexpr int kContinuation = 9;
// Flags.
inline constexpr int kEndStream = 1;
inline constexpr int kEndHeaders = 4;

std::string BigEndian(uint64_t value, int bytes);

std::string Http2Frame(int type, int flags, uint32_t stream,
                       const std::string& payload);

// Literal and not indexed, as HPACK has it; shorter than 127 bytes each.
std::string Http2Header(const std::string& name, const std::string& value);

// Headers of a call of the method at `path`, or of `method` of ClipService.
std::string HeadersOf(const std::string& path);
std::string CallHeaders(const std::string& method);

inline constexpr char kReflectionPath[] =
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

// The bytes that open a connection of a client: preface and SETTINGS.
std::string Hello();

// A whole message in the framing of gRPC.
std::string Prefixed(const std::string& message);

// Hello, and a call whose first bytes are `data`.
std::string HalfCall(const std::string& method, const std::string& data);

std::string Repeat(const std::string& text, int times);

// Sends all bytes, or stops if the peer accepts none for `timeout_ms`.
void SendAll(int fd, const std::string& bytes, int timeout_ms = 250);

}  // namespace bvhmill::testing
