#include "tests/server/http2.h"

#include <sys/socket.h>
#include <sys/time.h>

namespace bvhmill::testing {

std::string BigEndian(uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) {
    out += static_cast<char>(value >> (8 * i));
  }
  return out;
}

std::string Http2Frame(int type, int flags, uint32_t stream,
                       const std::string& payload) {
  return BigEndian(payload.size(), 3) +
         BigEndian(static_cast<uint64_t>(type), 1) +
         BigEndian(static_cast<uint64_t>(flags), 1) + BigEndian(stream, 4) +
         payload;
}

std::string Http2Header(const std::string& name, const std::string& value) {
  return BigEndian(0, 1) + BigEndian(name.size(), 1) + name +
         BigEndian(value.size(), 1) + value;
}

std::string HeadersOf(const std::string& path) {
  return Http2Header(":method", "POST") + Http2Header(":scheme", "http") +
         Http2Header(":path", path) + Http2Header(":authority", "localhost") +
         Http2Header("content-type", "application/grpc") +
         Http2Header("te", "trailers");
}

std::string CallHeaders(const std::string& method) {
  return HeadersOf("/bvhmill.v1.ClipService/" + method);
}

std::string Hello() { return kPreface + Http2Frame(kSettings, 0, 0, ""); }

std::string Prefixed(const std::string& message) {
  return BigEndian(0, 1) + BigEndian(message.size(), 4) + message;
}

std::string HalfCall(const std::string& method, const std::string& data) {
  return Hello() + Http2Frame(kHeaders, kEndHeaders, 1, CallHeaders(method)) +
         Http2Frame(kData, 0, 1, data);
}

std::string Repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

void SendAll(int fd, const std::string& bytes, int timeout_ms) {
  const timeval wait = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t took =
        send(fd, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (took <= 0) return;
    at += static_cast<size_t>(took);
  }
}

}  // namespace bvhmill::testing
