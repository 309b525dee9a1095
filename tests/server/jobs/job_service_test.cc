// JobService and BlobService of a real server on a real socket.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string WhyOf(const grpc::Status& status) {
  return DetailsOf(status).info.reason();
}

TEST_F(JobServerTest, ResultsAreThoseOfTheLibrary) {
  StartJobs();
  const std::vector<std::string> clips = SomeClips(20);
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::CreateJobRequest request = JobOfClips(clips);
  request.set_display_name("twenty");
  (*request.mutable_annotations())["who"] = "me";
  v1::Job job;
  ASSERT_TRUE(calls_->Create(request, &job).ok());
  EXPECT_EQ(job.items().total(), 20);
  const v1::Job over = calls_->Await(job.name());
  EXPECT_EQ(over.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(over.items().ok(), 20);
  EXPECT_EQ(over.display_name(), "twenty");
  EXPECT_EQ(over.annotations().at("who"), "me");
  EXPECT_GT(over.expire_time().seconds(), over.end_time().seconds());
  const auto results = calls_->Results(job.name());
  ASSERT_THAT(results, SizeIs(20));
  for (size_t i = 0; i < clips.size(); ++i) {
    const v1::ClipResult& result = results.at(std::to_string(i));
    ASSERT_EQ(result.status().code(), 0);
    EXPECT_EQ(result.info().frames(), 2 + static_cast<int64_t>(i));
    ASSERT_EQ(result.outputs_size(), 1);
    std::string output;
    ASSERT_TRUE(calls_->Read(result.outputs(0).blob(), 0, 0, &output).ok());
    EXPECT_EQ(output, LocalOutputs(clips[i], request.options())[0]);
    EXPECT_EQ(result.outputs(0).size_bytes(),
              static_cast<int64_t>(output.size()));
  }
}

TEST_F(JobServerTest, ABrokenClipFailsAlone) {
  StartJobs();
  std::vector<std::string> clips = SomeClips(3);
  clips[1] = "HIERARCHY\nROOT a\n{\n";
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips(clips), &job).ok());
  const v1::Job over = calls_->Await(job.name());
  EXPECT_EQ(over.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(over.items().ok(), 2);
  EXPECT_EQ(over.items().failed(), 1);
  EXPECT_EQ(over.items().set_aside(), 0);
  const auto results = calls_->Results(job.name());
  EXPECT_EQ(results.at("1").status().code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_GT(results.at("1").report().issues_size(), 0);
  EXPECT_THAT(results.at("1").outputs(), IsEmpty());
}

TEST_F(JobServerTest, ARepeatReturnsTheFirstJob) {
  StartJobs();
  const std::vector<std::string> clips = SomeClips(2);
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::CreateJobRequest request = JobOfClips(clips);
  request.set_request_id("one");
  v1::Job first;
  v1::Job second;
  ASSERT_TRUE(calls_->Create(request, &first).ok());
  ASSERT_TRUE(calls_->Create(request, &second).ok());
  EXPECT_EQ(first.name(), second.name());
  request.set_display_name("another");
  const grpc::Status other = calls_->Create(request, &second);
  EXPECT_EQ(other.error_code(), StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(WhyOf(other), "REQUEST_ID_USED");
  request.set_request_id("two");
  ASSERT_TRUE(calls_->Create(request, &second).ok());
  EXPECT_NE(first.name(), second.name());
  EXPECT_THAT(calls_->List(), ElementsAre(second.name(), first.name()));
}

TEST_F(JobServerTest, AJobIsOnlyForItsOwner) {
  const std::string tokens = folder_ + ".tokens";
  std::ofstream(tokens) << "alpha\nbeta\n";
  StartJobs([&](server::ServerConfig* config) { config->token_file = tokens; });
  JobCalls alpha(channel_, "alpha");
  JobCalls beta(channel_, "beta");
  const std::string clip = SmallClip();
  alpha.Store(clip);
  EXPECT_THAT(alpha.Missing({BlobOf(clip)}), IsEmpty());
  EXPECT_THAT(beta.Missing({BlobOf(clip)}), ElementsAre(BlobOf(clip)));
  v1::Job job;
  EXPECT_EQ(WhyOf(beta.Create(JobOfClips({clip}), &job)), "BLOBS_MISSING");
  ASSERT_TRUE(alpha.Create(JobOfClips({clip}), &job).ok());
  EXPECT_EQ(alpha.Await(job.name()).items().ok(), 1);
  v1::Job none;
  EXPECT_EQ(beta.Get(job.name(), &none).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(beta.Cancel(job.name(), &none).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(beta.Delete(job.name()).error_code(), StatusCode::NOT_FOUND);
  EXPECT_THAT(beta.List(), IsEmpty());
  std::string bytes;
  const std::string output =
      alpha.Results(job.name()).at("0").outputs(0).blob();
  EXPECT_EQ(WhyOf(beta.Read(output, 0, 0, &bytes)), "BLOB_UNKNOWN");
  EXPECT_EQ(calls_->Get(job.name(), &none).error_code(),
            StatusCode::UNAUTHENTICATED);
  std::filesystem::remove(tokens);
}

TEST_F(JobServerTest, AnUploadGoesOn) {
  StartJobs();
  const std::string clip = SmallClip(500);
  const std::string blob = BlobOf(clip);
  v1::WriteBlobResponse response;
  ASSERT_TRUE(
      calls_->Write(blob, clip.substr(0, 5000), 0, false, &response).ok());
  EXPECT_EQ(response.committed_bytes(), 5000);
  EXPECT_FALSE(response.finished());
  EXPECT_THAT(calls_->Missing({blob}), ElementsAre(blob));
  StartJobs();
  // A question for the number of bytes.
  ASSERT_TRUE(calls_->Write(blob, "", 0, false, &response).ok());
  EXPECT_EQ(response.committed_bytes(), 5000);
  const grpc::Status wrong =
      calls_->Write(blob, clip.substr(4000), 4000, true, &response);
  EXPECT_EQ(WhyOf(wrong), "OFFSET_WRONG");
  EXPECT_EQ(DetailsOf(wrong).info.metadata().at("committed_bytes"), "5000");
  ASSERT_TRUE(
      calls_->Write(blob, clip.substr(5000), 5000, true, &response).ok());
  EXPECT_TRUE(response.finished());
  EXPECT_THAT(calls_->Missing({blob}), IsEmpty());
  std::string part;
  ASSERT_TRUE(calls_->Read(blob, 100, 50, &part).ok());
  EXPECT_EQ(part, clip.substr(100, 50));
  EXPECT_EQ(WhyOf(calls_->Write(BlobOf("a"), "b", 0, true, &response)),
            "DIGEST_MISMATCH");
}

// The bytes may come in a later message than the offset.
TEST_F(JobServerTest, AnOffsetHoldsForTheFirstByteOfACall) {
  StartJobs();
  const std::string clip = SmallClip(500);
  const std::string blob = BlobOf(clip);
  v1::WriteBlobResponse response;
  ASSERT_TRUE(
      calls_->Write(blob, clip.substr(0, 400), 0, false, &response).ok());
  const auto write_later = [&](int64_t offset, int64_t from) {
    const auto stub = v1::BlobService::NewStub(channel_);
    const auto context = calls_->Context();
    const auto stream = stub->WriteBlob(context.get(), &response);
    v1::WriteBlobRequest request;
    request.set_blob(blob);
    request.set_offset(offset);
    stream->Write(request);
    request.Clear();
    request.set_data(clip.substr(static_cast<size_t>(from)));
    request.set_finish(true);
    stream->Write(request);
    stream->WritesDone();
    return stream->Finish();
  };
  for (const int64_t offset : {0, 77, 401}) {
    const grpc::Status wrong = write_later(offset, offset);
    EXPECT_EQ(WhyOf(wrong), "OFFSET_WRONG") << offset;
    EXPECT_EQ(DetailsOf(wrong).info.metadata().at("committed_bytes"), "400");
  }
  // Nothing was dropped.
  const grpc::Status good = write_later(400, 400);
  EXPECT_TRUE(good.ok()) << good.error_message();
  EXPECT_TRUE(response.finished());
}

TEST_F(JobServerTest, ACancelledJobEnds) {
  StartJobs();
  std::vector<std::string> clips;
  for (int i = 0; i < 30; ++i) clips.push_back(SmallClip(30'000 + i));
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips(clips), &job).ok());
  EXPECT_EQ(WhyOf(calls_->Delete(job.name())), "JOB_NOT_OVER");
  v1::Job cancelled;
  ASSERT_TRUE(calls_->Cancel(job.name(), &cancelled).ok());
  const v1::Job over = calls_->Await(job.name());
  EXPECT_EQ(over.state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(over.error().info().reason(), "JOB_CANCELLED");
  EXPECT_EQ(static_cast<int64_t>(calls_->Results(job.name()).size()),
            over.items().ok());
  EXPECT_TRUE(calls_->Delete(job.name()).ok());
  EXPECT_EQ(calls_->Get(job.name(), &job).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(JobServerTest, JobsAndBlobsExpire) {
  StartJobs([](server::ServerConfig* config) {
    config->jobs.job_retention_seconds = 1;
    config->jobs.blob_retention_seconds = 1;
  });
  const std::string clip = SmallClip();
  calls_->Store(clip);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips({clip}), &job).ok());
  calls_->Await(job.name());
  EXPECT_TRUE(Eventually([&] {
    return calls_->Get(job.name(), &job).error_code() == StatusCode::NOT_FOUND;
  }));
  // Asking for a blob counts as using it.
  const std::string path = folder_ + "/blobs";
  EXPECT_TRUE(Eventually([&] {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(path)) {
      if (file.is_regular_file()) return false;
    }
    return true;
  }));
}

TEST_F(JobServerTest, LimitsAreNamed) {
  StartJobs([](server::ServerConfig* config) {
    config->jobs.max_items_per_job = 2;
    config->jobs.max_jobs_per_caller = 1;
    config->jobs.max_blob_bytes = 2000;
  });
  const std::vector<std::string> clips = SomeClips(3);
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::Job job;
  const auto limit_of = [](const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
    const auto quota = DetailsOf(status).quota;
    return quota.violations_size() == 1 ? quota.violations(0).subject() : "";
  };
  EXPECT_EQ(limit_of(calls_->Create(JobOfClips(clips), &job)),
            "max_items_per_job");
  v1::CreateJobRequest request = JobOfClips({clips[0]});
  request.set_request_id("first");
  ASSERT_TRUE(calls_->Create(request, &job).ok());
  EXPECT_EQ(limit_of(calls_->Create(JobOfClips({clips[1]}), &job)),
            "max_jobs_per_caller");
  EXPECT_TRUE(calls_->Create(request, &job).ok());
  const std::string large(3000, 'x');
  v1::WriteBlobResponse response;
  EXPECT_EQ(limit_of(calls_->Write(BlobOf(large), large, 0, true, &response)),
            "max_blob_bytes");
}

TEST_F(JobServerTest, AServerWithoutAFolderSaysSo) {
  StartJobs([](server::ServerConfig* config) { config->data_dir = ""; });
  v1::Job job;
  const grpc::Status status = calls_->Get("jobs/a", &job);
  EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(WhyOf(status), "JOBS_OFF");
}

TEST_F(JobServerTest, ASecondServerOnTheFolderIsRefused) {
  StartJobs();
  calls_->Store("a");
  server::ServerConfig config;
  config.listen = "127.0.0.1:0";
  config.data_dir = folder_;
  std::unique_ptr<server::Server> second;
  const absl::Status refused = server::Server::Start(config, &second);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  config.data_dir_is_default = true;
  config.log = server::LogFormat::kOff;
  ASSERT_TRUE(server::Server::Start(config, &second).ok());
  JobCalls calls(grpc::CreateChannel(second->address(),
                                     grpc::InsecureChannelCredentials()));
  v1::Job job;
  const grpc::Status status = calls.Get("jobs/a", &job);
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_EQ(WhyOf(status), "DATA_UNUSABLE");
}

TEST_F(JobServerTest, AWaitEndsWithItsTimeout) {
  StartJobs();
  std::vector<std::string> clips;
  for (int i = 0; i < 40; ++i) clips.push_back(SmallClip(20'000 + i));
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips(clips), &job).ok());
  v1::WaitJobRequest request;
  request.set_name(job.name());
  request.mutable_timeout()->set_nanos(1'000'000);
  v1::WaitJobResponse response;
  ASSERT_TRUE(calls_->jobs()
                  ->WaitJob(calls_->Context().get(), request, &response)
                  .ok());
  EXPECT_EQ(response.job().name(), job.name());
  EXPECT_EQ(calls_->Await(job.name()).items().ok(), 40);
}

TEST_F(JobServerTest, ASourceThatWasDamagedIsSetAside) {
  StartJobs(
      [](server::ServerConfig* config) { config->jobs.max_item_tries = 2; });
  const std::vector<std::string> clips = SomeClips(3);
  for (const std::string& clip : clips) calls_->Store(clip);
  const std::string digest = Sha256Of(clips[1]);
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder_ + "/blobs")) {
    if (file.path().filename() == digest) {
      std::filesystem::resize_file(file.path(), 10);
    }
  }
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips(clips), &job).ok());
  const v1::Job over = calls_->Await(job.name());
  EXPECT_EQ(over.items().ok(), 2);
  EXPECT_EQ(over.items().set_aside(), 1);
  const v1::ClipResult result = calls_->Results(job.name()).at("1");
  EXPECT_EQ(result.status().info().reason(), "ITEM_SET_ASIDE");
  EXPECT_EQ(result.status().info().metadata().at("tries"), "2");
}

}  // namespace
}  // namespace bvhmill::testing
