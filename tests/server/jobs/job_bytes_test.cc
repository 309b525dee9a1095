// Jobs with texts of any bytes, and rows of jobs with wrong ones.

#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/store/sqlite/sqlite.h"
#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

using grpc::StatusCode;

// A field of type string must be UTF-8. The client library can send other
// bytes, too.
TEST_F(JobServerTest, TextsThatAreNoUtf8AreRefused) {
  google::protobuf::SetLogHandler(nullptr);
  StartJobs();
  const std::string bytes = "caf\xE9";
  const std::vector<std::function<void(v1::CreateJobRequest*)>> spoils = {
      [&](auto* request) { request->set_display_name(bytes); },
      [&](auto* request) { request->set_request_id(bytes); },
      [&](auto* request) { request->mutable_items(0)->set_key(bytes); },
      [&](auto* request) {
        request->mutable_items(0)->mutable_source()->set_display_name(bytes);
      },
      [&](auto* request) { (*request->mutable_annotations())["a"] = bytes; },
  };
  for (const auto& spoil : spoils) {
    v1::CreateJobRequest request = JobOfClips(SomeClips(1));
    spoil(&request);
    v1::Job job;
    const grpc::Status status = calls_->Create(request, &job);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailsOf(status).info.reason(), "MESSAGE_BROKEN");
    EXPECT_THAT(status.error_message(), ::testing::HasSubstr("UTF-8"));
  }
  v1::Job job;
  EXPECT_EQ(calls_->Get("jobs/" + bytes, &job).error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(calls_->Get(std::string("jobs/a\0b", 8), &job).error_code(),
            StatusCode::NOT_FOUND);
}

// Names in files are bytes: they are sent as the library shows them, in results
// and in reports of clips that cannot be read.
TEST_F(JobServerTest, NamesInClipsMayHaveAnyBytes) {
  StartJobs();
  std::string clip = SmallClip(2);
  const size_t at = clip.find("ROOT ") + 5;
  clip.replace(at, clip.find_first_of(" \r\n{", at) - at, "H\xFFps");
  const std::string broken = clip.substr(0, clip.find("CHANNELS"));
  for (const std::string& one : {clip, broken}) calls_->Store(one);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips({clip, broken}), &job).ok());
  ASSERT_EQ(calls_->Await(job.name()).state(), v1::JOB_STATE_SUCCEEDED);
  const auto results = calls_->Results(job.name());
  EXPECT_EQ(results.at("0").status().code(), 0);
  EXPECT_EQ(results.at("0").info().joints(0).name(), "H\xC3\xBFps");
  EXPECT_EQ(results.at("1").status().code(), StatusCode::INVALID_ARGUMENT);
  ASSERT_GT(results.at("1").report().issues_size(), 0);
  EXPECT_THAT(results.at("1").report().issues(0).message(),
              ::testing::HasSubstr("H\xC3\xBFps"));
}

// Executes `sql` on the database of a server that is not running.
void ChangeDatabase(const std::string& folder, const std::string& sql) {
  std::unique_ptr<server::Database> database;
  ASSERT_TRUE(server::Database::Open(folder + "/jobs.db", &database).ok());
  ASSERT_TRUE(database->Execute(sql).ok());
}

// One row of the database has other bytes than were written.
TEST_F(JobServerTest, ADamagedRowIsNamed) {
  StartJobs();
  const std::vector<std::string> clips = SomeClips(3);
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips(clips), &job).ok());
  ASSERT_EQ(calls_->Await(job.name()).items().ok(), 3);
  server_ = nullptr;
  ChangeDatabase(folder_,
                 "UPDATE item SET result = X'FF' WHERE number = 1; "
                 "UPDATE job SET annotations = X'FF'");
  StartJobs();
  ASSERT_TRUE(calls_->Get(job.name(), &job).ok());
  EXPECT_EQ(job.error().info().reason(), "JOB_DAMAGED");
  EXPECT_EQ(job.items().ok(), 3);
  v1::ListJobResultsRequest request;
  request.set_name(job.name());
  v1::ListJobResultsResponse response;
  const grpc::Status damaged = calls_->jobs()->ListJobResults(
      calls_->Context().get(), request, &response);
  EXPECT_EQ(damaged.error_code(), StatusCode::DATA_LOSS);
  EXPECT_EQ(DetailsOf(damaged).info.reason(), "JOB_DAMAGED");
  EXPECT_THAT(damaged.error_message(),
              ::testing::HasSubstr("the stored result of item 1"));
  // The others can be read: the token is the number of the damaged item.
  request.set_page_token("1");
  ASSERT_TRUE(calls_->jobs()
                  ->ListJobResults(calls_->Context().get(), request, &response)
                  .ok());
  ASSERT_EQ(response.results_size(), 1);
  EXPECT_EQ(response.results(0).key(), "2");
}

// The state says that it was cancelled; the error is free to say the rest.
TEST_F(JobServerTest, DamageOfACancelledJobIsNamed) {
  StartJobs();
  const std::vector<std::string> clips = SomeClips(1);
  calls_->Store(clips[0]);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips(clips), &job).ok());
  ASSERT_EQ(calls_->Await(job.name()).items().ok(), 1);
  server_ = nullptr;
  const auto cancelled = static_cast<int>(v1::JOB_STATE_CANCELLED);
  ChangeDatabase(folder_, "UPDATE job SET annotations = X'FF', state = " +
                              std::to_string(cancelled));
  StartJobs();
  ASSERT_TRUE(calls_->Get(job.name(), &job).ok());
  EXPECT_EQ(job.state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(job.error().info().reason(), "JOB_DAMAGED");
}

// A clip of one frame with many joints below one root.
std::string ClipWithJoints(int count) {
  std::string clip =
      "HIERARCHY\nROOT root\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
      "Zposition Zrotation Xrotation Yrotation\n";
  std::string values = "0 90 0 10 20 30";
  for (int i = 0; i < count; ++i) {
    clip += "JOINT joint" + std::to_string(i) +
            "\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
            "End Site\n{\nOFFSET 0 1 0\n}\n}\n";
    values += " 1 2 3";
  }
  return clip + "}\nMOTION\nFrames: 1\nFrame Time: 0.1\n" + values + "\n";
}

TEST_F(JobServerTest, AResultLargerThanAResponseHidesNoOther) {
  constexpr size_t kMost = 4096;
  StartJobs([](server::ServerConfig* config) {
    config->service.max_unary_response_bytes = kMost;
  });
  std::vector<std::string> clips = SomeClips(3);
  clips[1] = ClipWithJoints(400);
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::CreateJobRequest request = JobOfClips(clips);
  request.mutable_options()->set_measures(true);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(request, &job).ok());
  EXPECT_EQ(calls_->Await(job.name()).items().ok(), 3);
  const auto results = calls_->Results(job.name());
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results.at("0").left_out_size(), 0);
  EXPECT_GT(results.at("0").info().joints_size(), 0);
  EXPECT_EQ(results.at("2").left_out_size(), 0);
  const v1::ClipResult& large = results.at("1");
  EXPECT_LE(large.ByteSizeLong(), kMost);
  EXPECT_EQ(large.status().code(), 0);
  EXPECT_EQ(large.left_out(0), "info.joints");
  EXPECT_EQ(large.left_out(large.left_out_size() - 1), "measures");
  EXPECT_EQ(large.info().joints_size(), 0);
  EXPECT_EQ(large.info().joint_count(), 401);
  EXPECT_FALSE(large.has_measures());
  EXPECT_EQ(large.report().issues_size(), 0);
  ASSERT_EQ(large.outputs_size(), 1);
  std::string output;
  ASSERT_TRUE(calls_->Read(large.outputs(0).blob(), 0, 0, &output).ok());
  EXPECT_EQ(output, LocalOutputs(clips[1], request.options())[0]);
}

// Empty items take half a kilobyte each, and hardly a byte when gRPC packs
// them.
TEST_F(JobServerTest, APackedRequestCountsAsAPlainOne) {
  StartJobs([](server::ServerConfig* config) {
    config->admission.max_inflight_bytes = int64_t{10} << 20;
  });
  v1::CreateJobRequest request;
  for (int i = 0; i < 100'000; ++i) request.add_items();
  for (const bool is_packed : {false, true}) {
    const std::unique_ptr<grpc::ClientContext> context = calls_->Context();
    if (is_packed) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    v1::CreateJobResponse response;
    const grpc::Status status =
        calls_->jobs()->CreateJob(context.get(), request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(DetailsOf(status).info.metadata().at("limit_name"),
              "max_inflight_bytes_per_connection");
  }
}

}  // namespace
}  // namespace bvhmill::testing
