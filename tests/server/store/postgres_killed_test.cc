// The database is killed and started again while servers use it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/support/postgres_process.h"
#include "bvhmill/base/status.h"
#include "server/store/postgres/open_postgres.h"

namespace bvhmill::testing {
namespace {

using server::ClaimedItem;
using server::FinishedItem;
using server::JobInfo;
using server::JobState;
using server::JobStore;

constexpr int kItemsPerJob = 10;
constexpr size_t kFewestJobs = 20;
constexpr int64_t kLeaseMs = 2'000;

// BVHMILL_KILLS makes the test longer.
int KillsOfDatabase() {
  const char* const wanted = std::getenv("BVHMILL_KILLS");
  return wanted == nullptr ? 5 : std::atoi(wanted);
}

int64_t TimeMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Two servers, each with a thread that makes jobs, two that work on items, and
// one that beats. All that the store acknowledges is noted.
class Load {
 public:
  explicit Load(JobStore* store, std::string name)
      : store_(*store), name_(std::move(name)) {}

  void MakeJobs(const std::stop_token& stop) {
    for (int number = 0; !stop.stop_requested(); ++number) {
      server::NewJob job;
      job.caller = "caller";
      job.request_id = name_ + std::to_string(number);
      job.request_digest = "d";
      for (int i = 0; i < kItemsPerJob; ++i) {
        job.items.push_back({.key = std::to_string(i), .blob = "b"});
      }
      // A caller repeats its request until it is acknowledged.
      JobInfo info;
      bool is_new = false;
      while (!store_.Create(job, TimeMs(), &info, &is_new).ok()) {
        ++faults_;
        if (stop.stop_requested()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
      const std::lock_guard lock(mutex_);
      jobs_[info.id] = info.number;
    }
  }

  void WorkOn(const std::stop_token& stop) {
    while (!stop.stop_requested()) WorkOnce(7);
  }

  // True if there were items.
  bool WorkOnce(int limit) {
    const int64_t now = TimeMs();
    std::vector<ClaimedItem> items;
    server::ClaimRules rules{
        .limit = limit, .now_ms = now, .until_ms = now + kLeaseMs};
    if (!store_.Claim(rules, &items).ok()) ++faults_;
    rules.alone = true;
    if (items.empty() && !store_.Claim(rules, &items).ok()) ++faults_;
    if (items.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return false;
    }
    std::vector<FinishedItem> done;
    for (const ClaimedItem& item : items) {
      FinishedItem& one = done.emplace_back();
      one.lease = item.lease;
      one.result.bytes = "lease " + std::to_string(item.lease.lease);
    }
    std::vector<bool> accepted;
    std::vector<int64_t> over;
    if (!store_.Complete(done, TimeMs(), &accepted, &over).ok()) {
      ++faults_;
      Release(items);
      return true;
    }
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < done.size(); ++i) {
      if (!accepted[i]) continue;
      results_.emplace(std::pair(done[i].lease.job, done[i].lease.item),
                       done[i].result.bytes);
    }
    return true;
  }

  // As the runner of a server does after results could not be stored.
  void Release(const std::vector<ClaimedItem>& items) {
    std::vector<server::FailedTry> tries;
    tries.reserve(items.size());
    for (const ClaimedItem& item : items) {
      tries.push_back({item.lease, /*counts=*/false, 0, "released"});
    }
    std::vector<int64_t> over;
    while (!store_.Release(tries, TimeMs(), &over).ok()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void Beat(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const int64_t now = TimeMs();
      if (!store_.Heartbeat(now, now + kLeaseMs).ok()) ++faults_;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  size_t Jobs() {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
  }

  JobStore& store_;
  const std::string name_;
  std::atomic<int> faults_{0};
  std::mutex mutex_;
  // Numbers by id, and results by job and item, all acknowledged.
  std::map<std::string, int64_t> jobs_;
  std::multimap<std::pair<int64_t, int64_t>, std::string> results_;
};

class KilledPostgres : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    postgres_ = bench::PostgresProcess::Start(/*durable=*/true, &why);
    if (postgres_ == nullptr) GTEST_SKIP() << why;
    address_ = postgres_->NewDatabase("killed");
    for (auto& store : stores_) {
      std::string identity;
      ASSERT_TRUE(
          server::OpenPostgresJobStore(address_, &store, &identity).ok());
    }
  }

  void KillUnderLoad(Load* first, Load* second) {
    std::vector<std::jthread> threads;
    for (Load* const load : {first, second}) {
      threads.emplace_back(
          [load](const std::stop_token& stop) { load->MakeJobs(stop); });
      for (int i = 0; i < 2; ++i) {
        threads.emplace_back(
            [load](const std::stop_token& stop) { load->WorkOn(stop); });
      }
      threads.emplace_back(
          [load](const std::stop_token& stop) { load->Beat(stop); });
    }
    for (int i = 0; i < KillsOfDatabase(); ++i) {
      std::this_thread::sleep_for(
          std::chrono::milliseconds(300 + 137 * (i % 5)));
      postgres_->Kill();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      ASSERT_TRUE(postgres_->StartAgain());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    // A busy machine acknowledges few between two kills.
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (first->Jobs() + second->Jobs() <= kFewestJobs &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (std::jthread& thread : threads) thread.request_stop();
  }

  // A store that could not connect tries again a little later.
  static void ExpectAnswer(JobStore* store) {
    server::JobStats stats;
    absl::Status answered;
    for (int i = 0; i < 200; ++i) {
      answered = store->Stats(&stats);
      if (answered.ok()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_TRUE(answered.ok()) << answered;
  }

  // Works and beats until no job is open; a minute at most.
  void FinishAll(Load* load) {
    std::jthread beats(
        [load](const std::stop_token& stop) { load->Beat(stop); });
    server::JobStats stats{.jobs = 1};
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (stats.jobs > 0 && std::chrono::steady_clock::now() < end) {
      load->WorkOnce(64);
      ASSERT_TRUE(load->store_.Stats(&stats).ok());
    }
    EXPECT_EQ(stats.jobs, 0);
  }

  void ExpectAll(const Load& load, std::map<std::string, int64_t>* known) {
    for (const auto& [id, number] : load.jobs_) {
      JobInfo info;
      const absl::Status found = stores_[0]->Get("caller", id, &info);
      ASSERT_TRUE(found.ok()) << found;
      EXPECT_EQ(info.state, JobState::kSucceeded);
      EXPECT_EQ(info.ok, kItemsPerJob);
      EXPECT_EQ(info.running, 0);
      (*known)[id] = number;
    }
  }

  std::unique_ptr<bench::PostgresProcess> postgres_;
  std::string address_;
  std::unique_ptr<JobStore> stores_[2];
};

TEST_F(KilledPostgres, LosesAndRepeatsNothingThatWasAcknowledged) {
  Load first(stores_[0].get(), "first");
  Load second(stores_[1].get(), "second");
  KillUnderLoad(&first, &second);
  if (HasFatalFailure()) return;
  for (const auto& store : stores_) ExpectAnswer(store.get());
  FinishAll(&first);
  EXPECT_GT(first.faults_ + second.faults_, 0);
  std::map<std::string, int64_t> jobs;
  ExpectAll(first, &jobs);
  ExpectAll(second, &jobs);
  EXPECT_GT(jobs.size(), kFewestJobs);
  // Each acknowledged result is the one that is stored, and no other was
  // acknowledged for its item.
  std::multimap<std::pair<int64_t, int64_t>, std::string> results =
      first.results_;
  results.insert(second.results_.begin(), second.results_.end());
  std::set<std::pair<int64_t, int64_t>> items;
  for (const auto& [item, bytes] : results) {
    EXPECT_TRUE(items.insert(item).second) << "acknowledged twice";
  }
  for (const auto& [id, number] : jobs) {
    std::vector<server::StoredResult> stored;
    ASSERT_TRUE(stores_[1]
                    ->Results("caller", id,
                              {.limit = 100, .max_bytes = 1 << 20}, &stored)
                    .ok());
    ASSERT_EQ(stored.size(), static_cast<size_t>(kItemsPerJob));
    for (const server::StoredResult& result : stored) {
      const auto known = results.find({number, result.item});
      if (known == results.end()) continue;
      EXPECT_EQ(result.bytes, known->second);
    }
  }
  std::cerr << KillsOfDatabase() << " kills, " << jobs.size()
            << " jobs acknowledged, " << results.size()
            << " results acknowledged, " << first.faults_ + second.faults_
            << " calls failed\n";
}

TEST_F(KilledPostgres, GivesStructuredErrorsAndComesBack) {
  JobStore& store = *stores_[0];
  postgres_->Kill();
  server::JobStats stats;
  for (int i = 0; i < 3; ++i) {
    const absl::Status refused = store.Stats(&stats);
    EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
    EXPECT_EQ(CallErrorOf(refused).reason, "DATABASE_UNAVAILABLE");
  }
  std::unique_ptr<JobStore> third;
  std::string identity;
  EXPECT_EQ(
      CallErrorOf(server::OpenPostgresJobStore(address_, &third, &identity))
          .reason,
      "DATABASE_UNAVAILABLE");
  ASSERT_TRUE(postgres_->StartAgain());
  ExpectAnswer(&store);
}

}  // namespace
}  // namespace bvhmill::testing
