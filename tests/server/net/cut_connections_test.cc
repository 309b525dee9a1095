// Connections that are cut because their peer accepts nothing, is read slowly,
// or sends bytes that become no message.

#include <gmock/gmock.h>
#include <linux/sockios.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include "server/net/connection_table.h"
#include "tests/server/net/connection_pairs.h"

namespace bvhmill::testing {
namespace {

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

// Bytes that wait in the kernel for room at the peer.
int Unsent(const Pair& pair) {
  int bytes = -1;
  EXPECT_EQ(ioctl(pair.own, SIOCOUTQ, &bytes), 0);
  return bytes;
}

TEST_F(EvictIdleTest, APeerThatAcceptsNothingIsCut) {
  constexpr int64_t kTimeout = 60;
  constexpr size_t kLittle = 100;
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
                        {"it reads a few bytes", true, kLittle, kTimeout, true},
                        {"it reads", true, 1'000'000, kTimeout, false},
                        {"no limit", true, 0, 0, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Connections connections(LimitsOf(10), c.timeout);
    const Pair pair = Connect();
    ASSERT_TRUE(connections.Add(pair.own));
    if (c.is_filled) FillSendQueue(pair);
    const int unsent = Unsent(pair);
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
    if (c.reads > kLittle) {
      EXPECT_TRUE(Eventually([&] { return Unsent(pair) < unsent; }));
    }
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

// gRPC has calls that are in no registry, or without a ticket.
TEST_F(EvictIdleTest, TheConnectionWithMostUncountedCallsIsCut) {
  struct Case {
    const char* name;
    // Calls of two connections: those that gRPC has, those of them in the
    // registry, and those of the latter without a ticket.
    int64_t begun[2];
    int64_t known[2];
    int64_t free[2];
    // The connection that is cut; -1 = none.
    int cut;
  };
  const Case cases[] = {{"as many as allowed", {4, 6}, {0, 0}, {0, 0}, -1},
                        {"one more", {5, 6}, {0, 0}, {0, 0}, 1},
                        {"the first has more", {7, 5}, {0, 0}, {0, 0}, 0},
                        {"they are known", {5, 6}, {0, 1}, {0, 0}, -1},
                        {"without tickets", {9, 5}, {9, 0}, {6, 0}, 0}};
  for (const Case& c : cases) {
    for (const bool sweeps : {false, true}) {
      SCOPED_TRACE(c.name);
      const Pair pairs[] = {Connect(), Connect()};
      server::TransportLimits limits = LimitsOf(10);
      limits.max_unheard_calls = 10;
      Connections connections(limits, 0, [&](const std::string& peer) {
        const int i = peer == pairs[0].name ? 0 : 1;
        return Connections::CallCounts{.begun = c.begun[i]};
      });
      for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(connections.Add(pairs[i].own));
        // Something was read: it may be calls.
        Send(pairs[i], 1);
        char byte = 0;
        ASSERT_EQ(recv(pairs[i].own, &byte, 1, MSG_WAITALL), 1);
        uses_[pairs[i].name].calls = c.known[i];
        uses_[pairs[i].name].free_calls = c.free[i];
      }
      const auto ended = sweeps
                             ? connections.Sweep(Clock::now(), Known())
                             : connections.CutUncounted(Clock::now(), Known());
      ASSERT_EQ(ended.size(), c.cut >= 0);
      if (c.cut < 0) continue;
      EXPECT_EQ(ended[0].peer, pairs[c.cut].name);
      EXPECT_STREQ(ended[0].why, "max_unheard_calls");
    }
  }
}

TEST_F(EvictIdleTest, WithoutALimitNoBytesAreTooMany) {
  server::TransportLimits limits = LimitsOf(10);
  limits.max_stray_bytes = 0;
  Connections connections(limits);
  const Pair pair = Connect();
  ASSERT_TRUE(connections.Add(pair.own));
  std::string bytes(50'000, 0);
  for (int i = 0; i < 10; ++i) {
    Send(pair, bytes.size());
    ASSERT_EQ(recv(pair.own, bytes.data(), bytes.size(), MSG_WAITALL),
              static_cast<ssize_t>(bytes.size()));
  }
  const auto start = Clock::now();
  EXPECT_EQ(connections.Sweep(start, Known()).size(), 0);
  Send(pair, bytes.size());
  for (const int second : {1, 5, 500}) {
    EXPECT_EQ(connections.Sweep(start + seconds(second), Known()).size(), 0);
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
