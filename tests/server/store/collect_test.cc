// The removal of blobs that no job names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <thread>
#include <vector>

#include "bvhmill/digest/sha256.h"
#include "server/store/check_data.h"
#include "server/store/data_folder.h"
#include "server/store/fault_points.h"
#include "tests/crash/crash_work.h"

namespace bvhmill::testing {
namespace {

using server::Effect;
using server::Fault;
using server::FaultPoints;
using ::testing::IsEmpty;

class CollectTest : public ::testing::Test {
 protected:
  CollectTest() { std::filesystem::remove_all(parent_); }
  ~CollectTest() override {
    FaultPoints::Disarm();
    std::filesystem::remove_all(parent_);
  }
  void SetUp() override {
    ASSERT_TRUE(server::DataFolder::Open(path_, {}, &folder_).ok());
  }
  void Upload(const std::string& bytes) {
    ASSERT_TRUE(UploadSource(folder_.get(), bytes).ok());
  }
  int64_t Blobs() {
    int64_t blobs = 0;
    EXPECT_TRUE(folder_->blobs()
                    .List([&](const server::BlobEntry&) { return ++blobs; })
                    .ok());
    return blobs;
  }

  // Its own for each process: tests run at the same time.
  const std::string parent_ =
      ::testing::TempDir() + "collect-test-" + std::to_string(getpid());
  const std::string path_ = parent_ + "/state";
  std::unique_ptr<server::DataFolder> folder_;
};

TEST_F(CollectTest, KeepsWhatJobsName) {
  std::string id;
  ASSERT_TRUE(RunWholeJob(folder_.get(), "s", &id).ok());
  Upload("of no job");
  int64_t count = 0;
  ASSERT_TRUE(folder_->Collect(NowMs() - 60'000, &count).ok());
  EXPECT_EQ(count, 0);
  ASSERT_TRUE(folder_->Collect(NowMs() + 1000, &count).ok());
  EXPECT_EQ(count, 1);
  folder_ = nullptr;
  server::DataCheck check;
  ASSERT_TRUE(server::CheckData(path_, "", &check).ok());
  EXPECT_THAT(check.faults, IsEmpty());
  EXPECT_EQ(check.blobs, 2 * kItems);
  EXPECT_EQ(check.results, kItems);
  EXPECT_EQ(check.unnamed, 0);
}

TEST_F(CollectTest, ASearchForManyBlobsLetsOthersHaveTheNames) {
  Upload("old");
  const std::vector<server::BlobName> names(
      400'000, {server::SpaceOf(kCaller), Sha256Of("none")});
  std::atomic<bool> is_found = false;
  std::jthread search([&] {
    std::vector<bool> exist;
    EXPECT_TRUE(folder_->FindBlobs(names, &exist).ok());
    EXPECT_EQ(exist.size(), names.size());
    is_found = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  // It holds the names alone while it removes a blob.
  int64_t count = 0;
  EXPECT_TRUE(folder_->Collect(NowMs() + 1000, &count).ok());
  EXPECT_FALSE(is_found);
  EXPECT_EQ(count, 1);
}

TEST_F(CollectTest, ABlobThatCannotBeRemovedKeepsNoOther) {
  for (int i = 0; i < 70; ++i) Upload(std::to_string(i));
  int64_t count = 0;
  FaultPoints::Arm(
      {.at = 3, .fault = Fault::kIoError, .only = Effect::kRemove});
  const absl::Status collected = folder_->Collect(NowMs() + 1000, &count);
  FaultPoints::Disarm();
  EXPECT_FALSE(collected.ok());
  EXPECT_EQ(count, 69);
  EXPECT_EQ(Blobs(), 1);
}

TEST_F(CollectTest, UploadsAreDroppedAlsoIfABlobCannotBeRemoved) {
  Upload("blob");
  {
    std::unique_ptr<server::BlobUpload> upload;
    ASSERT_TRUE(folder_->blobs().StartUpload(SourceName("more"), &upload).ok());
    ASSERT_TRUE(upload->Append("mo").ok());
  }
  EXPECT_EQ(folder_->blobs().bytes(), 2 * server::CountedBytes(2));
  int64_t count = 0;
  FaultPoints::Arm(
      {.at = 1, .fault = Fault::kIoError, .only = Effect::kRemove});
  EXPECT_FALSE(folder_->Collect(NowMs() + 1000, &count).ok());
  FaultPoints::Disarm();
  EXPECT_EQ(folder_->blobs().bytes(), server::CountedBytes(4));
}

TEST_F(CollectTest, EndsWhenItIsAskedTo) {
  Upload("blob");
  std::stop_source stop;
  stop.request_stop();
  int64_t count = 0;
  EXPECT_TRUE(folder_->Collect(NowMs() + 1000, &count, stop.get_token()).ok());
  EXPECT_EQ(count, 0);
  EXPECT_EQ(Blobs(), 1);
}

}  // namespace
}  // namespace bvhmill::testing
