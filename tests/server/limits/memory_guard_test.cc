// A guard reads the memory of this process, and acts on it by hooks.

#include "server/limits/memory_guard.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/server/limits/resources.h"

namespace bvhmill::testing {
namespace {

using server::MemoryGuard;
using server::MemoryHooks;
using server::MemoryPolicy;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Clock = MemoryGuard::Clock;

constexpr int64_t kMebi = int64_t{1} << 20;
// The process takes less than this for other purposes during a test.
constexpr int64_t kMargin = 16 * kMebi;

// A server whose hooks say what the test wants, and note the acts.
struct HookedServer {
  // Resident bytes that the server does not count.
  int64_t uncounted = 0;
  int64_t unfinished = 0;
  int64_t received = 0;
  int times_counted = 0;
  int times_unfinished = 0;
  std::vector<std::string> acts = {};
  // The times that the guard gave to the hooks.
  Clock::time_point unfinished_at = {};
  Clock::time_point cut_at = {};

  MemoryHooks Hooks() {
    return {.counted_bytes =
                [this] {
                  ++times_counted;
                  return server::ResidentBytes() - uncounted;
                },
            .unfinished_bytes =
                [this](Clock::time_point now) {
                  ++times_unfinished;
                  unfinished_at = now;
                  return unfinished;
                },
            .received_bytes = [this] { return received; },
            .cut =
                [this](Clock::time_point now, bool all) {
                  acts.emplace_back(all ? "cut all" : "cut");
                  cut_at = now;
                },
            .on_change =
                [this](bool is_short) {
                  acts.emplace_back(is_short ? "short" : "not short");
                }};
  }
};

// A guard of a process whose bound on address space makes it so full.
std::unique_ptr<MemoryGuard> GuardAt(double fullness, MemoryHooks hooks,
                                     bool cuts = true) {
  // Releases what earlier tests freed. The guard would release it later, and
  // the process would then be less full.
  server::ReleaseFreeMemory();
  const auto space = static_cast<double>(server::ReadMemoryUse().address_space);
  const SoftLimit bound(RLIMIT_AS, static_cast<rlim_t>(space / fullness));
  return std::make_unique<MemoryGuard>(std::move(hooks), cuts);
}

TEST(MemoryGuardTest, CountsUnfinishedMessagesIfTheRestExplainsTooLittle) {
  const std::pair<int64_t, int> cases[] = {
      {0, 0},
      {MemoryPolicy::kReleaseSlack - kMargin, 0},
      {MemoryPolicy::kReleaseSlack + kMargin, 1}};
  for (const auto& [uncounted, times] : cases) {
    HookedServer server{.uncounted = uncounted};
    MemoryGuard guard(server.Hooks(), /*cuts=*/true);
    const auto now = Clock::now();
    guard.Check(now);
    EXPECT_EQ(server.times_unfinished, times) << uncounted;
    EXPECT_THAT(server.acts, IsEmpty());
    if (times > 0) {
      EXPECT_EQ(server.unfinished_at, now);
    }
  }
}

TEST(MemoryGuardTest, CutsForMemoryThatIsNotExplained) {
  constexpr int64_t kLittle = MemoryPolicy::kCutSlack - kMargin;
  constexpr int64_t kMuch = MemoryPolicy::kCutSlack + kMargin;
  struct Case {
    const char* name;
    int64_t uncounted;
    int64_t unfinished;
    int64_t received;
    bool may_cut;
    bool cuts;
  };
  const Case cases[] = {
      {"little", kLittle, 0, 0, true, false},
      {"much", kMuch, 0, 0, true, true},
      {"messages are unfinished", kMuch, 2 * kMargin, 0, true, false},
      {"counted and unfinished", kMuch, kMargin / 4, 0, true, true},
      {"bytes came", kMuch, 0, kMuch, true, false},
      {"it may not cut", kMuch, 0, 0, false, false}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    HookedServer server{.uncounted = c.uncounted,
                        .unfinished = c.unfinished,
                        .received = c.received};
    MemoryGuard guard(server.Hooks(), c.may_cut);
    const auto now = Clock::now();
    guard.Check(now);
    EXPECT_EQ(server.acts, c.cuts ? std::vector<std::string>{"cut"}
                                  : std::vector<std::string>{});
    if (c.cuts) {
      EXPECT_EQ(server.cut_at, now);
    }
  }
}

TEST(MemoryGuardTest, CountsUnfinishedMessagesTenTimesASecondOrAfterGrowth) {
  struct Step {
    int millisecond;
    int64_t filled_mebi;
    bool counts;
  };
  const Step steps[] = {{0, 0, true},    {0, 0, false},   {99, 0, false},
                        {100, 0, true},  {101, 1, false}, {102, 8, true},
                        {103, 8, false}, {201, 8, false}, {202, 8, true}};
  // The guard uses a count of unfinished messages until it counts again.
  HookedServer server{.uncounted = MemoryPolicy::kCutSlack + kMargin,
                      .unfinished = 2 * kMargin};
  MemoryGuard guard(server.Hooks(), /*cuts=*/true);
  Space space(16 * kMebi);
  const auto start = Clock::now();
  int times = 0;
  for (const Step& step : steps) {
    space.Fill(step.filled_mebi * kMebi);
    guard.Check(start + milliseconds(step.millisecond));
    times += step.counts ? 1 : 0;
    EXPECT_EQ(server.times_unfinished, times) << step.millisecond;
  }
  EXPECT_THAT(server.acts, IsEmpty());
}

TEST(MemoryGuardTest, ReadsTheMemoryAgainAfterARelease) {
  HookedServer server{.uncounted = MemoryPolicy::kCutSlack + kMargin};
  MemoryHooks hooks = server.Hooks();
  // The allocator gives the memory back between the first two readings.
  hooks.counted_bytes = [&] {
    return server::ResidentBytes() -
           (++server.times_counted == 1 ? server.uncounted : 0);
  };
  MemoryGuard guard(hooks, /*cuts=*/true);
  guard.Check(Clock::now());
  EXPECT_EQ(server.times_counted, 2);
  EXPECT_THAT(server.acts, IsEmpty());
  guard.Check(Clock::now());
  EXPECT_EQ(server.times_counted, 3) << "nothing to release";
}

// Blocks that the allocator keeps, since one after them is in use.
TEST(MemoryGuardTest, FreeMemoryOfTheAllocatorIsReleasedAndNoReasonToCut) {
  if (BVHMILL_SANITIZED != 0) return;
  constexpr int64_t kBlock = 64 << 10;
  const int64_t before = server::ResidentBytes();
  HookedServer server;
  MemoryHooks hooks = server.Hooks();
  hooks.counted_bytes = [before] { return before; };
  MemoryGuard guard(hooks, /*cuts=*/true);
  std::vector<std::unique_ptr<std::string>> blocks;
  for (int64_t i = 0; i < 256 * kMebi / kBlock; ++i) {
    blocks.push_back(std::make_unique<std::string>(kBlock, 'a'));
  }
  const auto last = std::move(blocks.back());
  blocks.clear();
  ASSERT_GT(server::ResidentBytes(), before + 200 * kMebi);
  guard.Check(Clock::now());
  EXPECT_LT(server::ResidentBytes(), before + 100 * kMebi);
  EXPECT_THAT(server.acts, IsEmpty());
}

TEST(MemoryGuardTest, CutsAllIfMemoryThatIsNotCountedFillsTheProcess) {
  constexpr int64_t kMuch = MemoryPolicy::kCutSlack + kMargin;
  struct Case {
    double fullness;
    int64_t uncounted;
    bool may_cut;
    std::vector<std::string> acts;
  };
  const Case cases[] = {{0.90, kMuch, true, {"short"}},
                        {0.95, kMuch, true, {"short", "cut all"}},
                        {0.95, 0, true, {"short"}},
                        {0.95, kMuch, false, {"short"}}};
  for (const Case& c : cases) {
    // The bytes that came explain the growth.
    HookedServer server{.uncounted = c.uncounted, .received = kMuch};
    const auto guard = GuardAt(c.fullness, server.Hooks(), c.may_cut);
    const auto now = Clock::now();
    guard->Check(now);
    EXPECT_EQ(server.acts, c.acts) << c.fullness << " " << c.uncounted;
  }
}

TEST(MemoryGuardTest, TellsOnceWhenMemoryBecomesShortAndWhenItIsNotAnyMore) {
  HookedServer server;
  // Without this space the process is half as full.
  auto space = std::make_unique<Space>(server::ReadMemoryUse().address_space);
  const auto guard = GuardAt(0.9, server.Hooks());
  guard->Listen([&](bool is_short) {
    server.acts.emplace_back(is_short ? "heard: short" : "heard: not short");
  });
  EXPECT_FALSE(guard->is_short());
  for (int i = 0; i < 2; ++i) {
    guard->Check(Clock::now());
    EXPECT_TRUE(guard->is_short());
  }
  EXPECT_THAT(server.acts, ElementsAre("short", "heard: short"));
  server.acts.clear();
  space.reset();
  for (int i = 0; i < 2; ++i) {
    guard->Check(Clock::now());
    EXPECT_FALSE(guard->is_short());
  }
  EXPECT_THAT(server.acts, ElementsAre("not short", "heard: not short"));
}

TEST(MemoryGuardTest, AListenerThatWasRemovedIsNotCalled) {
  HookedServer server;
  const auto guard = GuardAt(0.9, server.Hooks());
  bool is_called = false;
  guard->Listen([&](bool) { is_called = true; });
  guard->Listen({});
  guard->Check(Clock::now());
  EXPECT_TRUE(guard->is_short());
  EXPECT_FALSE(is_called);
}

TEST(MemoryGuardTest, AListenerIsRemovedWhenItHasReturned) {
  HookedServer server;
  const auto guard = GuardAt(0.9, server.Hooks());
  std::latch entered(1);
  std::atomic<bool> has_returned = false;
  guard->Listen([&](bool) {
    entered.count_down();
    std::this_thread::sleep_for(milliseconds(20));
    has_returned = true;
  });
  const std::jthread checks([&] { guard->Check(Clock::now()); });
  entered.wait();
  guard->Listen({});
  EXPECT_TRUE(has_returned);
}

}  // namespace
}  // namespace bvhmill::testing
