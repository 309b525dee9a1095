// The bytes of the rows of the jobs of a caller: their counts and their limit.

#include "tests/server/store/row_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/store/store_kinds.h"

namespace bvhmill::testing {
namespace {

using server::JobInfo;

// 1000 bytes of texts and messages in three rows.
constexpr int64_t kBytesOfJob = 1000 + 3 * server::kRowBytes;

server::NewJob JobOf1000Bytes() {
  server::NewJob job;
  job.caller = "a";
  job.display_name = std::string("n\0\xC3\x9C", 4);
  job.annotations = std::string(96, '\0');
  job.options = std::string(300, 'o');
  job.items.push_back({.key = "\xC3\x9C", .blob = "b"});
  job.items.push_back({.key = std::string(98, 'k'),
                       .blob = "b",
                       .display_name = std::string(200, 'd'),
                       .options = std::string(300, '\xFF')});
  return job;
}

class RowBytes : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::string why;
    kind_ = MakeKind(GetParam(), "rows_" + std::to_string(++tests_), &why);
    if (kind_ == nullptr) GTEST_SKIP() << why;
    kind_->Open(&store_);
  }
  absl::Status Create(const server::NewJob& job, JobInfo* info = nullptr) {
    JobInfo made;
    bool is_new = false;
    return store_->Create(job, 1000, info == nullptr ? &made : info, &is_new);
  }
  int64_t BytesOf(const std::string& caller) {
    return RowBytesOfCaller(store_.get(), caller);
  }
  std::vector<server::FinishedItem> Claim(int limit) {
    std::vector<server::ClaimedItem> items;
    EXPECT_TRUE(
        store_
            ->Claim({.limit = limit, .now_ms = 5000, .until_ms = 99'000},
                    &items)
            .ok());
    std::vector<server::FinishedItem> done;
    done.reserve(items.size());
    for (const auto& item : items) done.push_back({item.lease, {}});
    return done;
  }
  void Complete(const std::vector<server::FinishedItem>& items) {
    std::vector<bool> accepted;
    std::vector<int64_t> over;
    ASSERT_TRUE(store_->Complete(items, 6000, &accepted, &over).ok());
  }

  static inline int tests_ = 0;
  std::unique_ptr<StoreKind> kind_;
  std::unique_ptr<server::JobStore> store_;
};

TEST_P(RowBytes, AreThoseOfRequestsAndResults) {
  EXPECT_EQ(BytesOf("a"), 0);
  ASSERT_TRUE(Create(JobOf1000Bytes()).ok());
  EXPECT_EQ(BytesOf("a"), kBytesOfJob);
  auto items = Claim(2);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(BytesOf("a"), kBytesOfJob);
  items[0].result.bytes = std::string(50, '\xFF');
  items[0].result.outputs = {"one", "two"};
  Complete({items[0]});
  int64_t expected = kBytesOfJob + 50 + 3 * server::kRowBytes;
  EXPECT_EQ(BytesOf("a"), expected);
  // A result that is not accepted counts nothing.
  Complete({items[0]});
  EXPECT_EQ(BytesOf("a"), expected);
  items[1].result.code = 3;
  items[1].result.bytes = "error";
  Complete({items[1]});
  expected += 5 + server::kRowBytes;
  EXPECT_EQ(BytesOf("a"), expected);
  kind_->Open(&store_);
  EXPECT_EQ(BytesOf("a"), expected);
  EXPECT_EQ(BytesOf("b"), 0);
}

TEST_P(RowBytes, AJobThatWouldExceedTheLimitIsRefused) {
  server::NewJob job = JobOf1000Bytes();
  job.max_row_bytes = 2 * kBytesOfJob;
  ASSERT_TRUE(Create(job).ok());
  job.request_id = "r";
  const absl::Status one_more = Create(job);
  EXPECT_EQ(CallErrorOf(one_more).limit_name, "max_job_bytes_per_caller");
  job.max_row_bytes += 1;
  job.request_digest = "d";
  ASSERT_TRUE(Create(job).ok());
  // A repeat of its request gets the job.
  EXPECT_TRUE(Create(job).ok());
  job.request_id = "";
  for (const absl::Status& refused : {Create(job), store_->CheckRoom(job)}) {
    EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
    const CallError error = CallErrorOf(refused);
    EXPECT_EQ(error.reason, "LIMIT_EXCEEDED");
    EXPECT_EQ(error.limit_name, "max_job_bytes_per_caller");
    EXPECT_EQ(error.limit, 2 * kBytesOfJob + 1);
    EXPECT_THAT(error.args,
                ::testing::Contains(std::pair<std::string, std::string>(
                    "value", std::to_string(3 * kBytesOfJob + 1))));
  }
  job.caller = "b";
  EXPECT_TRUE(Create(job).ok());
  job.max_row_bytes = 0;
  job.caller = "a";
  EXPECT_TRUE(Create(job).ok());
}

// A caller could have made any number of jobs that each fit.
TEST_P(RowBytes, OutputsOfUnfinishedItemsCountForTheShareOfBlobs) {
  server::NewJob job = JobOf1000Bytes();
  job.asked = 300;
  job.space_bytes = 100;
  job.max_space_bytes = 100 + 3 * 300 - 1;
  JobInfo info;
  ASSERT_TRUE(Create(job, &info).ok());
  for (const absl::Status& refused : {Create(job), store_->CheckRoom(job)}) {
    EXPECT_EQ(CallErrorOf(refused).reason, "LIMIT_EXCEEDED");
    EXPECT_EQ(CallErrorOf(refused).limit_name, "max_data_bytes_per_caller");
  }
  // Bytes of an item that is done do not count, nor those of other callers.
  Complete(Claim(1));
  EXPECT_TRUE(absl::IsResourceExhausted(Create(job)));
  job.max_space_bytes += 1;
  ASSERT_TRUE(Create(job).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(Create(job)));
  job.caller = "b";
  EXPECT_TRUE(Create(job).ok());
}

TEST_P(RowBytes, ResultsAreStoredBeyondTheLimit) {
  server::NewJob job = JobOf1000Bytes();
  job.max_row_bytes = kBytesOfJob;
  JobInfo info;
  ASSERT_TRUE(Create(job, &info).ok());
  auto items = Claim(2);
  for (auto& item : items) item.result.bytes = std::string(5000, 'r');
  Complete(items);
  ASSERT_TRUE(store_->Get("a", info.id, &info).ok());
  EXPECT_EQ(info.ok, 2);
  EXPECT_GT(BytesOf("a"), 10'000);
  EXPECT_TRUE(absl::IsResourceExhausted(Create(job)));
  ASSERT_TRUE(store_->Delete("a", info.id).ok());
  EXPECT_TRUE(Create(job).ok());
}

TEST_P(RowBytes, TheLimitIsHeldByCreateItself) {
  server::NewJob job = JobOf1000Bytes();
  job.max_row_bytes = 4 * kBytesOfJob;
  constexpr int kThreads = 4;
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 3; ++k) made += Create(job).ok() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 4);
  EXPECT_EQ(BytesOf("a"), 4 * kBytesOfJob);
}

// Its rows are removed later.
TEST_P(RowBytes, AJobThatIsDeletedCountsNoMore) {
  server::NewJob large = JobOf1000Bytes();
  large.items.resize(5000, large.items[0]);
  JobInfo info;
  ASSERT_TRUE(Create(large, &info).ok());
  ASSERT_TRUE(Create(JobOf1000Bytes()).ok());
  ASSERT_TRUE(store_->Cancel("a", info.id, 2000, &info).ok());
  EXPECT_EQ(BytesOf("a"), kBytesOfJob + server::RowBytesOf(large));
  ASSERT_TRUE(store_->Delete("a", info.id).ok());
  EXPECT_EQ(BytesOf("a"), kBytesOfJob);
  int64_t count = 0;
  ASSERT_TRUE(store_->Expire(2, &count).ok());
  EXPECT_EQ(count, 1);
  EXPECT_EQ(BytesOf("a"), kBytesOfJob);
}

TEST_P(RowBytes, AJobThatExpiresCountsNoMore) {
  JobInfo info;
  ASSERT_TRUE(Create(JobOf1000Bytes(), &info).ok());
  ASSERT_TRUE(store_->Cancel("a", info.id, 2000, &info).ok());
  int64_t count = 0;
  ASSERT_TRUE(store_->Expire(3000, &count).ok());
  EXPECT_EQ(count, 1);
  EXPECT_EQ(BytesOf("a"), 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, RowBytes,
                         ::testing::Values("sqlite", "postgres"));

}  // namespace
}  // namespace bvhmill::testing
