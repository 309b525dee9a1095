// How items share a server with calls, with each other, and with faults.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "server/auth/tokens.h"
#include "server/store/fault_points.h"
#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

using server::Effect;
using server::Fault;
using server::FaultPoints;

TEST_F(JobServerTest, AnExceptionWhileResultsAreStoredLosesNoItem) {
  StartJobs();
  const std::vector<std::string> clips = SomeClips(3);
  for (const std::string& clip : clips) calls_->Store(clip);
  FaultPoints::Arm({.at = 1, .fault = Fault::kNoMemory, .only = Effect::kSync});
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips(clips), &job).ok());
  v1::WaitJobRequest request;
  request.set_name(job.name());
  request.mutable_timeout()->set_seconds(30);
  v1::WaitJobResponse response;
  EXPECT_TRUE(calls_->jobs()
                  ->WaitJob(calls_->Context().get(), request, &response)
                  .ok());
  EXPECT_GE(FaultPoints::Disarm(), 1);
  EXPECT_EQ(response.job().state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(response.job().items().ok(), 3);
}

// The token `alpha` may have one clip in flight, `beta` any number. `few` may
// have three unfinished items, `small` 30,000 bytes of blobs, `large` 400,000.
std::string TokensWithAQuota(const std::string& path) {
  std::ofstream file(path);
  for (const auto& [name, rights] :
       {std::pair<std::string, std::string>{"alpha", ":jobs,convert:clips=1"},
        {"beta", ":jobs"},
        {"few", ":jobs:items=3"},
        {"small", ":jobs:data=30000"},
        {"large", ":jobs:data=400000"}}) {
    std::string line;
    EXPECT_TRUE(server::HashToken(name, name, &line).ok());
    // Its name and digest.
    file << line.substr(0, name.size() + 65) << rights << "\n";
  }
  return path;
}

class QuotaTest : public JobServerTest {
 protected:
  QuotaTest() {
    StartJobs([&](server::ServerConfig* config) {
      config->token_file = TokensWithAQuota(folder_ + ".tokens");
      config->metrics = "127.0.0.1:0";
    });
    alpha_ = std::make_unique<JobCalls>(channel_, "alpha");
  }
  ~QuotaTest() override { std::filesystem::remove(folder_ + ".tokens"); }

  // Begins the only clip that alpha may have in flight, in a stream.
  void BeginClip() {
    context_ = alpha_->Context();
    stream_ = clips_->ConvertClips(context_.get());
    v1::ConvertClipsRequest request;
    request.mutable_open()
        ->mutable_options()
        ->add_outputs()
        ->mutable_positions();
    ASSERT_TRUE(stream_->Write(request));
    request.mutable_begin()->set_key("held");
    request.mutable_begin()->mutable_source()->set_data(SmallClip());
    ASSERT_TRUE(stream_->Write(request));
    ASSERT_TRUE(Eventually([&] {
      return FetchGauge(server_->metrics_address(), "bvhmill_inflight_clips") ==
             1;
    }));
    v1::ConvertClipResponse response;
    EXPECT_EQ(clips_
                  ->ConvertClip(alpha_->Context().get(),
                                PositionsRequest(SmallClip()), &response)
                  .error_code(),
              grpc::StatusCode::RESOURCE_EXHAUSTED);
  }

  void EndClip() {
    v1::ConvertClipsRequest request;
    request.mutable_end();
    stream_->Write(request);
    stream_->WritesDone();
    v1::ConvertClipsResponse response;
    while (stream_->Read(&response)) {
    }
    EXPECT_TRUE(stream_->Finish().ok());
  }

  std::unique_ptr<JobCalls> alpha_;

 private:
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ConvertClipsRequest,
                                           v1::ConvertClipsResponse>>
      stream_;
};

TEST_F(QuotaTest, HoldsForItemsAndForNothingElse) {
  JobCalls beta(channel_, "beta");
  const std::vector<std::string> clips = SomeClips(20);
  for (const std::string& clip : clips) {
    alpha_->Store(clip);
    beta.Store(clip);
  }
  ASSERT_NO_FATAL_FAILURE(BeginClip());
  // Calls about jobs are no clips; the items wait.
  v1::Job held;
  ASSERT_TRUE(alpha_->Create(JobOfClips(clips), &held).ok());
  // The jobs of others go on.
  v1::Job job;
  ASSERT_TRUE(beta.Create(JobOfClips(clips), &job).ok());
  EXPECT_EQ(beta.Await(job.name()).items().ok(), 20);
  ASSERT_TRUE(alpha_->Get(held.name(), &held).ok());
  EXPECT_EQ(held.items().ok(), 0);
  EndClip();
  EXPECT_EQ(alpha_->Await(held.name()).items().ok(), 20);
}

TEST_F(QuotaTest, ACancelledJobEndsWithoutRoomForItsItems) {
  const std::vector<std::string> clips = SomeClips(3);
  for (const std::string& clip : clips) alpha_->Store(clip);
  ASSERT_NO_FATAL_FAILURE(BeginClip());
  v1::Job job;
  ASSERT_TRUE(alpha_->Create(JobOfClips(clips), &job).ok());
  ASSERT_TRUE(Eventually([&] {
    v1::Job now;
    return alpha_->Get(job.name(), &now).ok() && now.items().running() > 0;
  }));
  ASSERT_TRUE(alpha_->Cancel(job.name(), &job).ok());
  EXPECT_TRUE(Eventually([&] {
    v1::Job now;
    return alpha_->Get(job.name(), &now).ok() &&
           now.state() == v1::JOB_STATE_CANCELLED;
  }));
  EndClip();
}

// The limit that a call was refused for; "" if it was not.
std::string LimitThatRefused(const grpc::Status& status) {
  const auto details = DetailsOf(status);
  if (status.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) return "";
  EXPECT_EQ(details.info.reason(), "LIMIT_EXCEEDED");
  EXPECT_NE(details.info.metadata().at("value"), "");
  return details.quota.violations_size() == 1
             ? details.quota.violations(0).subject()
             : "";
}

TEST_F(QuotaTest, ACallerHasItsOwnShareOfQueuedItems) {
  JobCalls few(channel_, "few");
  JobCalls beta(channel_, "beta");
  const std::vector<std::string> clips = SomeClips(4);
  for (const std::string& clip : clips) {
    few.Store(clip);
    beta.Store(clip);
  }
  v1::Job job;
  const std::string most = "max_queued_items_per_caller";
  EXPECT_EQ(LimitThatRefused(few.Create(JobOfClips(clips), &job)), most);
  ASSERT_TRUE(
      few.Create(JobOfClips({clips[0], clips[1], clips[2]}), &job).ok());
  EXPECT_EQ(few.Await(job.name()).items().ok(), 3);
  // Items that are done do not count.
  ASSERT_TRUE(few.Create(JobOfClips({clips[3]}), &job).ok());
  ASSERT_TRUE(beta.Create(JobOfClips(clips), &job).ok());
  EXPECT_EQ(beta.Await(job.name()).items().ok(), 4);
}

TEST_F(QuotaTest, ACallerHasItsOwnShareOfStoredData) {
  JobCalls small(channel_, "small");
  JobCalls beta(channel_, "beta");
  const std::string most = "max_data_bytes_per_caller";
  const std::vector<std::string> clips = SomeClips(6);
  // Each file counts with 4096 bytes at least.
  ASSERT_LE(clips[0].size(), 4096U);
  for (int i = 0; i < 4; ++i) small.Store(clips[static_cast<size_t>(i)]);
  v1::WriteBlobResponse response;
  const std::string large(20'000, 'x');
  EXPECT_EQ(
      LimitThatRefused(small.Write(BlobOf(large), large, 0, true, &response)),
      most);
  // A blob that is there is no upload; others have their own share.
  EXPECT_TRUE(small.Write(BlobOf(clips[0]), clips[0], 0, true, &response).ok());
  beta.Store(clips[4]);
  // Outputs of a job that has room for them are stored ...
  v1::Job job;
  const std::vector<std::string> first(clips.begin(), clips.begin() + 3);
  ASSERT_TRUE(small.Create(JobOfClips(first), &job).ok());
  EXPECT_EQ(small.Await(job.name()).items().ok(), 3);
  // ... and keep out new jobs and uploads.
  v1::Job second;
  EXPECT_EQ(LimitThatRefused(small.Create(JobOfClips({clips[3]}), &second)),
            most);
  EXPECT_EQ(LimitThatRefused(
                small.Write(BlobOf(clips[5]), clips[5], 0, true, &response)),
            most);
  EXPECT_EQ(small.Results(job.name()).size(), 3U);
  ASSERT_TRUE(beta.Create(JobOfClips({clips[4]}), &second).ok());
}

// A job of 80 items of `clip` with some 4.8 MB of outputs: 60 KB of each item,
// all different.
v1::CreateJobRequest LargeJob(const std::string& clip) {
  v1::CreateJobRequest request = JobOfClips(std::vector(80, clip));
  for (int i = 0; i < request.items_size(); ++i) {
    v1::ConvertOptions* options = request.mutable_items(i)->mutable_options();
    *options = request.options();
    options->mutable_edits()->set_fps((2'500 + i) / 0.0333333);
  }
  return request;
}

// Outputs of one caller took all space: uploads of others were refused, and all
// jobs paused.
TEST_F(JobServerTest, OutputsBeyondAShareLeaveSpaceForOthers) {
  constexpr int64_t kMost = 4 << 20;
  StartJobs([&](server::ServerConfig* config) {
    config->token_file = TokensWithAQuota(folder_ + ".tokens");
    config->jobs.max_data_bytes = kMost;
    config->threads = 1;
  });
  JobCalls small(channel_, "large");
  JobCalls beta(channel_, "beta");
  const std::string clip = SmallClip();
  small.Store(clip);
  v1::Job large;
  ASSERT_TRUE(small.Create(LargeJob(clip), &large).ok());
  ASSERT_TRUE(Eventually([&] {
    return small.Get(large.name(), &large).ok() && large.items().ok() >= 45;
  }));
  for (const std::string& other : SomeClips(5)) {
    beta.Store(other);
    v1::Job job;
    ASSERT_TRUE(beta.Create(JobOfClips({other}), &job).ok());
    EXPECT_EQ(beta.Await(job.name()).items().ok(), 1);
  }
  // What is left waits until there is space.
  ASSERT_TRUE(small.Get(large.name(), &large).ok());
  EXPECT_EQ(large.state(), v1::JOB_STATE_RUNNING);
  EXPECT_LT(large.items().ok(), 80);
  EXPECT_EQ(large.items().failed(), 0);
  std::filesystem::remove(folder_ + ".tokens");
}

// Such a job looked as if it ran on.
TEST_F(JobServerTest, AJobThatWaitsForTheShareOfItsCallerSaysSo) {
  ::testing::internal::CaptureStderr();
  StartJobs([&](server::ServerConfig* config) {
    config->token_file = TokensWithAQuota(folder_ + ".tokens");
    config->metrics = "127.0.0.1:0";
    config->jobs.max_data_bytes = 4 << 20;
    config->log = server::LogFormat::kErrors;
    config->threads = 1;
  });
  JobCalls small(channel_, "large");
  const std::string clip = SmallClip();
  small.Store(clip);
  v1::Job job;
  ASSERT_TRUE(small.Create(LargeJob(clip), &job).ok());
  EXPECT_FALSE(job.has_blocked());
  ASSERT_TRUE(Eventually(
      [&] { return small.Get(job.name(), &job).ok() && job.has_blocked(); }));
  EXPECT_EQ(job.blocked().info().metadata().at("limit_name"),
            "max_data_bytes_per_caller");
  EXPECT_TRUE(Eventually([&] {
    return FetchGauge(server_->metrics_address(),
                      "bvhmill_job_callers_blocked") == 1;
  }));
  v1::WaitJobRequest wait;
  wait.set_name(job.name());
  wait.mutable_timeout();
  v1::WaitJobResponse waited;
  ASSERT_TRUE(small.jobs()->WaitJob(small.Context().get(), wait, &waited).ok());
  EXPECT_TRUE(waited.job().has_blocked());
  ASSERT_TRUE(small.Cancel(job.name(), &job).ok());
  EXPECT_FALSE(job.has_blocked());
  server_ = nullptr;
  const std::string log = ::testing::internal::GetCapturedStderr();
  const std::string line = "jobs of large wait: space is scarce, and ";
  const size_t at = log.find(line);
  ASSERT_NE(at, std::string::npos) << log;
  EXPECT_EQ(log.find(line, at + 1), std::string::npos) << log;
  std::filesystem::remove(folder_ + ".tokens");
}

TEST_F(JobServerTest, PagesOfJobsFitIntoAResponse) {
  constexpr int64_t kMost = 4096;
  StartJobs([](server::ServerConfig* config) {
    config->service.max_unary_response_bytes = kMost;
  });
  const std::string clip = SmallClip();
  calls_->Store(clip);
  v1::CreateJobRequest request = JobOfClips({clip});
  (*request.mutable_annotations())["a"] = std::string(1000, 'x');
  for (int i = 0; i < 10; ++i) {
    v1::Job job;
    ASSERT_TRUE(calls_->Create(request, &job).ok());
  }
  v1::ListJobsRequest list;
  list.set_page_size(100);
  int jobs = 0;
  do {
    v1::ListJobsResponse response;
    ASSERT_TRUE(calls_->jobs()
                    ->ListJobs(calls_->Context().get(), list, &response)
                    .ok());
    EXPECT_LE(response.ByteSizeLong(), static_cast<size_t>(kMost));
    jobs += response.jobs_size();
    list.set_page_token(response.next_page_token());
  } while (!list.page_token().empty());
  EXPECT_EQ(jobs, 10);
}

}  // namespace
}  // namespace bvhmill::testing
