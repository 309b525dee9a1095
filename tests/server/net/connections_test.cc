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
           page.find(
               "\nbvhmill_refused_connections_total{reason="
               "\"max_connections\"} 5\n") != std::string::npos;
  }));
  for (const int fd : files_) close(fd);
  files_.clear();
  const grpc::Status status = Convert();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

// 127.0.0.1 has no such limit: a proxy on this machine connects from there.
TEST_F(ConnectionsTest, OneAddressMayHaveSoMany) {
  struct Case {
    const char* from;
    int64_t ended;
  };
  const Case cases[] = {{"127.0.0.2", 3}, {"127.0.0.3", 3}, {"127.0.0.1", 0}};
  Start([](server::ServerConfig* config) {
    config->transport.max_connections_per_address = 5;
    config->metrics = "127.0.0.1:0";
  });
  for (const Case& c : cases) {
    SCOPED_TRACE(c.from);
    files_.clear();
    for (int i = 0; i < 8; ++i) {
      files_.push_back(DialLoopback(server_->address(), c.from));
    }
    EXPECT_TRUE(Eventually([&] { return Ended() == c.ended; })) << Ended();
    for (const int fd : files_) close(fd);
  }
  files_.clear();
  const std::string page = FetchMetrics(server_->metrics_address());
  EXPECT_THAT(page, HasSubstr("{reason=\"max_connections_per_address\"} 6\n"));
  EXPECT_THAT(page, HasSubstr("{reason=\"max_connections\"} 0\n"));
  // One that closes leaves its place.
  EXPECT_TRUE(Eventually([&] {
    files_.push_back(DialLoopback(server_->address(), "127.0.0.2"));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !IsEnded(files_.back());
  }));
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
