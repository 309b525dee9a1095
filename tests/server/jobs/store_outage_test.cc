// A store of blobs that cannot be read for a while, or not in part.

#include <gtest/gtest.h>

#include <filesystem>

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
  void AwaitTwoPauses() const {
    for (const int64_t is_paused : {1, 0, 1}) {
      EXPECT_TRUE(Eventually([&] {
        return FetchGauge(server_->metrics_address(), "bvhmill_jobs_paused") ==
               is_paused;
      }));
    }
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

TEST_F(StoreOutage, ASourceThatAloneCannotBeReadIsSetAsideBesideOthers) {
  StartWithOneTry();
  const std::vector<std::string> clips = SomeClips(2);
  for (const std::string& clip : clips) calls_->Store(clip);
  // No server opens a link as a blob.
  const std::string digest = Sha256Of(clips[0]);
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder_ + "/blobs")) {
    if (file.path().filename() != digest) continue;
    std::filesystem::rename(file.path(), folder_ + "/moved");
    std::filesystem::create_symlink(folder_ + "/moved", file.path());
    break;
  }
  v1::Job bad;
  ASSERT_TRUE(calls_->Create(JobOfClips({clips[0]}), &bad).ok());
  EXPECT_TRUE(Eventually([&] {
    v1::Job other;
    EXPECT_TRUE(calls_->Create(JobOfClips({clips[1]}), &other).ok());
    EXPECT_EQ(calls_->Await(other.name()).items().ok(), 1);
    EXPECT_TRUE(calls_->Get(bad.name(), &bad).ok());
    return bad.items().set_aside() == 1;
  }));
}

}  // namespace
}  // namespace bvhmill::testing
