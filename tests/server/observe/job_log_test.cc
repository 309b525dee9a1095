// The log and the metrics of jobs: items without outputs, faults of the stores,
// and their ends.

#include "tests/server/observe/job_log.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "server/store/fault_points.h"

namespace bvhmill::testing {
namespace {

using server::Effect;
using server::Fault;
using server::FaultPoints;
using server::LogFormat;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(JobLogTest, AnItemWithoutOutputsHasALine) {
  StartLogged(LogFormat::kText);
  const v1::Job job = RunJob({SmallClip(), " ", SmallClip(3)});
  EXPECT_TRUE(Shows("bvhmill_job_items_total{result=\"good\"} 2"));
  EXPECT_TRUE(Shows("bvhmill_job_items_total{result=\"failed\"} 1"));
  EXPECT_TRUE(Shows("bvhmill_job_items_total{result=\"set_aside\"} 0"));
  EXPECT_TRUE(Shows("bvhmill_caller_clips_total{caller=\"\"} 3"));
  EXPECT_TRUE(
      Shows("bvhmill_clips_total{result=\"failed\",reason=\"TEXT_EMPTY\"} 1"));
  const auto lines = Lines();
  EXPECT_THAT(lines,
              Contains(HasSubstr(" item INVALID_ARGUMENT TEXT_EMPTY "
                                 "job=" +
                                 job.name() + " key=1 line=1 column=1: ")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("key=0"))));
}

TEST_F(JobLogTest, BrokenFilesOfItemsAreNoErrorsOfTheServer) {
  StartLogged(LogFormat::kErrors);
  RunJob({" "});
  EXPECT_THAT(Lines(), Not(Contains(HasSubstr(" item "))));
}

TEST_F(JobLogTest, AnOutputThatAnItemLacksHasALine) {
  StartLogged(LogFormat::kText);
  v1::ConvertOptions options;
  options.add_outputs()->mutable_positions();
  options.add_outputs()->mutable_anim();
  const v1::Job job = RunJob({SmallClip()}, &options);
  EXPECT_EQ(job.items().ok(), 1);
  EXPECT_THAT(Lines(), Contains(HasSubstr(" output FAILED_PRECONDITION ")));
}

// A fault of the server, so the errors have it.
TEST_F(JobLogTest, AnItemThatIsSetAsideHasALine) {
  StartLogged(LogFormat::kErrors, [](server::ServerConfig* config) {
    config->jobs.max_item_tries = 1;
  });
  const std::string clip = SmallClip();
  calls_->Store(clip);
  std::filesystem::resize_file(PathOf(clip), 10);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips({clip}), &job).ok());
  EXPECT_EQ(calls_->Await(job.name()).items().set_aside(), 1);
  EXPECT_TRUE(Shows("bvhmill_job_items_total{result=\"set_aside\"} 1"));
  EXPECT_TRUE(Shows("bvhmill_job_items_total{result=\"failed\"} 0"));
  EXPECT_THAT(Lines(),
              Contains(HasSubstr(" item INTERNAL ITEM_SET_ASIDE job=" +
                                 job.name() + " key=0: the server has given")));
}

TEST_F(JobLogTest, TheEndOfAPauseIsLogged) {
  StartLogged(LogFormat::kErrors);
  const std::string clip = SmallClip();
  calls_->Store(clip);
  FaultPoints::Arm({.at = 1,
                    .fault = Fault::kIoError,
                    .lasts = true,
                    .only = Effect::kRead});
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips({clip}), &job).ok());
  EXPECT_TRUE(Shows("bvhmill_jobs_paused 1"));
  EXPECT_TRUE(Logs("bvhmilld: jobs pause: "));
  EXPECT_FALSE(HasLine("jobs no longer pause"));
  FaultPoints::Disarm();
  EXPECT_EQ(calls_->Await(job.name()).items().ok(), 1);
  EXPECT_TRUE(Logs("bvhmilld: jobs no longer pause"));
}

// The clip and its output fill the quota, of which uploads may have 7/8.
TEST_F(JobLogTest, ALineSaysWhenUploadsHaveNoRoomAndWhenTheyHaveItAgain) {
  constexpr int kFrames = 1000;
  const std::string clip = SmallClip(kFrames);
  // Three floats for each of two joints.
  constexpr int64_t kOutputBytes = int64_t{kFrames} * 2 * 3 * 4;
  const auto bytes = static_cast<int64_t>(clip.size()) + kOutputBytes;
  StartLogged(LogFormat::kErrors, [&](server::ServerConfig* config) {
    config->jobs.max_data_bytes = bytes;
  });
  const v1::Job job = RunJob({clip});
  EXPECT_EQ(job.items().ok(), 1);
  EXPECT_TRUE(Shows("bvhmill_blob_bytes " + std::to_string(bytes)));
  EXPECT_TRUE(Shows("bvhmill_max_data_bytes " + std::to_string(bytes)));
  v1::WriteBlobResponse response;
  EXPECT_EQ(DetailsOf(calls_->Write(BlobOf("x"), "x", 0, true, &response))
                .info.reason(),
            "DISK_FULL");
  EXPECT_TRUE(Shows("bvhmill_refused_total{reason=\"DISK_FULL\"} 1"));
  EXPECT_TRUE(Shows("bvhmill_refused_total{reason=\"OTHER\"} 0"));
  EXPECT_TRUE(
      Logs("bvhmilld: uploads and new jobs are refused: the blobs of the"));
  EXPECT_FALSE(HasLine("uploads have room again"));
  ASSERT_TRUE(calls_->Delete(job.name()).ok());
  ASSERT_TRUE(calls_->DeleteBlob(BlobOf(clip)).ok());
  EXPECT_TRUE(Logs("bvhmilld: uploads have room again"));
  calls_->Store("x");
}

TEST_F(JobLogTest, TheStateOfTheDatabaseAndOfTheDiskIsShown) {
  StartLogged(LogFormat::kOff);
  const std::string up = "\nbvhmill_database_up ";
  const std::string room = "\nbvhmill_data_folder_free_bytes ";
  // The folder is made with the first upload.
  EXPECT_THAT(Page(), Not(HasSubstr(up)));
  EXPECT_THAT(Page(), Not(HasSubstr(room)));
  calls_->Store("x");
  EXPECT_TRUE(Shows("bvhmill_database_up 1"));
  EXPECT_GT(
      FetchGauge(server_->metrics_address(), "bvhmill_data_folder_free_bytes"),
      0);
  Lines();
}

}  // namespace
}  // namespace bvhmill::testing
