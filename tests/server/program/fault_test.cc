// Peers that break HTTP/2, send garbage, open too many connections or are
// killed, against the server process.

#include "tests/server/program/fault.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/server/load_client.h"
#include "bench/server/server_process.h"
#include "tests/server/fixture.h"
#include "tests/server/http2.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

// The bytes of a client that makes one call and gives no window for the answer.
std::string CallWithoutWindow(const std::string& method,
                              const std::string& message) {
  const std::string no_window("\x00\x04\x00\x00\x00\x00", 6);
  return kPreface + Http2Frame(kSettings, 0, 0, no_window) +
         Http2Frame(kHeaders, kEndHeaders, 1, CallHeaders(method)) +
         Http2Frame(kData, kEndStream, 1, Prefixed(message));
}

// True if a frame that resets a stream comes before the time is over.
bool IsReset(int fd, std::chrono::seconds timeout) {
  const timeval wait = {timeout.count(), 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
  std::string bytes;
  char buffer[4096];
  for (ssize_t got = 0; (got = recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
    bytes.append(buffer, static_cast<size_t>(got));
    for (size_t at = 0; at + 9 <= bytes.size();) {
      const auto byte = [&](size_t i) {
        return static_cast<size_t>(static_cast<uint8_t>(bytes[at + i]));
      };
      if (byte(3) == 3) return true;
      at += 9 + (byte(0) << 16 | byte(1) << 8 | byte(2));
    }
  }
  return false;
}

// A peer that gives calls up faster than gRPC ends them has no more streams
// open than it may, and yet fills any memory.
TEST_F(FaultTest, RapidReset) {
  Start();
  const int fd = DialLoopback(process_->address());
  ASSERT_GE(fd, 0);
  const std::string call = CallHeaders("ConvertClips");
  const std::string cancel = BigEndian(8, 4);
  std::string sent = Hello();
  for (uint32_t stream = 1; stream < 60'000; stream += 2) {
    sent += Http2Frame(kHeaders, kEndHeaders, stream, call) +
            Http2Frame(kReset, 0, stream, cancel);
  }
  SendAll(fd, sent, 2'000);
  // max_calls, with what gRPC holds for a call; and the server itself.
  constexpr double kCallMb = 0.032;
  constexpr double kServerMb = 80;
  ExpectHealthy(8192 * kCallMb + kServerMb);
  close(fd);
}

// The server must not stop to listen when it has had all the files it may.
TEST_F(FaultTest, MoreConnectionsThanFiles) {
  process_ = std::make_unique<bench::ServerProcess>(
      "/bin/sh",
      std::vector<std::string>{"-c", "ulimit -n 64; exec " BVHMILL_BIN
                                     "/bvhmilld --listen 127.0.0.1:0"});
  stub_ = bench::Connect(process_->address());
  const auto converts = [](bench::Stub* stub) {
    grpc::ClientContext context;
    v1::ConvertClipResponse response;
    return stub->ConvertClip(&context, PositionsRequest(SmallClip()), &response)
        .ok();
  };
  ASSERT_TRUE(converts(stub_.get()));
  std::vector<int> files;
  files.reserve(200);
  for (int i = 0; i < 200; ++i)
    files.push_back(DialLoopback(process_->address()));
  EXPECT_TRUE(converts(stub_.get()));
  for (const int file : files) close(file);
  EXPECT_TRUE(Eventually([&] { return converts(Connect().get()); }));
}

// gRPC would unpack all of it before it looks how much it is.
TEST_F(FaultTest, ArchiveThatGrpcWouldUnpack) {
  Start();
  v1::ConvertClipRequest request;
  request.mutable_source()->mutable_data()->resize(300'000'000);
  v1::ConvertClipResponse response;
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  const grpc::Status status = stub_->ConvertClip(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
            "max_request_message_bytes");
  ExpectHealthy();
}

TEST_F(FaultTest, AnAnswerThatIsNotRead) {
  Start({"--idle-seconds", "1"});
  const int fd = DialLoopback(process_->address());
  ASSERT_GE(fd, 0);
  const std::string sent = CallWithoutWindow(
      "ConvertClip", PositionsRequest(SmallClip(100)).SerializeAsString());
  send(fd, sent.data(), sent.size(), MSG_NOSIGNAL);
  EXPECT_TRUE(IsReset(fd, std::chrono::seconds(10)));
  close(fd);
  ExpectHealthy();
}

TEST_F(FaultTest, GarbageOnTheWire) {
  Start();
  std::mt19937 random(5);
  const std::string prefaces[] = {"", "GET / HTTP/1.1\r\n\r\n",
                                  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"};
  std::vector<int> open;
  for (int i = 0; i < 150; ++i) {
    const int fd = DialLoopback(process_->address());
    ASSERT_GE(fd, 0);
    std::string bytes = prefaces[i % 3];
    for (int k = 0; k < 2'000; ++k) bytes += static_cast<char>(random());
    send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    // Some hang up, some never say another word.
    if (i % 2 == 0) {
      close(fd);
    } else {
      open.push_back(fd);
    }
  }
  ExpectHealthy();
  for (const int fd : open) close(fd);
}

TEST_F(FaultTest, AClientThatIsKilled) {
  Start();
  const std::string path = ::testing::TempDir() + "/killed.bvh";
  std::ofstream(path) << SmallClip(400'000);
  const std::string out = ::testing::TempDir() + "/killed_out";
  for (int i = 0; i < 6; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      execl(BVHMILL_BIN "/bvhmill", "bvhmill", "convert", path.c_str(), "-o",
            out.c_str(), "-f", "--emit", "positions,npz", "-q", "--server",
            process_->address().c_str(), nullptr);
      _exit(127);
    }
    // At some point of its work, of which it does not tell.
    for (int k = 0; k < 2 + 3 * i; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  ExpectHealthy();
}

}  // namespace
}  // namespace bvhmill::testing
