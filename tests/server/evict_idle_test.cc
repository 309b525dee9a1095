// Which connections are ended, by a clock of the test's own.

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "server/net/connection_table.h"
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

class EvictIdleTest : public ::testing::Test {
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

TEST_F(EvictIdleTest, OfOneConnection) {
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
                  {"no other connection came", 20, false},
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
      EXPECT_EQ(connections.Sweep(start + seconds(c.sends_at), Known()).size(),
                0);
      Send(pair, 20'000);
    }
    EXPECT_EQ(connections.EvictIdle(start + seconds(c.at), Known()),
              c.is_ended);
    EXPECT_EQ(IsEnded(pair, c.is_ended ? 5000 : 0), c.is_ended);
  }
}

TEST_F(EvictIdleTest, ASixteenthAndOneAtLeast) {
  const std::pair<int64_t, int64_t> cases[] = {{1, 1},  {15, 1}, {31, 1},
                                               {32, 2}, {47, 2}, {48, 3}};
  for (const auto& [most, ended] : cases) {
    SCOPED_TRACE(most);
    Connections connections(LimitsOf(most));
    Fill(&connections, /*is_refused=*/true);
    const auto late = Clock::now() + seconds(500);
    EXPECT_EQ(connections.EvictIdle(late, Known()), ended);
  }
}

// Files that are open beside connections need a place, too.
TEST_F(EvictIdleTest, TheSystemsLimitOnFilesCounts) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {100, before.rlim_max};
  const rlimit fewer = {20, before.rlim_max};
  struct Case {
    const rlimit* files;
    int64_t limit;
    int64_t most;
  };
  const Case cases[] = {{&few, 0, 60},
                        {&few, 59, 59},
                        {&few, 61, 60},
                        {&fewer, 0, 1},
                        {&fewer, 10, 1}};
  for (const Case& c : cases) {
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, c.files), 0);
    EXPECT_EQ(Connections(LimitsOf(c.limit)).most(), c.most)
        << c.files->rlim_cur << " " << c.limit;
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(EvictIdleTest, ASixteenthThoseWithoutCallsFirst) {
  Connections connections(LimitsOf(32));
  Fill(&connections, /*is_refused=*/true);
  const auto start = Clock::now();
  // The first, which has been silent for longest, has had a call; the next
  // three have had none, the others have one.
  for (size_t i = 0; i < 32; ++i) uses_[pairs_[i].name].calls = i < 4 ? 0 : 1;
  uses_[pairs_[0].name].heard_at = start - seconds(1000);
  const auto late = start + seconds(500);
  EXPECT_EQ(connections.EvictIdle(late, Known()), 2);
  EXPECT_FALSE(IsEnded(pairs_[0]));
  EXPECT_TRUE(IsEnded(pairs_[1], 5000) && IsEnded(pairs_[2], 5000));
  EXPECT_FALSE(IsEnded(pairs_[3]));
  // No second eviction, since no connection came.
  EXPECT_EQ(connections.EvictIdle(late, Known()), 0);
}

// Fills what the kernel keeps of what is sent; the peer reads nothing.
void FillSendQueue(const Pair& pair) {
  const std::string bytes(1 << 16, 'x');
  int64_t before = -1;
  // The kernel still moves some to the peer after the first refusal.
  for (int64_t sent = 0; before < sent; usleep(50'000)) {
    before = sent;
    ssize_t put = 0;
    while ((put = send(pair.own, bytes.data(), bytes.size(), MSG_NOSIGNAL)) >
           0) {
      sent += put;
    }
  }
}

TEST_F(EvictIdleTest, APeerThatAcceptsNothingIsCut) {
  constexpr int64_t kTimeout = 60;
  struct Case {
    const char* name;
    bool is_filled;
    // How much of it the peer reads before the second look.
    size_t reads;
    int64_t timeout;
    bool is_ended;
  };
  const Case cases[] = {{"nothing is sent", false, 0, kTimeout, false},
                        {"it reads nothing", true, 0, kTimeout, true},
                        {"it reads a few bytes", true, 100, kTimeout, true},
                        {"it reads", true, 1'000'000, kTimeout, false},
                        {"no limit", true, 0, 0, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Connections connections(LimitsOf(10), c.timeout);
    const Pair pair = Connect();
    ASSERT_TRUE(connections.Add(pair.own));
    if (c.is_filled) FillSendQueue(pair);
    const auto start = Clock::now();
    EXPECT_EQ(connections.Sweep(start, Known()).size(), 0);
    EXPECT_EQ(connections.Sweep(start + seconds(59), Known()).size(), 0);
    std::string bytes(c.reads, 0);
    for (size_t left = c.reads; left > 0;) {
      const ssize_t got = recv(pair.peer, bytes.data(), left, 0);
      ASSERT_GT(got, 0);
      left -= static_cast<size_t>(got);
    }
    // The kernel needs a moment to tell the other side.
    usleep(200'000);
    const auto ended = connections.Sweep(start + seconds(62), Known());
    ASSERT_EQ(ended.size(), c.is_ended);
    if (!c.is_ended) continue;
    EXPECT_EQ(ended[0].peer, pair.name);
    EXPECT_THAT(ended[0].why, ::testing::HasSubstr("idle_seconds"));
  }
}

TEST_F(EvictIdleTest, AllAreCutAtTheEnd) {
  Connections connections(LimitsOf(3));
  Fill(&connections, /*is_refused=*/false);
  EXPECT_EQ(connections.CutAll(), 3);
  for (const Pair& pair : pairs_) EXPECT_TRUE(IsEnded(pair, 5000));
  EXPECT_EQ(connections.CutAll(), 0);
}

// Unread bytes in a socket show that gRPC is slow with the bytes before them.
TEST_F(EvictIdleTest, MemoryThatGrowsEndsTheOneThatIsReadSlowly) {
  Connections connections(LimitsOf(10));
  const Pair upload = Connect();
  const Pair flood = Connect();
  const Pair small = Connect();
  for (const Pair& pair : {upload, flood, small}) {
    ASSERT_TRUE(connections.Add(pair.own));
  }
  std::string bytes(800'000, 0);
  const auto take = [&](const Pair& pair, size_t size) {
    for (size_t left = size; left > 0;) {
      const size_t piece = std::min<size_t>(left, 50'000);
      Send(pair, piece);
      ASSERT_EQ(recv(pair.own, bytes.data(), piece, MSG_WAITALL),
                static_cast<ssize_t>(piece));
      left -= piece;
    }
  };
  take(upload, 800'000);
  take(flood, 400'000);
  take(small, 100'000);
  Send(flood, 10'000);
  // Its bytes are no message yet, but it was active a moment ago.
  const Pair stream = Connect();
  ASSERT_TRUE(connections.Add(stream.own));
  uses_[stream.name].heard_at = Clock::now();
  EXPECT_EQ(connections.Sweep(Clock::now(), Known()).size(), 0);
  take(stream, 600'000);
  const auto now = uses_[stream.name].heard_at + seconds(1);
  const auto first = connections.CutGrowing(now, Known(), /*all=*/false);
  ASSERT_EQ(first.size(), 1);
  EXPECT_EQ(first[0].peer, flood.name);
  EXPECT_EQ(connections.read_bytes(), 1'900'000);
  // Without it, the one over which most came; small messages never.
  const auto second = connections.CutGrowing(now, Known(), /*all=*/false);
  ASSERT_EQ(second.size(), 1);
  EXPECT_EQ(second[0].peer, upload.name);
  EXPECT_EQ(connections.CutGrowing(now, Known(), /*all=*/false).size(), 0);
  EXPECT_EQ(connections.CutGrowing(now, Known(), /*all=*/true).size(), 2);
}

TEST_F(EvictIdleTest, ConnectionsReadSlowlyForSecondsAreCut) {
  struct Case {
    const char* name;
    size_t read;
    size_t unread;
    bool is_ended;
  };
  const Case cases[] = {{"slow", 400'000, 10'000, true},
                        {"all is read", 400'000, 0, false},
                        {"little came", 10'000, 10'000, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Connections connections(LimitsOf(10));
    const Pair pair = Connect();
    ASSERT_TRUE(connections.Add(pair.own));
    std::string bytes(c.read, 0);
    for (size_t left = c.read; left > 0;) {
      const size_t piece = std::min<size_t>(left, 50'000);
      Send(pair, piece);
      ASSERT_EQ(recv(pair.own, bytes.data(), piece, MSG_WAITALL),
                static_cast<ssize_t>(piece));
      left -= piece;
    }
    const auto start = Clock::now();
    EXPECT_EQ(connections.Sweep(start, Known()).size(), 0);
    if (c.unread > 0) Send(pair, c.unread);
    for (int i = 1; i < 3; ++i) {
      EXPECT_EQ(connections.Sweep(start + seconds(i), Known()).size(), 0);
    }
    EXPECT_EQ(connections.Sweep(start + seconds(5), Known()).size(),
              c.is_ended);
  }
}

// Bytes that were read and are not in memory can become no message: frames
// without data, for example, which gRPC reads and forgets.
TEST_F(EvictIdleTest, BytesOutsideMemoryCanBecomeNoMessage) {
  struct Case {
    const char* name;
    int64_t resident;
    bool is_ended;
  };
  const Case cases[] = {{"it is in memory", 2'000'000, false},
                        {"less is in memory", 1'900'000, true},
                        {"memory is not known", 0, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Connections connections(LimitsOf(10));
    const Pair pair = Connect();
    ASSERT_TRUE(connections.Add(pair.own));
    std::string bytes(50'000, 0);
    for (int i = 0; i < 40; ++i) {
      Send(pair, bytes.size());
      ASSERT_EQ(recv(pair.own, bytes.data(), bytes.size(), MSG_WAITALL),
                static_cast<ssize_t>(bytes.size()));
    }
    EXPECT_FALSE(connections.WasReset(pair.name));
    EXPECT_EQ(connections.Sweep(Clock::now(), Known(), c.resident).size(),
              c.is_ended);
    // Its calls need not be begun.
    EXPECT_EQ(connections.WasReset(pair.name), c.is_ended);
    EXPECT_EQ(connections.has_cuts(), c.is_ended);
  }
}

// An upload that begins after a long silence is not cut: the silence does not
// count as time of the upload.
TEST_F(EvictIdleTest, SilenceIsNotTheTimeOfWhatComesNext) {
  Connections connections(LimitsOf(1));
  Fill(&connections, /*is_refused=*/false);
  const auto start = Clock::now();
  EXPECT_EQ(connections.Sweep(start + seconds(200), Known()).size(), 0);
  Send(pairs_[0], 20'000);
  EXPECT_EQ(connections.Sweep(start + seconds(201), Known()).size(), 0);
  EXPECT_EQ(connections.Sweep(start + seconds(299), Known()).size(), 0);
  const auto ended = connections.Sweep(start + seconds(301), Known());
  ASSERT_EQ(ended.size(), 1);
  EXPECT_EQ(ended[0].peer, pairs_[0].name);
  EXPECT_THAT(ended[0].why, ::testing::HasSubstr("max_stray_bytes"));
}

}  // namespace
}  // namespace bvhmill::testing
