// Several servers on one PostgreSQL: what one of them has leased, heard or
// changed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bvhmill/base/status.h"
#include "server/store/postgres/open_postgres.h"
#include "tests/server/store/store_kinds.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using server::ClaimedItem;
using server::FinishedItem;
using server::JobInfo;
using server::JobNews;
using server::JobState;
using server::JobStore;
using ::testing::Contains;

constexpr int64_t kNow = 1'000'000;
constexpr int64_t kLease = 400;

server::NewJob JobOfItems(int items, const std::string& request = "") {
  server::NewJob job;
  job.caller = "caller";
  job.request_id = request;
  job.request_digest = "digest";
  for (int i = 0; i < items; ++i) {
    job.items.push_back({.key = std::to_string(i), .blob = "blob"});
  }
  return job;
}

FinishedItem Finished(const ClaimedItem& item) {
  FinishedItem done;
  done.lease = item.lease;
  done.result.bytes = "result of " + item.item.key;
  done.result.outputs = {"output"};
  return done;
}

class PostgresServers : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    postgres_ = SharedPostgres(&why);
    if (postgres_ == nullptr) GTEST_SKIP() << why;
    name_ = std::string("servers_") + std::to_string(++databases_);
    address_ = postgres_->NewDatabase(name_);
    ASSERT_FALSE(address_.empty());
  }

  std::unique_ptr<JobStore> Open() const {
    std::unique_ptr<JobStore> store;
    std::string identity;
    const absl::Status opened =
        server::OpenPostgresJobStore(address_, &store, &identity);
    EXPECT_TRUE(opened.ok()) << opened;
    return store;
  }
  std::string Steps() const {
    return postgres_->RunSql(name_, "SELECT steps FROM bvhmill.schema_version");
  }
  static std::string LastStep() {
    return std::to_string(server::kSchemaVersion) + "\n";
  }
  static JobInfo Create(JobStore* store, const server::NewJob& job) {
    JobInfo info;
    bool is_new = false;
    const absl::Status made = store->Create(job, kNow, &info, &is_new);
    EXPECT_TRUE(made.ok()) << made;
    return info;
  }
  static std::vector<ClaimedItem> Claim(JobStore* store, int limit,
                                        int64_t lease = kLease) {
    std::vector<ClaimedItem> items;
    const absl::Status claimed = store->Claim(
        {.limit = limit, .now_ms = kNow, .until_ms = kNow + lease}, &items);
    EXPECT_TRUE(claimed.ok()) << claimed;
    return items;
  }
  static std::vector<bool> Complete(JobStore* store,
                                    const std::vector<ClaimedItem>& items) {
    std::vector<FinishedItem> done;
    done.reserve(items.size());
    for (const ClaimedItem& item : items) done.push_back(Finished(item));
    std::vector<bool> accepted;
    std::vector<int64_t> over;
    EXPECT_TRUE(store->Complete(done, kNow, &accepted, &over).ok());
    return accepted;
  }
  // Beats for a while, so that a server has watched for the time of a lease.
  static void Beat(JobStore* store, int64_t milliseconds) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < end) {
      EXPECT_TRUE(store->Heartbeat(kNow, kNow + kLease).ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  static inline int databases_ = 0;
  bench::PostgresProcess* postgres_ = nullptr;
  std::string name_;
  std::string address_;
};

TEST(PostgresAddress, IsLoggedWithoutItsPassword) {
  const std::pair<const char*, const char*> cases[] = {
      {"postgresql://u:secret@h/d", "user=u dbname=d host=h"},
      {"postgres://u@h:5432/d", "user=u dbname=d host=h port=5432"},
      {"postgresql:///d?user=u&password=secret", "user=u dbname=d"},
      {"postgresql:///d?password=secret", "dbname=d"},
      {"host=h password=secret dbname=d", "dbname=d host=h"},
      {"host=h password = secret dbname=d", "dbname=d host=h"},
      {"host=h password='a secret' dbname=d", "dbname=d host=h"},
      {"host=h sslpassword = secret", "host=h"},
      {"host=h secret", "a database whose address cannot be read"},
  };
  for (const auto& [address, logged] : cases) {
    EXPECT_EQ(server::WithoutPassword(address), logged);
  }
}

TEST_F(PostgresServers, MakeTheirTablesAtOnce) {
  {
    constexpr int kServers = 6;
    std::vector<std::jthread> servers;
    servers.reserve(kServers);
    for (int i = 0; i < kServers; ++i) {
      servers.emplace_back([this] { EXPECT_NE(Open(), nullptr); });
    }
  }
  EXPECT_EQ(Steps(), LastStep());
}

TEST_F(PostgresServers, RefuseADatabaseOfAnotherVersion) {
  Open();
  for (const auto& [version, reason] :
       {std::pair<const char*, const char*>{"4", "DATA_TOO_OLD"},
        {"1000", "DATA_TOO_NEW"}}) {
    postgres_->RunSql(name_, std::string("UPDATE bvhmill.schema_version SET "
                                         "steps = ") +
                                 version);
    std::unique_ptr<JobStore> store;
    std::string identity;
    EXPECT_EQ(
        CallErrorOf(server::OpenPostgresJobStore(address_, &store, &identity))
            .reason,
        reason);
  }
}

// Both locks had the same number: jobs waited until no server named blobs.
TEST_F(PostgresServers, MakeJobsWhileOthersNameBlobs) {
  const auto store = Open();
  std::unique_ptr<server::NameLock> names;
  ASSERT_TRUE(server::OpenPostgresNameLock(address_, &names).ok());
  std::unique_ptr<server::NameLock::Held> held;
  ASSERT_TRUE(names->Hold(&held).ok());
  JobInfo job;
  bool is_new = false;
  const absl::Status made = store->Create(JobOfItems(1), kNow, &job, &is_new);
  EXPECT_TRUE(made.ok()) << made;
}

TEST_F(PostgresServers, ClaimNoItemTwice) {
  constexpr int kItems = 1500;
  const auto first = Open();
  const auto second = Open();
  const JobInfo job = Create(first.get(), JobOfItems(kItems));
  std::mutex mutex;
  std::multiset<int64_t> claimed;
  std::atomic<int> accepted{0};
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
      JobStore* const store = i % 2 == 0 ? first.get() : second.get();
      workers.emplace_back([&, store] {
        for (auto items = Claim(store, 16); !items.empty();
             items = Claim(store, 16)) {
          for (const bool is_accepted : Complete(store, items)) {
            accepted += is_accepted ? 1 : 0;
          }
          const std::lock_guard lock(mutex);
          for (const auto& item : items) claimed.insert(item.lease.item);
        }
      });
    }
  }
  EXPECT_EQ(claimed.size(), static_cast<size_t>(kItems));
  EXPECT_EQ(std::set<int64_t>(claimed.begin(), claimed.end()).size(),
            static_cast<size_t>(kItems));
  EXPECT_EQ(accepted, kItems);
  JobInfo info;
  ASSERT_TRUE(second->Get(job.caller, job.id, &info).ok());
  EXPECT_EQ(info.state, JobState::kSucceeded);
  EXPECT_EQ(info.ok, kItems);
  EXPECT_EQ(info.running, 0);
}

TEST_F(PostgresServers, MakeOneJobOfOneRequest) {
  const auto first = Open();
  const auto second = Open();
  std::mutex mutex;
  std::set<std::string> ids;
  std::atomic<int> made{0};
  {
    constexpr int kCallers = 8;
    std::vector<std::jthread> callers;
    callers.reserve(kCallers);
    for (int i = 0; i < kCallers; ++i) {
      callers.emplace_back([&, i] {
        JobStore* const store = i % 2 == 0 ? first.get() : second.get();
        JobInfo info;
        bool is_new = false;
        EXPECT_TRUE(
            store->Create(JobOfItems(20, "request"), kNow, &info, &is_new)
                .ok());
        made += is_new ? 1 : 0;
        const std::lock_guard lock(mutex);
        ids.insert(info.id);
      });
    }
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(ids.size(), 1u);
}

TEST_F(PostgresServers, KeepLeasesThatAreRenewedAndEndThoseThatAreNot) {
  const auto living = Open();
  const auto dying = Open();
  const JobInfo job = Create(living.get(), JobOfItems(2));
  const auto kept = Claim(living.get(), 1);
  const auto lost = Claim(dying.get(), 1);
  ASSERT_EQ(kept.size() + lost.size(), 2u);
  Beat(living.get(), 3 * kLease);
  const auto again = Claim(living.get(), 16);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].lease.item, lost[0].lease.item);
  EXPECT_EQ(again[0].crashes, 1);
  EXPECT_THAT(Complete(dying.get(), lost), Contains(false).Times(1));
  EXPECT_THAT(Complete(living.get(), kept), Contains(true).Times(1));
  EXPECT_THAT(Complete(living.get(), again), Contains(true).Times(1));
  JobInfo info;
  ASSERT_TRUE(dying->Get(job.caller, job.id, &info).ok());
  EXPECT_EQ(info.state, JobState::kSucceeded);
}

// A server that has just come, or come back, ends no leases at once.
TEST_F(PostgresServers, GiveOthersTimeToRenewTheirLeases) {
  const auto silent = Open();
  const auto fresh = Open();
  const JobInfo job = Create(silent.get(), JobOfItems(1));
  constexpr int64_t kShort = 40;
  const auto items = Claim(silent.get(), 1, kShort);
  std::this_thread::sleep_for(std::chrono::milliseconds(kShort + 10));
  EXPECT_TRUE(fresh->Heartbeat(kNow, kNow + kShort).ok());
  EXPECT_TRUE(silent->Heartbeat(kNow, kNow + kShort).ok());
  EXPECT_THAT(Complete(silent.get(), items), Contains(true).Times(1));
}

TEST_F(PostgresServers, HearOfEachOther) {
  const auto listening = Open();
  const auto acting = Open();
  std::mutex mutex;
  std::vector<std::string> heard;
  const auto has = [&](const std::string& wanted) {
    for (int i = 0; i < 500; ++i) {
      {
        const std::lock_guard lock(mutex);
        for (const std::string& news : heard) {
          if (news == wanted) return true;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  };
  listening->Listen([&](const JobNews& news) {
    const std::lock_guard lock(mutex);
    heard.push_back(std::to_string(static_cast<int>(news.kind)) + " " +
                    std::to_string(news.job));
  });
  const auto name = [](JobNews::Kind kind, int64_t job) {
    return std::to_string(static_cast<int>(kind)) + " " + std::to_string(job);
  };
  ASSERT_TRUE(has(name(JobNews::Kind::kMissed, 0)));
  const JobInfo job = Create(acting.get(), JobOfItems(1));
  EXPECT_TRUE(has(name(JobNews::Kind::kItems, 0)));
  Complete(acting.get(), Claim(acting.get(), 1));
  EXPECT_TRUE(has(name(JobNews::Kind::kOver, job.number)));
  JobInfo cancelled = Create(acting.get(), JobOfItems(1));
  Claim(acting.get(), 1);
  ASSERT_TRUE(acting->Cancel("caller", cancelled.id, kNow, &cancelled).ok());
  EXPECT_EQ(cancelled.state, JobState::kCancelling);
  EXPECT_TRUE(has(name(JobNews::Kind::kCancelled, cancelled.number)));
}

TEST_F(PostgresServers, KeepTextsWithAnyCharacter) {
  const auto store = Open();
  server::NewJob job = JobOfItems(1, std::string("a\0'b", 4));
  job.display_name = std::string("n\0\"\\{}", 6);
  job.items[0].key = std::string("k\0,\xC3\xA9", 5);
  job.items[0].options = std::string("\0\xFF\x80", 3);
  job.items[0].display_name = "";
  Create(store.get(), job);
  JobInfo again;
  bool is_there = false;
  ASSERT_TRUE(store->FindRepeat(job, &again, &is_there).ok());
  EXPECT_TRUE(is_there);
  EXPECT_EQ(again.display_name, job.display_name);
  const auto items = Claim(store.get(), 1);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].item.key, job.items[0].key);
  EXPECT_EQ(*items[0].options, job.items[0].options);
}

}  // namespace
}  // namespace bvhmill::testing
