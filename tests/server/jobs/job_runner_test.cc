// The parts of a server that work on jobs, without sockets of the server.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <thread>

#include "bvhmill/base/status.h"
#include "server/jobs/jobs.h"
#include "server/jobs/new_job.h"
#include "server/store/fault_points.h"
#include "server/store/postgres/open_postgres.h"
#include "server/store/sqlite/sqlite.h"
#include "tests/server/jobs/job_parts.h"
#include "tests/server/store/store_kinds.h"

namespace bvhmill::testing {
namespace {

TEST_F(JobPartsTest, WaitsEndWhileOldDataAreRemoved) {
  auto folder = Open();
  Upload("old", folder.get());
  folder = nullptr;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder_ + "/blobs")) {
    std::filesystem::last_write_time(
        file.path(),
        std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  parts_.config.jobs.blob_retention_seconds = 1;
  server::Jobs jobs(parts_.All());
  DataFolder* opened = nullptr;
  ASSERT_TRUE(jobs.Open(&opened).ok());
  {
    // The janitor waits for it.
    server::NamesHeld names;
    ASSERT_TRUE(opened->HoldNames(&names).ok());
    for (int i = 0; i < 12; ++i) {
      std::promise<void> done;
      jobs.Watch(1, std::chrono::steady_clock::now(),
                 [&] { done.set_value(); });
      ASSERT_EQ(done.get_future().wait_for(std::chrono::seconds(20)),
                std::future_status::ready);
    }
  }
}

TEST_F(JobPartsTest, ACancelledJobThatWaitsEndsItsWaits) {
  server::Jobs jobs(parts_.All());
  bool is_done = false;
  jobs.Watch(7, std::chrono::steady_clock::now() + std::chrono::hours(1),
             [&] { is_done = true; });
  jobs.Cancel(8, /*is_over=*/true);
  jobs.Cancel(7, /*is_over=*/false);
  EXPECT_FALSE(is_done);
  jobs.Cancel(7, /*is_over=*/true);
  EXPECT_TRUE(is_done);
}

TEST_F(JobPartsTest, ACancelIsNotMissedByAClaim) {
  const auto folder = Open();
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  // Its item is claimed after this.
  constexpr int64_t kFirst = 1;
  runner.Cancel(kFirst);
  const server::JobInfo job = MakeJob(folder.get());
  ASSERT_EQ(job.number, kFirst);
  AwaitLooks(3, &runner);
  server::JobInfo info;
  ASSERT_TRUE(folder->jobs().Get("", job.id, &info).ok());
  EXPECT_EQ(info.ok, 0);
}

TEST_F(JobPartsTest, AServerThatDrainsClaimsNoItem) {
  const auto folder = Open();
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  runner.Drain();
  MakeJob(folder.get());
  runner.Wake();
  const int64_t looks = runner.looks();
  // One of them may have begun before.
  EXPECT_TRUE(Eventually([&] { return runner.looks() >= looks + 3; }));
  server::JobStats stats;
  ASSERT_TRUE(folder->jobs().Stats(&stats).ok());
  EXPECT_EQ(stats.waiting, 1);
  EXPECT_EQ(stats.leased, 0);
}

// Not even one more try is made.
TEST_F(JobPartsTest, AnItemWithWhichTheServerEndedTooOftenIsSetAside) {
  const auto folder = Open();
  const server::JobInfo job = MakeJob(folder.get());
  RunSql("UPDATE item SET crashes = 5");
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  server::JobInfo info;
  EXPECT_TRUE(Eventually([&] {
    return folder->jobs().Get("", job.id, &info).ok() && info.set_aside == 1;
  }));
  EXPECT_EQ(info.ok, 0);
}

// A job waits between the search for its sources and its making, and a source
// is removed as old meanwhile.
TEST_F(JobPartsTest, ASourceThatIsRemovedBeforeItsJobIsMadeIsMissing) {
  const auto folder = Open();
  const std::vector<std::string> digests = {Sha256Of("source")};
  server::JobLimits limits;
  limits.blob_retention_seconds = 1;
  server::NewJob job;
  job.items.push_back({.key = "a", .blob = digests[0]});
  Upload("source", folder.get());
  server::JobSources sources(folder.get(), job.caller, digests);
  ASSERT_TRUE(sources.Find().ok());
  // Sources are known to stay for a quarter of blob_retention_seconds.
  const auto late =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(251);
  ASSERT_TRUE(
      Eventually([late] { return std::chrono::steady_clock::now() > late; }));
  int64_t count = 0;
  ASSERT_TRUE(folder->Collect(server::WallClockMs() + 1, &count).ok());
  ASSERT_EQ(count, 1);
  server::JobInfo info;
  bool is_new = false;
  const absl::Status made = sources.Create(limits, job, &info, &is_new);
  EXPECT_EQ(CallErrorOf(made).reason, "BLOBS_MISSING") << made;
  server::JobStats stats;
  ASSERT_TRUE(folder->jobs().Stats(&stats).ok());
  EXPECT_EQ(stats.jobs, 0);
  Upload("source", folder.get());
  EXPECT_TRUE(
      server::MakeJob(limits, job, digests, folder.get(), &info, &is_new).ok());
  EXPECT_TRUE(is_new);
}

TEST_F(JobPartsTest, ItemsThatRunAloneGetTheirTurnAmongOthers) {
  const auto folder = Open();
  const server::JobInfo alone = MakeJob(folder.get());
  // It may be tried again when the server has begun with others.
  RunSql("UPDATE item SET crashes = 2, not_before_ms = " +
         std::to_string(server::WallClockMs() + 300));
  const std::string clip = SmallClip();
  v1::ConvertOptions options;
  options.add_outputs()->mutable_positions();
  server::NewJob job;
  job.options = options.SerializeAsString();
  for (int i = 0; i < 500; ++i) {
    job.items.push_back({.key = std::to_string(i), .blob = Sha256Of(clip)});
  }
  const auto add = [&] {
    server::JobInfo info;
    bool is_new = false;
    ASSERT_TRUE(
        folder->jobs().Create(job, server::WallClockMs(), &info, &is_new).ok());
  };
  add();
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  // There are always others.
  server::JobInfo info;
  for (int i = 0; i < 1000 && info.ok == 0; ++i) {
    server::JobStats stats;
    ASSERT_TRUE(folder->jobs().Stats(&stats).ok());
    if (stats.waiting < 1000) add();
    ASSERT_TRUE(folder->jobs().Get("", alone.id, &info).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(info.ok, 1);
}

TEST_F(JobPartsTest, AnItemThatIsTooLargeForTheDiskIsGivenUpBesideOthers) {
  auto folder = Open();
  const server::JobInfo job = MakeJob(folder.get());
  const auto claim = [&] {
    std::vector<server::ClaimedItem> items;
    EXPECT_TRUE(folder->jobs()
                    .Claim({.limit = 1,
                            .now_ms = server::WallClockMs() + 1'000'000,
                            .until_ms = server::WallClockMs() + 2'000'000},
                           &items)
                    .ok());
    EXPECT_EQ(items.size(), 1U);
    return items.empty() ? server::ClaimedItem() : items[0];
  };
  std::atomic<int> ends = 0;
  std::atomic<int> faults = 0;
  server::ItemStorer storer(
      parts_.log, &parts_.metrics, folder.get(),
      {.on_over = [](const auto&) {},
       .on_stored = [] {},
       .on_fault = [&](const auto&) { ++faults; },
       .on_end =
           [&](const auto& works) { ends += static_cast<int>(works.size()); }});
  const auto put = [&](const server::ClaimedItem& item, bool is_full) {
    auto work = std::make_shared<server::ItemWork>(parts_.config,
                                                   &folder->blobs(), item);
    if (is_full) {
      work->end().fault = server::FileFault("write", "f", ENOSPC);
      work->end().counts = false;
    } else {
      work->end().result = server::ItemResult();
    }
    const int before = ends;
    storer.Put(work);
    ASSERT_TRUE(Eventually([&] { return ends > before; }));
  };
  // Nothing else is stored: the disk is full.
  put(claim(), /*is_full=*/true);
  put(claim(), /*is_full=*/true);
  server::ClaimedItem item = claim();
  EXPECT_EQ(item.tries, 0);
  EXPECT_EQ(faults, 2);
  MakeJob(folder.get());
  put(claim(), /*is_full=*/false);
  put(item, /*is_full=*/true);
  EXPECT_EQ(claim().tries, 1);
  EXPECT_EQ(faults, 2);
}

// Accepts connections, and never answers.
class SilentServer {
 public:
  SilentServer() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, any, sizeof(address)), 0);
    EXPECT_EQ(listen(socket_, 8), 0);
    socklen_t size = sizeof(address);
    EXPECT_EQ(getsockname(socket_, any, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { Close(); }

  int port() const { return port_; }
  void AwaitOne() { one_ = accept(socket_, nullptr, nullptr); }
  // Ends the connections that were accepted, and accepts no other.
  void Close() {
    if (socket_ >= 0) close(socket_);
    if (one_ >= 0) close(one_);
    socket_ = one_ = -1;
  }

 private:
  int socket_;
  int port_ = 0;
  int one_ = -1;
};

TEST_F(JobPartsTest, ADatabaseThatNeverAnswersBlocksNoCall) {
  if (!server::HasPostgres()) GTEST_SKIP() << "built without PostgreSQL";
  SilentServer silent;
  parts_.config.jobs_database =
      "host=127.0.0.1 port=" + std::to_string(silent.port()) + " dbname=d";
  server::Jobs jobs(parts_.All());
  auto start = std::async(std::launch::async, [&] { return jobs.Start(); });
  silent.AwaitOne();
  auto calls = std::async(std::launch::async, [&] {
    DataFolder* folder = nullptr;
    jobs.Now();
    return jobs.Open(&folder);
  });
  // They end before the connection is given up.
  ASSERT_EQ(calls.wait_for(kTimeout), std::future_status::ready);
  EXPECT_EQ(start.wait_for(std::chrono::seconds(0)),
            std::future_status::timeout);
  silent.Close();
  // Clients try again after this, and not after DATA_UNUSABLE.
  const absl::Status refused = calls.get();
  EXPECT_TRUE(absl::IsUnavailable(refused));
  EXPECT_EQ(CallErrorOf(refused).reason, "DATABASE_UNAVAILABLE");
  EXPECT_EQ(FindArg(CallErrorOf(refused), "retry_after_ms"), "1000");
  EXPECT_TRUE(start.get().ok());
  // The same when it was asked and did not answer.
  DataFolder* folder = nullptr;
  EXPECT_EQ(CallErrorOf(jobs.Open(&folder)).reason, "DATABASE_UNAVAILABLE");
}

// Also if the operator has not named the folder.
TEST_F(JobPartsTest, AServerDoesNotStartWithBlobsWithoutTheirJobs) {
  MakeJob(Open().get());
  std::filesystem::remove(folder_ + "/jobs.db");
  for (const bool is_default : {false, true}) {
    parts_.config.data_dir_is_default = is_default;
    server::Jobs jobs(parts_.All());
    const absl::Status refused = jobs.Start();
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
    EXPECT_THAT(std::string(refused.message()),
                ::testing::HasSubstr("jobs.db is missing; restore it"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/jobs.db"));
}

TEST_F(JobPartsTest, AServerStartsOnAFullDiskAndOpensItsJobsWhenThereIsRoom) {
  const server::JobInfo job = MakeJob(Open().get());
  std::filesystem::remove(folder_ + "/reserve");
  server::FaultPoints::Arm(
      {.at = 1, .fault = server::Fault::kNoSpace, .lasts = true});
  server::Jobs jobs(parts_.All());
  EXPECT_TRUE(jobs.Start().ok());
  DataFolder* folder = nullptr;
  const absl::Status refused = jobs.Open(&folder);
  server::FaultPoints::Disarm();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_EQ(CallErrorOf(refused).reason, "DISK_FULL");
  EXPECT_FALSE(FindArg(CallErrorOf(refused), "retry_after_ms").empty());
  // Without a call.
  EXPECT_TRUE(Eventually([&] { return jobs.Now().blob_bytes > 0; }));
  ASSERT_TRUE(jobs.Open(&folder).ok());
  EXPECT_TRUE(Eventually([&] { return GoodItems(job, folder) == 1; }));
}

// The operator learns which folder it is, and what to do.
TEST_F(JobPartsTest, AServerDoesNotStartWithoutTheFolderOfItsJobs) {
  std::string why;
  if (!server::HasPostgres()) GTEST_SKIP() << "built without PostgreSQL";
  bench::PostgresProcess* const postgres = SharedPostgres(&why);
  if (postgres == nullptr) GTEST_SKIP() << why;
  parts_.config.jobs_database = postgres->NewDatabase("unmounted");
  {
    server::Jobs jobs(parts_.All());
    DataFolder* folder = nullptr;
    ASSERT_TRUE(jobs.Start().ok());
    ASSERT_TRUE(jobs.Open(&folder).ok());
    MakeJob(folder);
  }
  std::filesystem::remove_all(folder_);
  server::Jobs jobs(parts_.All());
  const absl::Status refused = jobs.Start();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  for (const std::string part : {folder_.c_str(), "mount", "\"database\""}) {
    EXPECT_THAT(std::string(refused.message()), ::testing::HasSubstr(part));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

}  // namespace
}  // namespace bvhmill::testing
