// Peers that request large outputs and do not read them. The server cuts them
// after idle_seconds, and can stop while they are connected.

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>

#include "server/app/process.h"
#include "tests/server/fixture.h"
#include "tests/server/http2.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

// A hello that leaves the server room to send up to 2 GiB on each stream.
std::string HelloWithWindows() {
  return kPreface +
         Http2Frame(kSettings, 0, 0,
                    BigEndian(4, 2) + BigEndian(0x7FFFFFFF, 4)) +
         Http2Frame(kWindowUpdate, 0, 0, BigEndian(0x7FFF0000, 4));
}

// A message in frames of the size that every server takes.
std::string DataFrames(uint32_t stream, const std::string& message,
                       bool is_end) {
  constexpr size_t kFrame = 16'384;
  const std::string bytes = Prefixed(message);
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += kFrame) {
    const bool is_last = at + kFrame >= bytes.size();
    out += Http2Frame(kData, is_last && is_end ? kEndStream : 0, stream,
                      bytes.substr(at, kFrame));
  }
  return out;
}

// 12 KB of text that become 3.6 MB of positions: an answer that a call may
// have. kClips of it fit into the windows that a server opens with, so that its
// peer need not read on to send them all.
constexpr int kClips = 5;
std::string ClipOfManyPositions() {
  return "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" +
         Repeat("JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n", 60) +
         "}\nMOTION\nFrames: 5000\nFrame Time: 0.01\n" + Repeat("0\n", 5'000);
}

std::string UnaryCalls() {
  const std::string message =
      PositionsRequest(ClipOfManyPositions()).SerializeAsString();
  std::string out = HelloWithWindows();
  for (uint32_t stream = 1; stream < 2 * kClips; stream += 2) {
    out +=
        Http2Frame(kHeaders, kEndHeaders, stream, CallHeaders("ConvertClip")) +
        DataFrames(stream, message, true);
  }
  return out;
}

std::string StreamOfClips() {
  v1::ConvertClipsRequest open;
  open.mutable_open()->mutable_options()->add_outputs()->mutable_positions();
  std::string out =
      HelloWithWindows() +
      Http2Frame(kHeaders, kEndHeaders, 1, CallHeaders("ConvertClips")) +
      DataFrames(1, open.SerializeAsString(), false);
  for (int i = 0; i < kClips; ++i) {
    v1::ConvertClipsRequest clip;
    clip.mutable_begin()->set_key(std::to_string(i));
    clip.mutable_begin()->mutable_source()->set_data(ClipOfManyPositions());
    clip.mutable_begin()->set_complete(true);
    out += DataFrames(1, clip.SerializeAsString(), false);
  }
  return out;
}

std::string Reflection() {
  const std::string headers = HeadersOf(kReflectionPath);
  // ServerReflectionRequest{file_containing_symbol: ...}.
  const std::string symbol = "bvhmill.v1.ClipService";
  const std::string message = "\x22" + BigEndian(symbol.size(), 1) + symbol;
  std::string out =
      HelloWithWindows() + Http2Frame(kHeaders, kEndHeaders, 1, headers);
  for (int i = 0; i < 1'000; ++i) out += DataFrames(1, message, false);
  return out;
}

std::string FloodOfSettings() {
  return Hello() + Repeat(Http2Frame(kSettings, 0, 0, ""), 1'000'000);
}

bool HasConnections(const std::string& metrics_address, int count) {
  return FetchMetrics(metrics_address)
             .find("\nbvhmill_connections " + std::to_string(count) + "\n") !=
         std::string::npos;
}

struct UnreadCase {
  const char* name;
  std::string (*bytes)();
};

void PrintTo(const UnreadCase& unread, std::ostream* out) {
  *out << unread.name;
}

class UnreadTest : public ServerTest,
                   public ::testing::WithParamInterface<UnreadCase> {
 protected:
  void StartServer(int64_t idle_seconds) {
    Start([&](server::ServerConfig* config) {
      config->reflection = true;
      config->metrics = "127.0.0.1:0";
      config->drain_seconds = 1;
      config->service.idle_seconds = idle_seconds;
      config->log = server::LogFormat::kOff;
    });
  }

  // The server has no connection any more. Where the kernel ended it, the peer
  // does not know.
  bool IsCut() const { return HasConnections(server_->metrics_address(), 0); }

  // Sends all that the server takes, and reads nothing. Returns when the server
  // has the connection.
  int Attack() const {
    const int fd = DialLoopback(server_->address());
    EXPECT_GE(fd, 0);
    // Little room for what the server sends.
    const int room = 4096;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    SendAll(fd, GetParam().bytes(), 1'000);
    EXPECT_TRUE(Eventually(
        [this] { return HasConnections(server_->metrics_address(), 1); }));
    return fd;
  }
};

TEST_P(UnreadTest, IsCutAfterIdleSeconds) {
  StartServer(/*idle_seconds=*/2);
  const int fd = Attack();
  EXPECT_TRUE(Eventually([&] { return IsCut(); }));
  close(fd);
  grpc::ClientContext context;
  v1::ConvertClipResponse response;
  EXPECT_TRUE(
      clips_->ConvertClip(&context, PositionsRequest(SmallClip()), &response)
          .ok());
}

TEST_P(UnreadTest, DoesNotKeepTheServerFromStopping) {
  StartServer(/*idle_seconds=*/0);
  const int fd = Attack();
  auto drained =
      std::async(std::launch::async, [this] { return server_->Drain(); });
  ASSERT_EQ(drained.wait_for(std::chrono::seconds(60)),
            std::future_status::ready);
  close(fd);
}

INSTANTIATE_TEST_SUITE_P(
    Peers, UnreadTest,
    ::testing::Values(UnreadCase{"Settings", FloodOfSettings},
                      UnreadCase{"Reflection", Reflection},
                      UnreadCase{"ConvertClip", UnaryCalls},
                      UnreadCase{"ConvertClips", StreamOfClips}),
    [](const auto& info) { return info.param.name; });

class UnreadSocketTest : public ServerTest {
 protected:
  bool IsCut() const { return HasConnections(server_->metrics_address(), 0); }

  TempDir dir_;
};

TEST_F(UnreadSocketTest, OfAUnixSocketIsCutToo) {
  const std::string file = dir_.File("socket");
  server::ServerConfig config;
  config.listen = "unix:" + file;
  config.metrics = "127.0.0.1:0";
  config.service.idle_seconds = 2;
  config.log = server::LogFormat::kOff;
  ASSERT_TRUE(server::Server::Start(config, &server_).ok());
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un path = {};
  path.sun_family = AF_UNIX;
  file.copy(path.sun_path, sizeof path.sun_path - 1);
  ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&path), sizeof path), 0);
  SendAll(fd, FloodOfSettings(), 1'000);
  EXPECT_TRUE(Eventually([&] { return IsCut(); }));
  close(fd);
}

TEST_F(UnreadSocketTest, OfTlsIsCutToo) {
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
      "-nodes -days 2 -subj /CN=localhost -keyout " +
      dir_.File("key") + " -out " + dir_.File("cert") + " 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  server::ServerConfig config;
  config.listen = "127.0.0.1:0";
  config.tls_cert = dir_.File("cert");
  config.tls_key = dir_.File("key");
  config.metrics = "127.0.0.1:0";
  config.service.idle_seconds = 2;
  config.log = server::LogFormat::kOff;
  ASSERT_TRUE(server::Server::Start(config, &server_).ok());
  const int fd = DialLoopback(server_->address());
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  SSL* const tls = SSL_new(context);
  SSL_set_fd(tls, fd);
  const unsigned char http2[] = {2, 'h', '2'};
  SSL_set_alpn_protos(tls, http2, sizeof http2);
  EXPECT_EQ(SSL_connect(tls), 1);
  const timeval wait = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  const std::string bytes = FloodOfSettings();
  SSL_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE);
  for (size_t at = 0; at < bytes.size();) {
    const int put =
        SSL_write(tls, bytes.data() + at, static_cast<int>(bytes.size() - at));
    if (put <= 0) break;
    at += static_cast<size_t>(put);
  }
  EXPECT_TRUE(Eventually([&] { return IsCut(); }));
  SSL_free(tls);
  SSL_CTX_free(context);
  close(fd);
}

// The keepalive of gRPC does not see such a peer.
TEST(SendTimeoutTest, IsTheLesserOfIdleSecondsAndTheKeepalive) {
  struct Case {
    int64_t idle;
    int64_t keepalive;
    int64_t keepalive_timeout;
    int64_t seconds;
  };
  const Case cases[] = {{60, 60, 20, 60}, {60, 5, 2, 7},   {3, 5, 2, 3},
                        {0, 5, 2, 7},     {60, 0, 20, 60}, {0, 0, 20, 0}};
  for (const Case& c : cases) {
    server::ServerConfig config;
    config.service.idle_seconds = c.idle;
    config.transport.keepalive_seconds = c.keepalive;
    config.transport.keepalive_timeout_seconds = c.keepalive_timeout;
    EXPECT_EQ(server::SendTimeoutSeconds(config), c.seconds);
  }
}

TEST(WatchdogDeathTest, EndsAProgramThatDoesNotEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [] {
    server::EndAfter(1);
    while (true) pause();
  };
  EXPECT_EXIT(hang(), ::testing::ExitedWithCode(server::kStuckExit),
              "could not stop in time");
}

}  // namespace
}  // namespace bvhmill::testing
