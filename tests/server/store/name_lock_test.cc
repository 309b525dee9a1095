// The lock of names, for the threads of one server and for several servers.

#include "server/store/name_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

namespace bvhmill::testing {
namespace {

using server::NameLock;
using Held = std::unique_ptr<NameLock::Held>;

struct LockKind {
  const char* name;
  std::function<std::unique_ptr<NameLock>(const std::string& path)> make;
};

void PrintTo(const LockKind& kind, std::ostream* out) { *out << kind.name; }

class NameLockTest : public ::testing::TestWithParam<LockKind> {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "name-lock-" + std::to_string(getpid());
    std::filesystem::remove(path_);
    lock_ = GetParam().make(path_);
  }
  void TearDown() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + "-turn");
  }

  Held Hold() {
    Held held;
    EXPECT_TRUE(lock_->Hold(&held).ok());
    EXPECT_NE(held, nullptr);
    return held;
  }
  Held HoldAlone() {
    Held held;
    EXPECT_TRUE(lock_->HoldAlone(&held).ok());
    return held;
  }

  std::string path_;
  std::unique_ptr<NameLock> lock_;
};

TEST_P(NameLockTest, ManyHoldItAtOnce) {
  const Held first = Hold();
  Held second;
  std::jthread([&] { second = Hold(); }).join();
  EXPECT_NE(second, nullptr);
}

TEST_P(NameLockTest, AThreadMayTakeItAgainIntoTheSameVariable) {
  Held held = Hold();
  ASSERT_TRUE(lock_->Hold(&held).ok());
  EXPECT_NE(held, nullptr);
  held = nullptr;
  EXPECT_NE(HoldAlone(), nullptr);
}

TEST_P(NameLockTest, OneThatWaitsToHoldItAloneGivesUp) {
  const Held held = Hold();
  EXPECT_EQ(HoldAlone(), nullptr);
  // Others can take it again.
  const Held other = Hold();
}

TEST_P(NameLockTest, ItIsHeldAloneAfterAllOthersHaveReleasedIt) {
  Held first = Hold();
  Held second = Hold();
  first = nullptr;
  second = nullptr;
  const Held alone = HoldAlone();
  EXPECT_NE(alone, nullptr);
  EXPECT_EQ(HoldAlone(), nullptr);
}

// At nearly every moment one of them holds it.
TEST_P(NameLockTest, ThreadsThatTakeTurnsDoNotKeepItFromOneAlone) {
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        const Held held = Hold();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  for (int i = 0; i < 5; ++i) EXPECT_NE(HoldAlone(), nullptr);
  is_over = true;
}

// Each of the threads changes a number that is not atomic.
TEST_P(NameLockTest, NoOtherHoldsItBesideOneThatHoldsItAlone) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  int number = 0;
  std::atomic<int> changes = 0;
  std::atomic<int> seen = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < kRounds; ++round) {
        if (i % 2 == 0) {
          const Held held = Hold();
          seen += number >= 0 ? 1 : 0;
        } else if (const Held alone = HoldAlone(); alone != nullptr) {
          ++number;
          ++changes;
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(seen, kThreads / 2 * kRounds);
  EXPECT_EQ(number, changes);
  EXPECT_GT(number, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, NameLockTest,
    ::testing::Values(LockKind{"local",
                               [](const std::string& /*path*/) {
                                 return server::LocalNameLock();
                               }},
                      LockKind{"file", &server::FileNameLock}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bvhmill::testing
