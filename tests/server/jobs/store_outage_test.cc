// A store of blobs that cannot be read for a while, or not in part.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "server/store/fault_points.h"
#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

using server::Effect;
using server::Fault;
using server::FaultPoints;

class StoreOutage : public JobServerTest {
 protected:
  // An item is given up after one try that counts.
  void StartWithOneTry() {
    StartJobs([](server::ServerConfig* config) {
      config->jobs.max_item_tries = 1;
      config->metrics = "127.0.0.1:0";
    });
  }
  // Waits until the server has tried items, pauses, has tried items again, and
  // pauses once more.
  // The first pause lasts for a second. Between two, the server works for
  // milliseconds.
  void AwaitTwoPauses() const {
    const auto is_paused = [&] {
      return FetchGauge(server_->metrics_address(), "bvhmill_jobs_paused") == 1;
    };
    EXPECT_TRUE(Eventually(is_paused));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    EXPECT_TRUE(Eventually(is_paused));
  }
};

TEST_F(StoreOutage, SourcesThatCannotBeReadForAWhileCostNoItem) {
  StartWithOneTry();
  const std::vector<std::string> clips = SomeClips(20);
  for (const std::string& clip : clips) calls_->Store(clip);
  FaultPoints::Arm({.at = 1,
                    .fault = Fault::kIoError,
                    .lasts = true,
                    .only = Effect::kRead});
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips(clips), &job).ok());
  AwaitTwoPauses();
  v1::Job during;
  EXPECT_TRUE(calls_->Get(job.name(), &during).ok());
  EXPECT_EQ(during.items().ok() + during.items().failed(), 0);
  EXPECT_EQ(during.blocked().info().reason(), "STORE_FAULT");
  // An item that is being read when the store works again would be at fault:
  // those that were begun before the pause end.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  // Some items at once, then none for a pause.
  EXPECT_LT(FaultPoints::Disarm(), 200);
  EXPECT_EQ(calls_->Await(job.name()).items().ok(), 20);
}

TEST_F(StoreOutage, AFolderOfBlobsThatIsGoneForAWhileCostsNoItem) {
  StartWithOneTry();
  const std::string clip = SmallClip(3000);
  calls_->Store(clip);
  constexpr int kItems = 600;
  v1::Job job;
  const v1::CreateJobRequest request =
      JobOfClips(std::vector<std::string>(kItems, clip));
  ASSERT_TRUE(calls_->Create(request, &job).ok());
  const std::string blobs = folder_ + "/blobs";
  std::filesystem::rename(blobs, folder_ + "/away");
  AwaitTwoPauses();
  ASSERT_TRUE(calls_->Get(job.name(), &job).ok());
  EXPECT_LT(job.items().ok(), kItems);
  EXPECT_EQ(job.items().failed(), 0);
  // The server neither takes blobs for missing nor begins a folder anew.
  v1::Job none;
  EXPECT_EQ(DetailsOf(calls_->Create(request, &none)).info.reason(),
            "BLOBS_UNAVAILABLE");
  v1::WriteBlobResponse response;
  EXPECT_EQ(DetailsOf(calls_->Write(BlobOf("a"), "a", 0, true, &response))
                .info.reason(),
            "BLOBS_UNAVAILABLE");
  std::string bytes;
  EXPECT_EQ(DetailsOf(calls_->Read(BlobOf(clip), 0, 0, &bytes)).info.reason(),
            "BLOBS_UNAVAILABLE");
  EXPECT_FALSE(std::filesystem::exists(blobs));
  std::filesystem::rename(folder_ + "/away", blobs);
  EXPECT_EQ(calls_->Await(job.name()).items().ok(), kItems);
}

// Such an item was tried for ever if no other was stored meanwhile.
TEST_F(StoreOutage, ASourceThatAloneCannotBeReadIsSetAsideAndSaysWhy) {
  StartJobs(
      [](server::ServerConfig* config) { config->jobs.max_item_tries = 2; });
  const struct {
    const char* name;
    void (*put)(const std::string& path);
    const char* why;
  } kCases[] = {
      {"a link",
       [](const std::string& path) {
         std::filesystem::create_symlink("/dev/null", path);
       },
       "symbolic links"},
      {"a folder",
       [](const std::string& path) { std::filesystem::create_directory(path); },
       "no regular file"},
      {"a pipe",
       [](const std::string& path) {
         EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
       },
       "no regular file"},
  };
  for (const auto& c : kCases) {
    const std::string clip = SmallClip(2) + c.name;
    calls_->Store(clip);
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(folder_ + "/blobs")) {
      if (file.path().filename() != Sha256Of(clip)) continue;
      std::filesystem::remove(file.path());
      c.put(file.path());
      break;
    }
    v1::Job job;
    ASSERT_TRUE(calls_->Create(JobOfClips({clip}), &job).ok());
    EXPECT_TRUE(Eventually([&] {
      return calls_->Get(job.name(), &job).ok() && job.has_blocked();
    })) << c.name;
    EXPECT_THAT(job.blocked().message(), ::testing::HasSubstr(c.why));
    EXPECT_EQ(job.blocked().info().reason(), "STORE_FAULT");
    EXPECT_THAT(job.blocked().ShortDebugString(),
                ::testing::Not(::testing::HasSubstr(folder_)));
    const v1::Job over = calls_->Await(job.name());
    EXPECT_EQ(over.items().set_aside(), 1) << c.name;
    EXPECT_FALSE(over.has_blocked());
    EXPECT_THAT(calls_->Results(job.name()).at("0").status().message(),
                ::testing::HasSubstr(c.why));
  }
}

}  // namespace
}  // namespace bvhmill::testing
