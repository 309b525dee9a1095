// Connections that are cut because their peer accepts nothing, or because the
// server stops.

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

TEST_F(ConnectionPairsTest, APeerThatAcceptsNothingIsCut) {
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
    EXPECT_EQ(connections.Sweep(start).size(), 0);
    EXPECT_EQ(connections.Sweep(start + seconds(59)).size(), 0);
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
    const auto ended = connections.Sweep(start + seconds(62));
    ASSERT_EQ(ended.size(), c.is_ended);
    if (!c.is_ended) continue;
    EXPECT_EQ(ended[0], pair.name);
  }
}

TEST_F(ConnectionPairsTest, TheBytesThatCameAreKnown) {
  Connections connections(LimitsOf(10));
  const Pair pair = Connect();
  ASSERT_TRUE(connections.Add(pair.own));
  EXPECT_EQ(connections.ReceivedBytes(pair.name), 0);
  const std::string bytes(5'000, 'x');
  ASSERT_EQ(send(pair.peer, bytes.data(), bytes.size(), 0), 5'000);
  EXPECT_TRUE(Eventually([&] {
    connections.Sweep(Clock::now());
    return connections.ReceivedBytes(pair.name) == 5'000;
  }));
  EXPECT_EQ(connections.ReceivedBytes("ipv4:127.0.0.1:1"), 0);
}

TEST_F(ConnectionPairsTest, APeerIsCutByItsName) {
  Connections connections(LimitsOf(10));
  const Pair first = Connect();
  const Pair second = Connect();
  ASSERT_TRUE(connections.Add(first.own) && connections.Add(second.own));
  EXPECT_TRUE(connections.Reset(second.name));
  EXPECT_TRUE(IsEnded(second, 5'000));
  EXPECT_FALSE(IsEnded(first));
  EXPECT_FALSE(connections.Reset(second.name));
}

TEST_F(ConnectionPairsTest, AllAreCutAtTheEnd) {
  Connections connections(LimitsOf(3));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(connections.Add(Connect().own));
  EXPECT_EQ(connections.CutAll(), 3);
  for (const Pair& pair : pairs_) EXPECT_TRUE(IsEnded(pair, 5000));
  EXPECT_EQ(connections.CutAll(), 0);
}

}  // namespace
}  // namespace bvhmill::testing
