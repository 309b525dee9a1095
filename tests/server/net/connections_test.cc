// Connections: how many there may be, and what comes over them.

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "server/net/connection_table.h"
#include "server/net/listener.h"
#include "tests/server/fixture.h"
#include "tests/server/http2.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

// Whether the other side has ended it; reads what comes.
bool IsEnded(int fd) {
  char buffer[4096];
  ssize_t got = 0;
  while ((got = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT)) > 0) {
  }
  return got == 0 || errno != EAGAIN;
}

class ConnectionsTest : public ServerTest {
 protected:
  void TearDown() override {
    for (const int fd : files_) close(fd);
  }

  int Dial() {
    files_.push_back(DialLoopback(server_->address()));
    EXPECT_GE(files_.back(), 0);
    return files_.back();
  }

  int64_t Ended() const {
    return std::count_if(files_.begin(), files_.end(), IsEnded);
  }

  grpc::Status Convert() { return ConvertBy(clips_.get()); }

  static grpc::Status ConvertBy(v1::ClipService::Stub* stub) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(60));
    v1::ConvertClipResponse response;
    return stub->ConvertClip(&context, PositionsRequest(SmallClip()),
                             &response);
  }

  std::vector<int> files_;
};

TEST_F(ConnectionsTest, OneMoreThanThereMayBeIsClosed) {
  constexpr int64_t kMax = 5;
  Start([](server::ServerConfig* config) {
    config->transport.max_connections = kMax;
    config->metrics = "127.0.0.1:0";
  });
  for (int i = 0; i < 2 * kMax; ++i) Dial();
  EXPECT_TRUE(Eventually([&] { return Ended() == kMax; }));
  EXPECT_TRUE(Eventually([&] {
    const std::string page = FetchMetrics(server_->metrics_address());
    return page.find("\nbvhmill_connections 5\n") != std::string::npos &&
           page.find("\nbvhmill_refused_connections_total 5\n") !=
               std::string::npos;
  }));
  for (const int fd : files_) close(fd);
  files_.clear();
  const grpc::Status status = Convert();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// A client that only holds connections does not keep other clients out.
TEST_F(ConnectionsTest, SilentConnectionsAreEvictedForNewOnes) {
  constexpr int64_t kMax = 20;
  Start([](server::ServerConfig* config) {
    config->transport.max_connections = kMax;
    config->transport.handshake_seconds = 3;
  });
  // One has a call, which waits; one sends what will be a call.
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  request.mutable_begin()->mutable_options()->add_outputs()->mutable_csv();
  ASSERT_TRUE(stream->Write(request));
  SendAll(Dial(),
          HalfCall("ConvertClip", BigEndian(0, 1) + BigEndian(1 << 20, 4)) +
              Http2Frame(kData, 0, 1, std::string(10'000, 'x')));
  for (int64_t i = 2; i < kMax; ++i) {
    SendAll(Dial(), Hello());
  }
  // Holds until the others are known to be silent.
  const int beyond = Dial();
  EXPECT_TRUE(Eventually([&] { return IsEnded(beyond); }));
  const std::vector<int> silent(files_.begin() + 1, files_.begin() + kMax - 1);
  const auto ended = [&] {
    return std::count_if(silent.begin(), silent.end(), IsEnded);
  };
  EXPECT_EQ(ended(), 0);
  const auto other = Connect();
  EXPECT_TRUE(ConvertBy(other.get()).ok());
  EXPECT_GE(ended(), 1);
  EXPECT_LT(ended(), kMax / 2);
  EXPECT_FALSE(IsEnded(files_[0]));
  // The call goes on.
  request.set_chunk(SmallClip());
  EXPECT_TRUE(stream->Write(request));
  request.mutable_end();
  EXPECT_TRUE(stream->Write(request));
  stream->WritesDone();
  v1::ConvertClipsResponse response;
  while (stream->Read(&response)) {
  }
  EXPECT_TRUE(response.has_result());
  EXPECT_TRUE(stream->Finish().ok());
}

// Calls that are reset as soon as they are made are no less work than others.
TEST_F(ConnectionsTest, CallsCancelledBeforeTheirMessage) {
  constexpr uint32_t kMax = 8;
  struct Case {
    const char* name;
    uint32_t calls;
    // One in the middle is made.
    bool is_heard;
    bool is_cut;
  };
  const Case cases[] = {{"the most allowed", 2 * kMax - 1, false, false},
                        {"one more", 2 * kMax, false, true},
                        {"some, a call, some", 3 * kMax, true, false}};
  Start([](server::ServerConfig* config) {
    config->transport.max_streams_per_connection = kMax;
  });
  v1::ConvertClipsRequest clip;
  clip.mutable_begin()->mutable_source()->set_data(SmallClip());
  clip.mutable_begin()->set_complete(true);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const int fd = Dial();
    SendAll(fd, Hello());
    const std::string headers = CallHeaders("ConvertClips");
    for (uint32_t i = 0; i < c.calls; ++i) {
      const uint32_t stream = 2 * i + 1;
      SendAll(fd, Http2Frame(kHeaders, kEndHeaders, stream, headers));
      if (c.is_heard && i == c.calls / 2) {
        SendAll(fd, Http2Frame(kData, kEndStream, stream,
                               Prefixed(clip.SerializeAsString())));
      }
      // So that the server sees each of them.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      SendAll(fd, Http2Frame(kReset, 0, stream, BigEndian(8, 4)));
    }
    if (c.is_cut) {
      EXPECT_TRUE(Eventually([&] { return IsEnded(fd); }));
    } else {
      EXPECT_TRUE(Convert().ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_FALSE(IsEnded(fd));
    }
  }
  EXPECT_TRUE(Convert().ok());
}

// gRPC does not report a unary call before its message is complete, nor a part
// of a message of a stream. A unary call must have its message in time, however
// small it is; a stream may be idle.
TEST_F(ConnectionsTest, MessagesThatDoNotComeWhole) {
  struct Case {
    const char* name;
    size_t bytes;
    bool is_cut;
  };
  // More has no window before the server sees how long the message is.
  const Case cases[] = {{"ConvertClip", 60'000, true},
                        {"ConvertClip", 2'000, true},
                        {"ConvertClips", 2'000, false},
                        {"ValidateClip", 60'000, true},
                        {"ConvertClips", 60'000, true}};
  Start([](server::ServerConfig* config) {
    config->transport.max_request_seconds = 1;
    config->transport.max_stray_bytes = 10'000;
  });
  ASSERT_TRUE(Convert().ok());
  for (const Case& c : cases) {
    std::string data;
    for (size_t left = c.bytes; left > 0;) {
      const size_t piece = std::min<size_t>(left, 16'000);
      data += Http2Frame(kData, 0, 1, std::string(piece, 'x'));
      left -= piece;
    }
    // Announces a message of one megabyte.
    SendAll(Dial(),
            HalfCall(c.name, BigEndian(0, 1) + BigEndian(1 << 20, 4)) + data);
  }
  EXPECT_TRUE(Eventually([&] { return Ended() == 4; })) << Ended();
  for (size_t i = 0; i < files_.size(); ++i) {
    EXPECT_EQ(IsEnded(files_[i]), cases[i].is_cut) << cases[i].name;
  }
  EXPECT_TRUE(Convert().ok());
}

TEST(ListenerTest, SocketsThatAreFiles) {
  const TempDir dir;
  const std::string address = "unix:" + dir.File("socket");
  std::unique_ptr<server::Listener> first;
  ASSERT_TRUE(server::Listener::Open(address, &first).ok());
  std::unique_ptr<server::Listener> second;
  const absl::Status taken = server::Listener::Open(address, &second);
  EXPECT_THAT(std::string(taken.message()), HasSubstr("the address is taken"));
  EXPECT_EQ(access(dir.File("socket").c_str(), F_OK), 0);
  first.reset();
  EXPECT_NE(access(dir.File("socket").c_str(), F_OK), 0);
  // A socket file left by a server that was killed.
  const int left = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un path = {};
  path.sun_family = AF_UNIX;
  dir.File("socket").copy(path.sun_path, sizeof path.sun_path - 1);
  ASSERT_EQ(bind(left, reinterpret_cast<sockaddr*>(&path), sizeof path), 0);
  close(left);
  EXPECT_TRUE(server::Listener::Open(address, &second).ok());
}

TEST(ListenerTest, AddressesThatCannotBeHad) {
  struct Case {
    const char* address;
    const char* why;
  };
  const Case cases[] = {
      {"127.0.0.1", "it is not HOST:PORT"},
      {"127.0.0.1:70000", "it is not HOST:PORT"},
      {"no.such.host.invalid:0", "no such host is known here"},
      {"192.0.2.1:0", "the address is not of this machine"},
      {"unix:", "the path is empty or too long"},
      {"unix:/no/such/folder/socket", "No such file or directory"}};
  for (const Case& c : cases) {
    std::unique_ptr<server::Listener> listener;
    const absl::Status status = server::Listener::Open(c.address, &listener);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << c.address;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.why)) << c.address;
  }
}

}  // namespace
}  // namespace bvhmill::testing
