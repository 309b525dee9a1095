// Which connections are ended to make room for others, by a clock of the
// test's own.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "server/app/config.h"
#include "server/net/connection_table.h"
#include "tests/server/net/connection_pairs.h"

namespace bvhmill::testing {
namespace {

TEST_F(EvictIdleTest, OneConnectionIsEndedIfItIsIdle) {
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

TEST_F(EvictIdleTest, ASixteenthIsEndedAndAtLeastOne) {
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

TEST_F(EvictIdleTest, ConnectionsWithoutCallsAreEndedFirst) {
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

}  // namespace
}  // namespace bvhmill::testing
