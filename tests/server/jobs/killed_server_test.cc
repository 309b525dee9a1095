// The program bvhmilld is killed while it works on jobs, and started again:
// every item of every job that it has acknowledged gets exactly one result.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "bench/server/server_process.h"
#include "server/store/check_data.h"
#include "server/store/data_folder.h"
#include "tests/server/jobs/doc_commands.h"
#include "tests/server/jobs/job_fixture.h"
#include "tests/server/jobs/soak.h"

namespace bvhmill::testing {
namespace {

// BVHMILL_KILLS makes the test longer.
int KillsOfTest() {
  const char* const wanted = std::getenv("BVHMILL_KILLS");
  return wanted == nullptr ? 12 : std::atoi(wanted);
}

class KilledServerTest : public ::testing::Test {
 protected:
  KilledServerTest() { std::filesystem::remove_all(folder_); }
  ~KilledServerTest() override {
    server_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  void StartProgram() {
    server_ = std::make_unique<bench::ServerProcess>(
        std::string(BVHMILL_BIN) + "/bvhmilld",
        std::vector<std::string>{"--listen", "127.0.0.1:0", "--data-dir",
                                 folder_, "--log", "errors"});
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    calls_ = std::make_unique<JobCalls>(grpc::CreateCustomChannel(
        server_->address(), grpc::InsecureChannelCredentials(), arguments));
  }

  void Kill() {
    kill(server_->pid(), SIGKILL);
    server_ = nullptr;
  }

  const std::string folder_ =
      ::testing::TempDir() + "killed-server-" + std::to_string(getpid());
  std::unique_ptr<bench::ServerProcess> server_;
  std::unique_ptr<JobCalls> calls_;
};

TEST_F(KilledServerTest, EachAcknowledgedItemHasOneResult) {
  const int kills = KillsOfTest();
  constexpr int kClips = 60;
  std::minstd_rand random(11);
  std::vector<std::string> clips;
  for (int i = 0; i < kClips; ++i) clips.push_back(SmallClip(2'000 + i));
  std::vector<std::string> names;
  int restarts_with_work = 0;
  for (int round = 0; round < kills; ++round) {
    StartProgram();
    if (round == 0) {
      for (const std::string& clip : clips) calls_->Store(clip);
    }
    v1::CreateJobRequest request = JobOfClips(clips);
    request.set_request_id("round " + std::to_string(round));
    v1::Job job;
    ASSERT_TRUE(calls_->Create(request, &job).ok());
    names.push_back(job.name());
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    if (calls_->Get(job.name(), &job).ok() &&
        job.state() < v1::JOB_STATE_SUCCEEDED) {
      ++restarts_with_work;
    }
    Kill();
  }
  EXPECT_GT(restarts_with_work, 0);
  StartProgram();
  const std::vector<std::string> expected =
      LocalOutputs(clips[7], JobOfClips(clips).options());
  for (const std::string& name : names) {
    const v1::Job over = calls_->Await(name);
    EXPECT_EQ(over.state(), v1::JOB_STATE_SUCCEEDED);
    EXPECT_EQ(over.items().ok(), kClips);
    const auto results = calls_->Results(name, 50);
    EXPECT_EQ(results.size(), static_cast<size_t>(kClips));
    EXPECT_EQ(results.at("7").outputs(0).blob(), BlobOf(expected[0]));
    std::string output;
    ASSERT_TRUE(
        calls_->Read(results.at("7").outputs(0).blob(), 0, 0, &output).ok());
    EXPECT_EQ(output, expected[0]);
  }
  server_ = nullptr;
  server::DataCheck check;
  ASSERT_TRUE(server::CheckData(folder_, "", &check).ok());
  for (const std::string& fault : check.faults) ADD_FAILURE() << fault;
  EXPECT_EQ(check.results, kills * kClips);
  // Outputs of equal clips are one blob.
  EXPECT_EQ(check.blobs - check.unnamed, 2 * kClips);
}

TEST_F(KilledServerTest, LosesNothingInASoak) {
  StartProgram();
  Soak soak;
  soak.submit = [&](const v1::CreateJobRequest& request) {
    v1::Job job;
    if (soak.jobs.empty()) {
      for (const std::string& clip : soak.clips) calls_->Store(clip);
    }
    const grpc::Status made = calls_->Create(request, &job);
    EXPECT_TRUE(made.ok()) << made.error_message();
    return job.name();
  };
  soak.kill = [&](int /*round*/) {
    Kill();
    StartProgram();
  };
  soak.await = [&](const std::string& name) { return calls_->Await(name); };
  soak.results = [&](const std::string& name) {
    return calls_->Results(name, 50);
  };
  soak.check = [&](server::DataCheck* check) {
    return server::CheckData(folder_, "", check);
  };
  soak.Run();
  Kill();
  soak.Print("one server", soak.Leaked());
}

// The commands of docs/operations.md. The server works on jobs meanwhile.
TEST_F(KilledServerTest, ABackupHasAllThatWasAcknowledgedBefore) {
  const std::string copy = folder_ + "-copy";
  const std::string old = folder_ + "-old";
  const std::map<std::string, std::string> words = {
      {"DIR", folder_}, {"COPY", copy}, {"OLD", old}};
  std::filesystem::remove_all(copy);
  std::filesystem::remove_all(old);
  StartProgram();
  std::vector<std::string> clips;
  for (int i = 0; i < 40; ++i) clips.push_back(SmallClip(2'000 + i));
  for (const std::string& clip : clips) calls_->Store(clip);
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) {
    v1::CreateJobRequest request = JobOfClips(clips);
    request.set_request_id(std::to_string(i));
    v1::Job job;
    ASSERT_TRUE(calls_->Create(request, &job).ok());
    names.push_back(job.name());
  }
  RunCommands(BVHMILL_BIN, DocCommands("operations.md", "**Backup.**", words));
  // Data that come after the backup are lost with the folder.
  calls_->Store("a later blob");
  Kill();
  EXPECT_THAT(RunCommands(BVHMILL_BIN,
                          DocCommands("operations.md", "**Restore.**", words)),
              ::testing::StartsWith("ok\n10 jobs, 400 items, "));
  StartProgram();
  EXPECT_EQ(calls_->Missing({BlobOf("a later blob")}).size(), 1u);
  for (const std::string& name : names) {
    EXPECT_EQ(calls_->Await(name).state(), v1::JOB_STATE_SUCCEEDED);
    EXPECT_EQ(calls_->Results(name, 50).size(), clips.size());
  }
  std::filesystem::remove_all(copy);
  std::filesystem::remove_all(old);
}

}  // namespace
}  // namespace bvhmill::testing
