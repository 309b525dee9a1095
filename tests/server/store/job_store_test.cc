// Properties of the stores of jobs that a random walk does not reach.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "bvhmill/base/status.h"
#include "server/store/fault_points.h"
#include "server/store/sqlite/sqlite.h"
#include "tests/server/store/store_kinds.h"

namespace bvhmill::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

server::NewJob JobWith(int items) {
  server::NewJob job;
  job.caller = "a";
  for (int i = 0; i < items; ++i) {
    job.items.push_back({.key = std::to_string(i), .blob = "b"});
  }
  return job;
}

class AnyStore : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string why;
    kind_ = MakeKind(GetParam(), "any_" + std::to_string(++tests_), &why);
    if (kind_ == nullptr) GTEST_SKIP() << why;
    kind_->Open(&store_);
  }
  void TearDown() override { server::FaultPoints::Disarm(); }
  absl::Status Create(const server::NewJob& job,
                      server::JobInfo* info = nullptr) {
    server::JobInfo made;
    bool is_new = false;
    return store_->Create(job, 1000, info == nullptr ? &made : info, &is_new);
  }
  // The jobs that are made when four threads ask for three each.
  int MadeByFourThreads(const server::NewJob& job) {
    std::atomic<int> made = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 3; ++k) made += Create(job).ok() ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    return made;
  }
  server::ClaimedItem ClaimOne() {
    std::vector<server::ClaimedItem> items;
    EXPECT_TRUE(
        store_->Claim({.limit = 1, .now_ms = 5000, .until_ms = 99'000}, &items)
            .ok());
    EXPECT_EQ(items.size(), 1U);
    return items.empty() ? server::ClaimedItem() : items[0];
  }
  void Release(const server::ClaimedItem& item, bool counts,
               const std::string& why) {
    std::vector<int64_t> over;
    const server::FailedTry failed = {
        .lease = item.lease, .counts = counts, .why = why};
    EXPECT_TRUE(store_->Release({&failed, 1}, 5000, &over).ok());
  }

  static inline int tests_ = 0;
  std::unique_ptr<StoreKind> kind_;
  std::unique_ptr<server::JobStore> store_;
};

TEST_P(AnyStore, BoundsAreHeldByCreateItself) {
  server::NewJob job = JobWith(2);
  job.max_jobs = 4;
  EXPECT_EQ(MadeByFourThreads(job), 4);
  EXPECT_EQ(CallErrorOf(Create(job)).limit_name, "max_jobs_per_caller");
  job.caller = "b";
  job.max_queued_items = 9;
  EXPECT_EQ(CallErrorOf(Create(job)).limit_name, "max_queued_items");
  EXPECT_EQ(CallErrorOf(store_->CheckRoom(job)).limit_name, "max_queued_items");
  job.max_queued_items = 10;
  EXPECT_TRUE(Create(job).ok());
}

TEST_P(AnyStore, AShareOfTheItemsIsHeldByCreateItself) {
  server::NewJob job = JobWith(2);
  job.max_own_items = 9;
  EXPECT_EQ(MadeByFourThreads(job), 4);
  for (const absl::Status& refused : {Create(job), store_->CheckRoom(job)}) {
    EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
    EXPECT_EQ(CallErrorOf(refused).reason, "LIMIT_EXCEEDED");
    EXPECT_EQ(CallErrorOf(refused).limit_name, "max_queued_items_per_caller");
    EXPECT_EQ(CallErrorOf(refused).limit, 9);
    EXPECT_THAT(CallErrorOf(refused).args,
                ::testing::Contains(
                    std::pair<std::string, std::string>("value", "10")));
    EXPECT_EQ(MessageOf(refused),
              "10 exceeds max_queued_items_per_caller = 9; there is room for "
              "1");
  }
  // Others have a share of their own; an item with a result counts no more.
  job.caller = "b";
  EXPECT_TRUE(Create(job).ok());
  const server::ClaimedItem item = ClaimOne();
  ASSERT_EQ(item.caller, "a");
  server::FinishedItem done = {.lease = item.lease, .result = {}};
  done.result.bytes = "r";
  std::vector<bool> accepted;
  std::vector<int64_t> over;
  ASSERT_TRUE(store_->Complete({&done, 1}, 6000, &accepted, &over).ok());
  job.caller = "a";
  EXPECT_TRUE(Create(job).ok());
}

TEST_P(AnyStore, OnlyATryThatCountsLeavesItsError) {
  ASSERT_TRUE(Create(JobWith(1)).ok());
  Release(ClaimOne(), /*counts=*/true, "first");
  Release(ClaimOne(), /*counts=*/false, "busy");
  const server::ClaimedItem item = ClaimOne();
  EXPECT_EQ(item.why, "first");
  EXPECT_EQ(item.tries, 1);
}

// The parts that are left after the first are those of no caller.
TEST_P(AnyStore, ALargeJobIsHiddenAndThenRemovedInParts) {
  server::NewJob job = JobWith(5000);
  job.request_id = "r";
  server::JobInfo info;
  ASSERT_TRUE(Create(job, &info).ok());
  const server::ClaimedItem item = ClaimOne();
  server::FinishedItem done = {.lease = item.lease, .result = {}};
  done.result.bytes = "r";
  std::vector<bool> accepted;
  std::vector<int64_t> over;
  ASSERT_TRUE(store_->Complete({&done, 1}, 6000, &accepted, &over).ok());
  EXPECT_EQ(CallErrorOf(store_->Delete("a", info.id)).reason, "JOB_NOT_OVER");
  ASSERT_TRUE(store_->Cancel("a", info.id, 7000, &info).ok());
  EXPECT_TRUE(absl::IsNotFound(store_->Delete("b", info.id)));
  ASSERT_TRUE(store_->Delete("a", info.id).ok());
  EXPECT_TRUE(absl::IsNotFound(store_->Delete("a", info.id)));
  EXPECT_TRUE(absl::IsNotFound(store_->Get("a", info.id, &info)));
  std::vector<server::StoredResult> results;
  EXPECT_TRUE(absl::IsNotFound(
      store_->Results("a", info.id, {.limit = 9, .max_bytes = 9}, &results)));
  std::vector<server::JobInfo> jobs;
  bool has_more = false;
  ASSERT_TRUE(
      store_->List({.caller = "a", .limit = 10}, &jobs, &has_more).ok());
  EXPECT_TRUE(jobs.empty());
  bool is_new = false;
  job.items.resize(1);
  job.items[0].blob = "other";
  ASSERT_TRUE(store_->Create(job, 1000, &info, &is_new).ok());
  EXPECT_TRUE(is_new);
  // Rows are left, also after a restart, until Expire removes them. They name
  // no blob.
  const server::BlobName blob = {server::SpaceOf("a"), "b"};
  std::vector<bool> named;
  kind_->Open(&store_);
  ASSERT_TRUE(store_->FindNamed({&blob, 1}, &named).ok());
  EXPECT_FALSE(named[0]);
  int64_t count = 0;
  ASSERT_TRUE(store_->Expire(2, &count).ok());
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(store_->Get("a", info.id, &info).ok());
}

TEST_P(AnyStore, ADeleteThatFailsLeavesTheJob) {
  int refused = 0;
  for (int64_t at = 1, reached = 1; at <= reached; ++at) {
    server::JobInfo info;
    ASSERT_TRUE(Create(JobWith(2), &info).ok());
    ASSERT_TRUE(store_->Cancel("a", info.id, 2000, &info).ok());
    server::FaultPoints::Arm({.at = at,
                              .fault = server::Fault::kIoError,
                              .only = server::Effect::kSql});
    const absl::Status deleted = store_->Delete("a", info.id);
    reached = server::FaultPoints::Disarm();
    const absl::Status found = store_->Get("a", info.id, &info);
    EXPECT_EQ(found.ok(), !deleted.ok()) << at << ": " << deleted << found;
    if (!deleted.ok()) ++refused;
  }
  EXPECT_GT(refused, 0);
}

TEST_P(AnyStore, CallersCanBeLeftOutOfAClaim) {
  server::NewJob job = JobWith(1);
  ASSERT_TRUE(Create(job).ok());
  job.caller = "b";
  ASSERT_TRUE(Create(job).ok());
  std::vector<server::ClaimedItem> items;
  ASSERT_TRUE(
      store_
          ->Claim(
              {.limit = 5, .now_ms = 5000, .until_ms = 9000, .without = {"a"}},
              &items)
          .ok());
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].caller, "b");
}

TEST_P(AnyStore, AClaimedItemNamesItsJob) {
  for (const char* caller : {"a", "b"}) {
    server::NewJob job = JobWith(1);
    job.caller = caller;
    ASSERT_TRUE(Create(job).ok());
  }
  std::vector<server::ClaimedItem> items;
  ASSERT_TRUE(
      store_->Claim({.limit = 5, .now_ms = 5000, .until_ms = 9000}, &items)
          .ok());
  ASSERT_EQ(items.size(), 2U);
  for (const server::ClaimedItem& item : items) {
    server::JobInfo info;
    ASSERT_TRUE(store_->Get(item.caller, item.job_id, &info).ok());
    EXPECT_EQ(info.number, item.lease.job);
  }
}

TEST_P(AnyStore, AnyCallerStandsForAllCallers) {
  server::NewJob job = JobWith(3);
  server::JobInfo of_a;
  server::JobInfo of_b;
  ASSERT_TRUE(Create(job, &of_a).ok());
  job.caller = "b";
  ASSERT_TRUE(Create(job, &of_b).ok());
  ASSERT_TRUE(Create(job).ok());
  ClaimOne();
  std::vector<server::CallerUsage> usages;
  ASSERT_TRUE(store_->Usage(server::kAnyCaller, &usages).ok());
  ASSERT_EQ(usages.size(), 2U);
  EXPECT_EQ(usages[0].caller, "a");
  EXPECT_EQ(usages[0].jobs, 1);
  EXPECT_EQ(usages[0].waiting, 2);
  EXPECT_EQ(usages[0].leased, 1);
  EXPECT_EQ(usages[1].caller, "b");
  EXPECT_EQ(usages[1].jobs, 2);
  EXPECT_EQ(usages[1].waiting, 6);
  ASSERT_TRUE(store_->Usage("b", &usages).ok());
  ASSERT_EQ(usages.size(), 1U);
  EXPECT_EQ(usages[0].caller, "b");
  std::vector<server::JobInfo> jobs;
  bool has_more = false;
  ASSERT_TRUE(
      store_->List({.caller = server::kAnyCaller, .limit = 2}, &jobs, &has_more)
          .ok());
  EXPECT_EQ(jobs.size(), 2U);
  EXPECT_TRUE(has_more);
  server::JobInfo info;
  EXPECT_TRUE(absl::IsNotFound(store_->Get("a", of_b.id, &info)));
  ASSERT_TRUE(store_->Cancel(server::kAnyCaller, of_b.id, 6000, &info).ok());
  EXPECT_EQ(info.state, server::JobState::kCancelled);
  ASSERT_TRUE(store_->Delete(server::kAnyCaller, of_b.id).ok());
  // What was deleted is gone for all.
  EXPECT_TRUE(
      absl::IsNotFound(store_->Get(server::kAnyCaller, of_b.id, &info)));
}

TEST_P(AnyStore, PagesOfJobsEndByTheirBytes) {
  server::NewJob job = JobWith(1);
  job.annotations = std::string(1000, 'x');
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Create(job).ok());
  server::JobPage page{.caller = "a", .limit = 10, .max_bytes = 4000};
  std::vector<size_t> sizes;
  for (bool has_more = true; has_more;) {
    std::vector<server::JobInfo> jobs;
    ASSERT_TRUE(store_->List(page, &jobs, &has_more).ok());
    ASSERT_FALSE(jobs.empty());
    sizes.push_back(jobs.size());
    page.before = jobs.back().number;
  }
  EXPECT_THAT(sizes, ::testing::ElementsAre(2, 2, 1));
  // One that alone is too large is a page.
  page = {.caller = "a", .limit = 10, .max_bytes = 10};
  std::vector<server::JobInfo> jobs;
  bool has_more = false;
  ASSERT_TRUE(store_->List(page, &jobs, &has_more).ok());
  EXPECT_EQ(jobs.size(), 1U);
  EXPECT_TRUE(has_more);
}

INSTANTIATE_TEST_SUITE_P(Engines, AnyStore,
                         ::testing::Values("sqlite", "postgres"));

class SqliteStore : public ::testing::Test {
 protected:
  SqliteStore() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::unique_ptr<server::SqlDatabase> database;
    EXPECT_TRUE(server::OpenSqlite(path_, /*may_begin=*/true, &database).ok());
    EXPECT_TRUE(server::JobStore::Open(std::move(database), &store_).ok());
    EXPECT_TRUE(server::Database::Open(path_, &database_).ok());
  }
  ~SqliteStore() override { std::filesystem::remove_all(folder_); }

  // The first column of all rows, a line each.
  std::string Query(const std::string& sql, int column = 0) {
    server::Statement find(database_.get(), sql);
    std::string text;
    while (find.Step()) text += find.Text(column) + "\n";
    EXPECT_TRUE(find.status().ok()) << find.status();
    return text;
  }
  std::string PlanOf(const std::string& sql) {
    constexpr int kDetail = 3;
    return Query("EXPLAIN QUERY PLAN " + sql, kDetail);
  }

  const std::string folder_ =
      ::testing::TempDir() + "sqlite-store-" + std::to_string(getpid());
  const std::string path_ = folder_ + "/jobs.db";
  std::unique_ptr<server::JobStore> store_;
  std::unique_ptr<server::Database> database_;
};

TEST_F(SqliteStore, AClaimReadsNoJobThatIsOverAndNoItemThatIsDone) {
  EXPECT_EQ(
      PlanOf(std::string(server::kLeastServedSql) + server::kLeastServedEnd),
      "SCAN job USING INDEX job_live\n"
      "CORRELATED SCALAR SUBQUERY 2\n"
      "SEARCH item USING INDEX item_waiting (job=?)\n"
      "CORRELATED SCALAR SUBQUERY 1\n"
      "SEARCH other USING INDEX job_live\n");
  // Few items must run alone. The index sorts them by their crashes.
  for (const char* const sql : {server::kAloneSql, server::kAloneCallersSql}) {
    EXPECT_THAT(
        PlanOf(sql),
        HasSubstr("SEARCH item USING INDEX item_crashed (crashes>?)\n"));
  }
}

TEST_F(SqliteStore, CountsAreReadWithoutTheMessagesOfAJob) {
  EXPECT_EQ(Query("SELECT name FROM pragma_table_info('job') ORDER BY cid DESC "
                  "LIMIT 2"),
            "options\nannotations\n");
}

TEST_F(SqliteStore, ALargeJobIsRemovedInParts) {
  server::JobInfo info;
  bool is_new = false;
  server::NewJob job = JobWith(5000);
  job.request_id = "r";
  ASSERT_TRUE(store_->Create(job, 1000, &info, &is_new).ok());
  ASSERT_TRUE(store_->Cancel("a", info.id, 2000, &info).ok());
  ASSERT_TRUE(store_->Delete("a", info.id).ok());
  // It is gone for its caller, whose request may make another one.
  EXPECT_TRUE(absl::IsNotFound(store_->Get("a", info.id, &info)));
  ASSERT_TRUE(store_->Create(job, 1000, &info, &is_new).ok());
  EXPECT_TRUE(is_new);
  // One part of its rows is gone; what is left is a whole job.
  EXPECT_EQ(Query("SELECT count(*) FROM item WHERE job = 1"), "3000\n");
  int64_t count = 0;
  ASSERT_TRUE(store_->Expire(2, &count).ok());
  EXPECT_EQ(count, 1);
  EXPECT_EQ(Query("SELECT count(*) FROM item"), "5000\n");
  EXPECT_EQ(Query("SELECT count(*) FROM job"), "1\n");
}

}  // namespace
}  // namespace bvhmill::testing
