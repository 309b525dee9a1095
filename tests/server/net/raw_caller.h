#pragma once

// A client that sends HTTP/2 as the test says, at the speed that it says.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>

#include "tests/server/fixture.h"
#include "tests/server/http2.h"

namespace bvhmill::testing {

inline constexpr char kConvertPath[] = "/bvhmill.v1.ClipService/ConvertClip";
inline constexpr char kStreamPath[] = "/bvhmill.v1.ClipService/ConvertClips";
inline constexpr char kInfoPath[] = "/bvhmill.v1.ServerService/GetServerInfo";
inline constexpr char kCheckPath[] = "/grpc.health.v1.Health/Check";
inline constexpr char kWatchPath[] = "/grpc.health.v1.Health/Watch";

class RawCaller {
 public:
  // `settings`: the payload of its SETTINGS.
  explicit RawCaller(const std::string& address,
                     const std::string& settings = "")
      : fd_(DialLoopback(address)) {
    Send(kPreface + Http2Frame(kSettings, 0, 0, settings));
  }
  ~RawCaller() { close(fd_); }
  RawCaller(const RawCaller&) = delete;
  RawCaller& operator=(const RawCaller&) = delete;

  void Send(const std::string& bytes) { SendAll(fd_, bytes, 5'000); }

  // Begins a call, and returns its number.
  uint32_t Begin(const std::string& path) {
    const uint32_t stream = next_;
    next_ += 2;
    windows_[stream] = kFirstWindow;
    Send(Http2Frame(kHeaders, kEndHeaders, stream, HeadersOf(path)));
    return stream;
  }

  // A call of one message.
  uint32_t Call(const std::string& path, const std::string& message = "") {
    const uint32_t stream = Begin(path);
    Send(Http2Frame(kData, kEndStream, stream, Prefixed(message)));
    return stream;
  }

  // Sends as many bytes of `data` as the server takes; false if it takes none
  // for some seconds.
  bool SendData(uint32_t stream, const std::string& data) {
    constexpr int64_t kMaxFrame = 16'000;
    for (size_t at = 0; at < data.size();) {
      int64_t room = 0;
      for (int i = 0; i < 500 && room <= 0; ++i) {
        Read();
        room = std::min({windows_[0], windows_[stream], kMaxFrame});
        if (room > 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      if (room <= 0) return false;
      const std::string piece = data.substr(at, static_cast<size_t>(room));
      Send(Http2Frame(kData, 0, stream, piece));
      windows_[0] -= static_cast<int64_t>(piece.size());
      windows_[stream] -= static_cast<int64_t>(piece.size());
      at += piece.size();
    }
    return true;
  }

  // Reads what has come. True if the server has ended the connection.
  bool IsEnded() {
    Read();
    return is_ended_;
  }

  // Whether the server has ended the call.
  bool HasEnd(uint32_t stream) {
    Read();
    return ended_[stream];
  }

 private:
  static constexpr int64_t kFirstWindow = 65'535;

  void Read() {
    char buffer[1 << 14];
    ssize_t got = 0;
    while ((got = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT)) > 0) {
      input_.append(buffer, static_cast<size_t>(got));
    }
    is_ended_ |= got == 0 || errno != EAGAIN;
    while (TakeFrame()) {
    }
  }

  uint64_t Number(size_t at, size_t bytes) const {
    uint64_t out = 0;
    for (size_t i = 0; i < bytes; ++i) {
      out = out << 8 | static_cast<uint8_t>(input_[at + i]);
    }
    return out;
  }

  bool TakeFrame() {
    constexpr size_t kHead = 9;
    if (input_.size() < kHead) return false;
    const auto size = static_cast<size_t>(Number(0, 3));
    if (input_.size() < kHead + size) return false;
    const auto type = static_cast<int>(Number(3, 1));
    const auto flags = static_cast<int>(Number(4, 1));
    const auto stream = static_cast<uint32_t>(Number(5, 4));
    if (type == kWindowUpdate) {
      windows_[stream] += static_cast<int64_t>(Number(kHead, 4));
    }
    if (type == kData && size > 0) {
      Send(Http2Frame(kWindowUpdate, 0, 0, BigEndian(size, 4)) +
           Http2Frame(kWindowUpdate, 0, stream, BigEndian(size, 4)));
    }
    if (type == kReset || (type == kHeaders && (flags & kEndStream) != 0)) {
      ended_[stream] = true;
    }
    const bool is_ack = (flags & 1) != 0;
    if (type == kPing && !is_ack) {
      Send(Http2Frame(kPing, 1, 0, input_.substr(kHead, size)));
    }
    if (type == kSettings && !is_ack) Send(Http2Frame(kSettings, 1, 0, ""));
    input_.erase(0, kHead + size);
    return true;
  }

  const int fd_;
  uint32_t next_ = 1;
  bool is_ended_ = false;
  std::string input_;
  // What the server still takes: of each call, and by 0 of all.
  std::map<uint32_t, int64_t> windows_ = {{0, kFirstWindow}};
  std::map<uint32_t, bool> ended_;
};

}  // namespace bvhmill::testing
