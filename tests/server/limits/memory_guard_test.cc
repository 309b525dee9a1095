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
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Clock = MemoryGuard::Clock;

constexpr int64_t kMebi = int64_t{1} << 20;

// A server whose hooks note what the guard does.
struct HookedServer {
  int64_t counted = 0;
  int times_counted = 0;
  std::vector<std::string> acts = {};

  MemoryHooks Hooks() {
    return {.counted_bytes =
                [this] {
                  ++times_counted;
                  return counted;
                },
            .is_idle = [] { return false; },
            .on_change =
                [this](bool is_short) {
                  acts.emplace_back(is_short ? "short" : "not short");
                }};
  }
};

// A guard of a process whose bound on address space makes it so full.
std::unique_ptr<MemoryGuard> GuardAt(double fullness, MemoryHooks hooks) {
  // Releases what earlier tests freed. The guard would release it later, and
  // the process would then be less full.
  server::ReleaseFreeMemory();
  const auto space = static_cast<double>(server::ReadMemoryUse().address_space);
  const SoftLimit bound(RLIMIT_AS, static_cast<rlim_t>(space / fullness));
  return std::make_unique<MemoryGuard>(std::move(hooks));
}

// Blocks that the allocator keeps, since one after them is in use.
TEST(MemoryGuardTest, FreeMemoryOfTheAllocatorIsReleased) {
  if (BVHMILL_SANITIZED != 0) return;
  constexpr int64_t kBlock = 64 << 10;
  const int64_t before = server::ResidentBytes();
  HookedServer server{.counted = before};
  MemoryGuard guard(server.Hooks());
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
