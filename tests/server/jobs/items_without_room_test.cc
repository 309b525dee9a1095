// Items whose callers have no room left in their limits, beside items of other
// callers and items that run alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "tests/server/jobs/job_parts.h"

namespace bvhmill::testing {
namespace {

TEST_F(JobPartsTest, AnItemThatRunsAloneWithoutRoomKeepsNoOthersFromRunning) {
  const auto folder = Open();
  const server::JobInfo alone = MakeJob(folder.get());
  RunSql("UPDATE item SET crashes = 2");
  server::Ticket other;
  ASSERT_NO_FATAL_FAILURE(TakeRoom("", &other));
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  AwaitLooks(2, &runner);
  const server::JobInfo job = MakeJob(folder.get(), "beta", 20);
  runner.Wake();
  EXPECT_TRUE(Eventually([&] { return GoodItems(job, folder.get()) == 20; }));
  EXPECT_EQ(GoodItems(alone, folder.get()), 0);
  // It looks again at each tick and each beat, and seldom else.
  const int64_t looks = runner.looks();
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(runner.looks() - looks, 50);
  EXPECT_FALSE(runner.is_paused());
  other.Release();
  EXPECT_TRUE(Eventually([&] { return GoodItems(alone, folder.get()) == 1; }));
}

// All other items must end before one runs alone, and those that wait do not.
TEST_F(JobPartsTest, ItemsWithoutRoomKeepNoneFromRunningAlone) {
  const auto folder = Open();
  const server::JobInfo alone = MakeJob(folder.get(), "beta");
  RunSql("UPDATE item SET crashes = 2, not_before_ms = " +
         std::to_string(server::WallClockMs() + 1000));
  const server::JobInfo waiting = MakeJob(folder.get(), "", 5);
  server::Ticket other;
  ASSERT_NO_FATAL_FAILURE(TakeRoom("", &other));
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  server::JobStats stats;
  ASSERT_TRUE(Eventually(
      [&] { return folder->jobs().Stats(&stats).ok() && stats.leased == 5; }));
  EXPECT_TRUE(Eventually([&] { return GoodItems(alone, folder.get()) == 1; }));
  EXPECT_EQ(GoodItems(waiting, folder.get()), 0);
  other.Release();
  EXPECT_TRUE(
      Eventually([&] { return GoodItems(waiting, folder.get()) == 5; }));
}

TEST_F(JobPartsTest, ManyCallersWithoutRoomKeepNoOtherCallerOut) {
  constexpr int kCallers = 30;
  constexpr int kItems = 60;
  const auto folder = Open();
  std::deque<server::Ticket> tickets;
  std::vector<server::JobInfo> jobs;
  int64_t most = 0;
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  for (int i = 0; i < kCallers; ++i) {
    const std::string caller = "c" + std::to_string(i);
    ASSERT_NO_FATAL_FAILURE(TakeRoom(caller, &tickets.emplace_back()));
    jobs.push_back(MakeJob(folder.get(), caller, kItems));
    // Their items are claimed one caller after the other.
    AwaitLooks(2, &runner);
    server::JobStats stats;
    ASSERT_TRUE(folder->jobs().Stats(&stats).ok());
    most = std::max(most, stats.leased);
  }
  EXPECT_GT(most, 100);
  const server::JobInfo job = MakeJob(folder.get(), "other", 20);
  runner.Wake();
  EXPECT_TRUE(Eventually([&] { return GoodItems(job, folder.get()) == 20; }));
  tickets.clear();
  for (const server::JobInfo& each : jobs) {
    EXPECT_TRUE(
        Eventually([&] { return GoodItems(each, folder.get()) == kItems; }));
  }
}

TEST_F(JobPartsTest, AClockThatWasSetBackLeavesNoItemWaiting) {
  const auto folder = Open();
  const server::JobInfo job = MakeJob(folder.get());
  // An hour: no item is told to wait for that long.
  RunSql("UPDATE item SET not_before_ms = " +
         std::to_string(server::WallClockMs() + 3'600'000));
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  EXPECT_TRUE(Eventually([&] { return GoodItems(job, folder.get()) == 1; }));
}

TEST_F(JobPartsTest, ItemsThatRunAloneDoSoOneAfterTheOther) {
  constexpr int kItems = 50;
  const auto folder = Open();
  const server::JobInfo job = MakeJob(folder.get(), "", kItems);
  RunSql("UPDATE item SET crashes = 2");
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  int64_t most = 0;
  EXPECT_TRUE(Eventually([&] {
    server::JobStats stats;
    EXPECT_TRUE(folder->jobs().Stats(&stats).ok());
    most = std::max(most, stats.leased);
    return GoodItems(job, folder.get()) == kItems;
  }));
  EXPECT_LE(most, 1);
}

// Until the room of its caller is free.
TEST_F(JobPartsTest, TheLeaseOfAnItemThatWaitsIsRenewed) {
  parts_.config.jobs.job_lease_seconds = 3;
  const int64_t start = server::WallClockMs();
  const auto folder = Open();
  MakeJob(folder.get());
  server::Ticket other;
  ASSERT_NO_FATAL_FAILURE(TakeRoom("", &other));
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  EXPECT_TRUE(Eventually([&] { return LeaseEnd() != 0; }));
  const int64_t first = LeaseEnd();
  EXPECT_GE(first, start + 3'000);
  EXPECT_TRUE(Eventually([&] { return LeaseEnd() != first; }));
  EXPECT_GT(LeaseEnd(), first);
}

}  // namespace
}  // namespace bvhmill::testing
