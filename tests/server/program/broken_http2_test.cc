// Peers that break HTTP/2. The server goes on, and frees all that it held for
// them.

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/fixture.h"
#include "tests/server/http2.h"
#include "tests/server/program/hostile.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

struct WireCase {
  const char* name;
  std::string (*bytes)();
  // The answer that the server must give; empty if none.
  std::string answer = "";
};

void PrintTo(const WireCase& wire, std::ostream* out) { *out << wire.name; }

const WireCase kWireCases[] = {
    {"FrameTooLarge",
     [] {
       return Hello() +
              Http2Frame(kHeaders, kEndHeaders, 1, CallHeaders("ConvertClip")) +
              Http2Frame(kData, 0, 1, std::string((1 << 24) - 1, 'x'));
     }},
    {"DataOnStreamZero",
     [] { return Hello() + Http2Frame(kData, 0, 0, "data"); }},
    {"BrokenHpack",
     [] {
       return Hello() +
              Http2Frame(kHeaders, kEndHeaders, 1, std::string(40, '\xFF'));
     }},
    {"ContinuationOfNothing",
     [] { return Hello() + Http2Frame(kContinuation, kEndHeaders, 1, "x"); }},
    {"EmptyContinuations",
     [] {
       return Hello() + Http2Frame(kHeaders, 0, 1, CallHeaders("ConvertClip")) +
              Repeat(Http2Frame(kContinuation, 0, 1, ""), 1'000'000);
     }},
    {"FloodOfSettings",
     [] {
       return Hello() + Repeat(Http2Frame(kSettings, 0, 0, ""), 1'000'000);
     }},
    {"FloodOfPings",
     [] {
       return Hello() + Repeat(Http2Frame(kPing, 0, 0, "12345678"), 1'000'000);
     }},
    {"WindowUpdateOfNothing",
     [] { return Hello() + Http2Frame(kWindowUpdate, 0, 0, BigEndian(0, 4)); }},
    {"WindowUpdateThatOverflows",
     [] {
       return Hello() +
              Repeat(Http2Frame(kWindowUpdate, 0, 0, BigEndian(0x7FFFFFFF, 4)),
                     9);
     }},
    {"ResetOfAnIdleStream",
     [] { return Hello() + Http2Frame(kReset, 0, 7, BigEndian(8, 4)); }},
    {"PriorityToItself",
     [] {
       return Hello() +
              Http2Frame(kPriority, 0, 1, BigEndian(1, 4) + BigEndian(16, 1));
     }},
    {"LengthOfFourGigabytes",
     [] {
       return HalfCall("ConvertClip", BigEndian(0, 1) +
                                          BigEndian(0xFFFFFFFF, 4) +
                                          std::string(16'000, 'x'));
     }},
    {"PackedByNothing",
     [] {
       return HalfCall("ConvertClip",
                       BigEndian(1, 1) + BigEndian(5, 4) + "12345");
     },
     // INVALID_ARGUMENT.
     std::string("grpc-status\x01"
                 "3")},
    {"HalfAPreface", [] { return std::string("PRI * HTTP/2.0\r\n\r\nS"); }},
    {"TlsClientHello",
     [] {
       const std::string hello = BigEndian(0x0303, 2) + std::string(32, 'r') +
                                 BigEndian(0, 1) + BigEndian(2, 2) +
                                 BigEndian(0x1301, 2) + BigEndian(0x0100, 2);
       const std::string handshake =
           BigEndian(1, 1) + BigEndian(hello.size(), 3) + hello;
       return BigEndian(0x160301, 3) + BigEndian(handshake.size(), 2) +
              handshake;
     }},
    {"Http1",
     [] { return std::string("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); }},
};

// Reads until the bytes hold `text`, and returns them.
std::string ReadUntil(int fd, const std::string& text) {
  const timeval wait = {60, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  std::string got;
  for (char byte = 0; got.find(text) == std::string::npos;) {
    if (recv(fd, &byte, 1, 0) != 1) break;
    got += byte;
  }
  return got;
}

class WireTest : public HostileTest,
                 public ::testing::WithParamInterface<WireCase> {};

TEST_P(WireTest, TheServerGoesOnAndKeepsNothing) {
  Start();
  constexpr int kConnections = 8;
  constexpr double kMaxMb = 150;
  const std::string bytes = GetParam().bytes();
  std::vector<int> open;
  for (int i = 0; i < kConnections; ++i) {
    open.push_back(DialLoopback(process_->address()));
    ASSERT_GE(open.back(), 0);
    SendAll(open.back(), bytes);
    EXPECT_THAT(ReadUntil(open.back(), GetParam().answer),
                HasSubstr(GetParam().answer));
  }
  ExpectServes();
  for (const int fd : open) close(fd);
  ExpectClosed();
  ExpectTook(kMaxMb);
}

INSTANTIATE_TEST_SUITE_P(Bytes, WireTest, ::testing::ValuesIn(kWireCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bvhmill::testing
