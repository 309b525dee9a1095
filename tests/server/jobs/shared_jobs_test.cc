// Three bvhmilld share one PostgreSQL and the blobs: in one folder or, if it is
// built for that, in an S3-compatible store. One of them, the database or the
// store is killed again and again, and started again: every item of every job
// that was acknowledged gets exactly one result.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "bench/server/server_process.h"
#include "bench/support/child_process.h"
#include "bench/support/postgres_process.h"
#include "tests/server/jobs/doc_commands.h"
#include "tests/server/jobs/job_fixture.h"
#include "tests/server/jobs/shared_blobs.h"
#include "tests/server/jobs/soak.h"

namespace bvhmill::testing {
namespace {

constexpr int kServers = 3;
constexpr int kSharedClips = 40;

// BVHMILL_KILLS makes the test longer.
int KillsOfShared() {
  const char* const wanted = std::getenv("BVHMILL_KILLS");
  return wanted == nullptr ? 8 : std::atoi(wanted);
}

class SharedJobsTest : public ::testing::Test {
 protected:
  SharedJobsTest() { std::filesystem::remove_all(folder_); }
  ~SharedJobsTest() override {
    for (auto& server : servers_) server = nullptr;
    std::filesystem::remove_all(folder_);
  }

  void SetUp() override {
    std::string why;
    postgres_ = bench::PostgresProcess::Start(/*durable=*/true, &why);
    if (postgres_ == nullptr) GTEST_SKIP() << why;
    if (!blobs_.Start(&why)) GTEST_SKIP() << why;
    address_ = postgres_->NewDatabase("shared");
    for (int i = 0; i < kServers; ++i) StartProgram(i);
  }

  void StartProgram(int i) {
    const auto at = static_cast<size_t>(i);
    servers_[at] = nullptr;
    std::vector<std::string> flags = {"--listen",
                                      "127.0.0.1:0",
                                      "--data-dir",
                                      folder_,
                                      "--jobs-database",
                                      address_,
                                      "--job-lease-seconds",
                                      "3",
                                      "--log",
                                      "errors",
                                      "--min-free-disk-bytes",
                                      "0"};
    for (const std::string& flag : blobs_.Flags()) flags.push_back(flag);
    for (const std::string& flag : extra_flags_) flags.push_back(flag);
    servers_[at] = std::make_unique<bench::ServerProcess>(
        std::string(BVHMILL_BIN) + "/bvhmilld", flags);
    calls_[at] = CallsTo(servers_[at]->address());
  }
  static std::unique_ptr<JobCalls> CallsTo(const std::string& address) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return std::make_unique<JobCalls>(grpc::CreateCustomChannel(
        address, grpc::InsecureChannelCredentials(), arguments));
  }

  // Repeats the request at one server after the other until it is acknowledged,
  // as a client with round_robin does.
  std::string Submit(const v1::CreateJobRequest& request) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (size_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
      v1::Job job;
      if (calls_[i % kServers]->Create(request, &job).ok()) return job.name();
      ++refused_;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ADD_FAILURE() << "no server takes the job";
    return "";
  }

  void KillOne(int round) {
    const int which = round % (kServers + 1 + SharedBlobs::kVictims);
    if (which > kServers) return blobs_.Kill();
    if (which == kServers) {
      postgres_->Kill();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      ASSERT_TRUE(postgres_->StartAgain());
      return;
    }
    kill(servers_[static_cast<size_t>(which)]->pid(), SIGKILL);
    StartProgram(which);
  }

  // Waits until a server says that the job is over; two minutes at most.
  v1::Job AwaitAnywhere(const std::string& name) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    v1::Job job;
    while (std::chrono::steady_clock::now() < end) {
      if (calls_[0]->Get(name, &job).ok() &&
          job.state() >= v1::JOB_STATE_SUCCEEDED) {
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return job;
  }

  // The program finds no fault while the servers run.
  void ExpectGoodData(int jobs) {
    std::string said;
    std::string command = std::string(BVHMILL_BIN) +
                          "/bvhmilld --check-data '" + folder_ +
                          "' --jobs-database '" + address_ + "'";
    for (const std::string& flag : blobs_.Flags()) command += " " + flag;
    bench::RunCommand(command, &said);
    EXPECT_THAT(said, ::testing::StartsWith(
                          "ok\n" + std::to_string(jobs) + " jobs, " +
                          std::to_string(jobs * kSharedClips) + " items, " +
                          std::to_string(jobs * kSharedClips) + " results\n"));
    EXPECT_THAT(said, ::testing::ContainsRegex("servers (may )?use the data"));
  }

  const std::string folder_ =
      ::testing::TempDir() + "shared-jobs-" + std::to_string(getpid());
  std::unique_ptr<bench::PostgresProcess> postgres_;
  SharedBlobs blobs_;
  std::vector<std::string> extra_flags_;
  std::string address_;
  std::array<std::unique_ptr<bench::ServerProcess>, kServers> servers_;
  std::array<std::unique_ptr<JobCalls>, kServers> calls_;
  int refused_ = 0;
};

TEST_F(SharedJobsTest, EachAcknowledgedItemHasOneResult) {
  std::vector<std::string> clips;
  for (int i = 0; i < kSharedClips; ++i) clips.push_back(SmallClip(2'000 + i));
  for (const std::string& clip : clips) calls_[0]->Store(clip);
  std::minstd_rand random(5);
  std::vector<std::string> names;
  const int kills = KillsOfShared();
  for (int round = 0; round < kills; ++round) {
    v1::CreateJobRequest request = JobOfClips(clips);
    request.set_request_id("round " + std::to_string(round));
    names.push_back(Submit(request));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 80));
    KillOne(round);
  }
  const std::vector<std::string> expected =
      LocalOutputs(clips[7], JobOfClips(clips).options());
  for (const std::string& name : names) {
    const v1::Job over = AwaitAnywhere(name);
    EXPECT_EQ(over.state(), v1::JOB_STATE_SUCCEEDED);
    EXPECT_EQ(over.items().ok(), kSharedClips);
    // Another server has the same results and blobs.
    const auto results = calls_[1]->Results(name, 50);
    EXPECT_EQ(results.size(), static_cast<size_t>(kSharedClips));
    std::vector<std::string> blobs;
    for (const auto& [key, result] : results) {
      for (const auto& output : result.outputs()) {
        blobs.push_back(output.blob());
      }
    }
    EXPECT_EQ(blobs.size(), static_cast<size_t>(kSharedClips));
    EXPECT_TRUE(calls_[2]->Missing(blobs).empty());
    const std::string blob = results.at("7").outputs(0).blob();
    EXPECT_EQ(blob, BlobOf(expected[0]));
    std::string output;
    ASSERT_TRUE(calls_[2]->Read(blob, 0, 0, &output).ok());
    EXPECT_EQ(output, expected[0]);
  }
  EXPECT_EQ(postgres_->RunSql(
                "shared", "SELECT count(*) FROM bvhmill.item WHERE state = 2"),
            std::to_string(kills * kSharedClips) + "\n");
  ExpectGoodData(kills);
  std::cerr << kills << " kills, " << names.size() * kSharedClips
            << " items acknowledged, " << refused_ << " calls refused\n";
}

TEST_F(SharedJobsTest, LoseNothingInASoak) {
  Soak soak;
  soak.submit = [&](const v1::CreateJobRequest& request) {
    if (soak.jobs.empty()) {
      for (const std::string& clip : soak.clips) calls_[0]->Store(clip);
    }
    return Submit(request);
  };
  soak.kill = [&](int round) { KillOne(round); };
  soak.await = [&](const std::string& name) { return AwaitAnywhere(name); };
  soak.results = [&](const std::string& name) {
    return calls_[1]->Results(name, 50);
  };
  soak.check = [&](server::DataCheck* check) {
    return blobs_.Check(folder_, address_, check);
  };
  soak.Run();
  for (auto& server : servers_) {
    kill(server->pid(), SIGKILL);
    server = nullptr;
  }
  soak.Print("three servers", soak.Leaked());
}

#ifndef BVHMILL_TEST_S3
// The commands of docs/jobs-on-several-machines.md, which are for blobs in a
// folder. The servers work on jobs meanwhile.
TEST_F(SharedJobsTest, ABackupHasAllThatWasAcknowledgedBefore) {
  const std::string page = "jobs-on-several-machines.md";
  const std::string path = postgres_->programs() + ":" BVHMILL_BIN;
  const std::string copy = folder_ + "-copy";
  std::filesystem::remove_all(copy);
  std::vector<std::string> clips;
  for (int i = 0; i < kSharedClips; ++i) clips.push_back(SmallClip(2'000 + i));
  for (const std::string& clip : clips) calls_[0]->Store(clip);
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) {
    v1::CreateJobRequest request = JobOfClips(clips);
    request.set_request_id(std::to_string(i));
    names.push_back(Submit(request));
  }
  RunCommands(
      path,
      DocCommands(page, "**Backup.**",
                  {{"DIR", folder_}, {"COPY", copy}, {"DATABASE", address_}}));
  for (auto& server : servers_) {
    kill(server->pid(), SIGKILL);
    server = nullptr;
  }
  std::filesystem::remove_all(folder_);
  address_ = postgres_->NewDatabase("restored");
  EXPECT_THAT(RunCommands(path, DocCommands(page, "**Restore.**",
                                            {{"DIR", folder_},
                                             {"COPY", copy},
                                             {"DATABASE", address_}})),
              ::testing::StartsWith("ok\n10 jobs, 400 items, "));
  StartProgram(0);
  for (const std::string& name : names) {
    EXPECT_EQ(AwaitAnywhere(name).state(), v1::JOB_STATE_SUCCEEDED);
    EXPECT_EQ(calls_[0]->Results(name, 50).size(), clips.size());
  }
  std::filesystem::remove_all(copy);
}
#endif

// The second server holds the call; the first one has the job.
TEST_F(SharedJobsTest, ACallWaitsAtOneServerForAJobOfAnother) {
  const std::vector<std::string> clips = {SmallClip(2'000), SmallClip(2'001)};
  for (const std::string& clip : clips) calls_[0]->Store(clip);
  v1::Job job;
  ASSERT_TRUE(calls_[0]->Create(JobOfClips(clips), &job).ok());
  EXPECT_EQ(calls_[1]->Await(job.name()).state(), v1::JOB_STATE_SUCCEEDED);
  // Equal clips are there for all servers.
  EXPECT_TRUE(calls_[2]->Missing({BlobOf(clips[0]), BlobOf(clips[1])}).empty());
}

#ifdef BVHMILL_TEST_S3
// Items that cannot be read or stored meanwhile are no tries that failed.
TEST_F(SharedJobsTest, JobsWaitForTheStore) {
  const std::vector<std::string> clips = {SmallClip(2'000), SmallClip(2'001)};
  for (const std::string& clip : clips) calls_[0]->Store(clip);
  v1::Job job;
  SharedStore(nullptr)->KillGateway();
  StartProgram(1);
  const grpc::Status refused = calls_[1]->Create(JobOfClips(clips), &job);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  ASSERT_TRUE(SharedStore(nullptr)->StartGateway());
  EXPECT_FALSE(Submit(JobOfClips(clips)).empty());
  ASSERT_TRUE(calls_[0]->Create(JobOfClips(clips), &job).ok());
  SharedStore(nullptr)->KillGateway();
  std::this_thread::sleep_for(std::chrono::seconds(5));
  ASSERT_TRUE(SharedStore(nullptr)->StartGateway());
  const v1::Job over = AwaitAnywhere(job.name());
  EXPECT_EQ(over.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(over.items().ok(), 2);
}

TEST_F(SharedJobsTest, OldBlobsAreRemoved) {
  const std::string old = calls_[0]->Store("not used");
  const std::vector<std::string> clips = {SmallClip(2'000)};
  calls_[0]->Store(clips[0]);
  v1::Job job;
  ASSERT_TRUE(calls_[0]->Create(JobOfClips(clips), &job).ok());
  const v1::Job over = AwaitAnywhere(job.name());
  ASSERT_EQ(over.state(), v1::JOB_STATE_SUCCEEDED);
  extra_flags_ = {"--blob-retention-seconds", "1"};
  for (int i = 0; i < kServers; ++i) StartProgram(i);
  v1::Job again;
  EXPECT_TRUE(calls_[2]->Get(job.name(), &again).ok());
  std::string bytes;
  grpc::Status read;
  for (int i = 0; i < 300 && read.ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    read = calls_[1]->Read(old, 0, 0, &bytes);
  }
  EXPECT_EQ(read.error_code(), grpc::StatusCode::NOT_FOUND);
  // A job names these.
  EXPECT_TRUE(calls_[1]->Read(BlobOf(clips[0]), 0, 0, &bytes).ok());
  const auto results = calls_[1]->Results(job.name());
  const std::string output = results.at("0").outputs(0).blob();
  EXPECT_TRUE(calls_[1]->Read(output, 0, 0, &bytes).ok());
}
#endif

TEST_F(SharedJobsTest, AServerStartsBeforeItsDatabase) {
  postgres_->Kill();
  StartProgram(0);
  v1::Job job;
  const grpc::Status refused = calls_[0]->Get("jobs/none", &job);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  ASSERT_TRUE(postgres_->StartAgain());
  grpc::Status found = refused;
  for (int i = 0; i < 100 && found.error_code() != grpc::NOT_FOUND; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    found = calls_[0]->Get("jobs/none", &job);
  }
  EXPECT_EQ(found.error_code(), grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace bvhmill::testing
