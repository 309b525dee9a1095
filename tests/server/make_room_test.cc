// Which connections are ended, by a clock of the test's own.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "server/connections.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

using server::Connections;
using std::chrono::seconds;
using Clock = Connections::Clock;

// Both ends of a connection.
struct Pair {
  int own = -1;
  int peer = -1;
  std::string name;
};

class MakeRoomTest : public ::testing::Test {
 protected:
  void SetUp() override {
    listening_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(bind(listening_, any, size), 0);
    ASSERT_EQ(listen(listening_, 64), 0);
    ASSERT_EQ(getsockname(listening_, any, &size), 0);
    address_ = address;
  }

  void TearDown() override {
    for (const Pair& pair : pairs_) {
      close(pair.own);
      close(pair.peer);
    }
    close(listening_);
  }

  Pair Connect() {
    Pair pair;
    pair.peer = socket(AF_INET, SOCK_STREAM, 0);
    const auto* const address = reinterpret_cast<sockaddr*>(&address_);
    EXPECT_EQ(connect(pair.peer, address, sizeof address_), 0);
    pair.own = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK);
    sockaddr_in from = {};
    socklen_t size = sizeof from;
    getsockname(pair.peer, reinterpret_cast<sockaddr*>(&from), &size);
    pair.name = "ipv4:127.0.0.1:" + std::to_string(ntohs(from.sin_port));
    pairs_.push_back(pair);
    return pair;
  }

  // Fills all there may be, and asks for one more if `is_refused`.
  void Fill(Connections* connections, bool is_refused) {
    for (int64_t i = 0; i < connections->most(); ++i) {
      ASSERT_TRUE(connections->Add(Connect().own));
    }
    if (is_refused) Refuse(connections);
  }

  void Refuse(Connections* connections) {
    EXPECT_FALSE(connections->Add(Connect().own));
  }

  Connections::UseOf Known() {
    return [this](const std::string& peer) { return uses_[peer]; };
  }

  static bool IsEnded(const Pair& pair, int wait_ms = 0) {
    pollfd ready = {pair.peer, POLLIN, 0};
    poll(&ready, 1, wait_ms);
    char byte = 0;
    return recv(pair.peer, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 &&
           errno == ECONNRESET;
  }

  int listening_ = -1;
  sockaddr_in address_ = {};
  std::vector<Pair> pairs_;
  std::map<std::string, Connections::Use> uses_;
};

server::TransportLimits LimitsOf(int64_t connections) {
  server::TransportLimits limits;
  limits.max_connections = connections;
  limits.handshake_seconds = 10;
  limits.max_request_seconds = 100;
  limits.max_stray_bytes = 1000;
  return limits;
}

// All of it is there when this returns.
void Send(const Pair& pair, size_t bytes) {
  std::string data(bytes, 'x');
  ASSERT_EQ(send(pair.peer, data.data(), bytes, 0),
            static_cast<ssize_t>(bytes));
  EXPECT_TRUE(Eventually([&] {
    return recv(pair.own, data.data(), bytes, MSG_PEEK | MSG_DONTWAIT) ==
           static_cast<ssize_t>(bytes);
  }));
}

TEST_F(MakeRoomTest, OfOneConnection) {
  constexpr int kNever = -1;
  struct Case {
    const char* name;
    // When room is made; since the connection came, as are the others.
    int at;
    bool is_ended;
    int64_t calls = 0;
    int heard_at = kNever;
    int ended_at = kNever;
    // When it begins to send what is no message yet.
    int sends_at = kNever;
    bool is_refused = true;
    int64_t handshake_seconds = 10;
  };
  Case cases[] = {{"it just came", 1, false},
                  {"it is silent", 20, true},
                  {"nobody else came", 20, false},
                  {"no limit", 20, false},
                  {"it has a call", 900, false},
                  {"it had calls", 90, false},
                  {"its call has just ended", 900, false},
                  {"it had calls long ago", 110, true},
                  {"it sends a call", 52, false},
                  {"it sends a call that never comes", 170, true}};
  cases[2].is_refused = false;
  cases[3].handshake_seconds = 0;
  cases[4].calls = 1;
  cases[5].heard_at = cases[6].heard_at = cases[7].heard_at = 0;
  cases[6].ended_at = 850;
  cases[8].sends_at = cases[9].sends_at = 50;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    server::TransportLimits limits = LimitsOf(1);
    limits.handshake_seconds = c.handshake_seconds;
    Connections connections(limits);
    Fill(&connections, c.is_refused);
    const auto start = Clock::now();
    const Pair pair = pairs_[pairs_.size() - (c.is_refused ? 2 : 1)];
    Connections::Use& use = uses_[pair.name];
    use.calls = c.calls;
    if (c.heard_at >= 0) use.heard_at = start + seconds(c.heard_at);
    if (c.ended_at >= 0) use.ended_at = start + seconds(c.ended_at);
    if (c.sends_at >= 0) {
      EXPECT_EQ(connections.Look(start + seconds(c.sends_at), Known()).size(),
                0);
      Send(pair, 20'000);
    }
    EXPECT_EQ(connections.MakeRoom(start + seconds(c.at), Known()), c.is_ended);
    EXPECT_EQ(IsEnded(pair, c.is_ended ? 5000 : 0), c.is_ended);
  }
}

TEST_F(MakeRoomTest, ASixteenthThoseWithoutCallsFirst) {
  Connections connections(LimitsOf(32));
  Fill(&connections, /*is_refused=*/true);
  const auto start = Clock::now();
  // The first, which has been silent for longest, has had a call; the next
  // three have had none, the others have one.
  for (size_t i = 0; i < 32; ++i) uses_[pairs_[i].name].calls = i < 4 ? 0 : 1;
  uses_[pairs_[0].name].heard_at = start - seconds(1000);
  const auto late = start + seconds(500);
  EXPECT_EQ(connections.MakeRoom(late, Known()), 2);
  EXPECT_FALSE(IsEnded(pairs_[0]));
  EXPECT_TRUE(IsEnded(pairs_[1], 5000) && IsEnded(pairs_[2], 5000));
  EXPECT_FALSE(IsEnded(pairs_[3]));
  // Not again, for nobody came.
  EXPECT_EQ(connections.MakeRoom(late, Known()), 0);
}

// An upload that began behind a long silence was cut at once: all of that was
// taken for its time.
TEST_F(MakeRoomTest, SilenceIsNotTheTimeOfWhatComesNext) {
  Connections connections(LimitsOf(1));
  Fill(&connections, /*is_refused=*/false);
  const auto start = Clock::now();
  EXPECT_EQ(connections.Look(start + seconds(200), Known()).size(), 0);
  Send(pairs_[0], 20'000);
  EXPECT_EQ(connections.Look(start + seconds(201), Known()).size(), 0);
  EXPECT_EQ(connections.Look(start + seconds(299), Known()).size(), 0);
  EXPECT_EQ(connections.Look(start + seconds(301), Known()),
            std::vector<std::string>{pairs_[0].name});
}

}  // namespace
}  // namespace bvhmill::testing
