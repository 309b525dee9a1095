// Requests about jobs: bad ones, odd ones, and those of callers that have gone.

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bvhmill/base/cancel.h"
#include "server/jobs/job_messages.h"
#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

using grpc::StatusCode;

struct BadRequest {
  const char* field;
  void (*spoil)(v1::CreateJobRequest*);
};

constexpr BadRequest kBadRequests[] = {
    {"items", [](auto* request) { request->clear_items(); }},
    {"items[0].key",
     [](auto* request) { request->mutable_items(0)->clear_key(); }},
    {"items[1].key",
     [](auto* request) { request->mutable_items(1)->set_key("0"); }},
    {"items[0].source.blob",
     [](auto* request) {
       request->mutable_items(0)->mutable_source()->set_blob("blobs/abc");
     }},
    {"options.outputs[0].format",
     [](auto* request) {
       request->mutable_options()->mutable_outputs(0)->clear_format();
     }},
    {"items[1].options.edits.fps",
     [](auto* request) {
       request->mutable_items(1)->mutable_options()->mutable_edits()->set_fps(
           -1);
     }},
    {"items[1].source.display_name",
     [](auto* request) {
       request->mutable_items(1)->mutable_source()->set_display_name(
           std::string(5000, 'x'));
     }},
    {"request_id",
     [](auto* request) { request->set_request_id(std::string(129, 'x')); }},
    {"annotations",
     [](auto* request) {
       (*request->mutable_annotations())["a"] = std::string(9000, 'x');
     }},
};

TEST_F(JobServerTest, BadRequestsNameTheirField) {
  StartJobs();
  const std::vector<std::string> clips = SomeClips(2);
  for (const BadRequest& bad : kBadRequests) {
    v1::CreateJobRequest request = JobOfClips(clips);
    bad.spoil(&request);
    v1::Job job;
    const grpc::Status status = calls_->Create(request, &job);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << bad.field;
    const auto details = DetailsOf(status).bad_request;
    ASSERT_EQ(details.field_violations_size(), 1) << bad.field;
    EXPECT_EQ(details.field_violations(0).field(), bad.field);
  }
  // A refused job makes no folder.
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

// The encoding and the format of an item did not say which item.
TEST_F(JobServerTest, AnUnknownEncodingNamesItsItem) {
  StartJobs();
  v1::CreateJobRequest request = JobOfClips(SomeClips(2));
  request.mutable_items(1)->mutable_source()->set_encoding(
      static_cast<v1::ContentEncoding>(99));
  v1::Job job;
  const grpc::Status status = calls_->Create(request, &job);
  EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(status.error_message().rfind("items[1].source.encoding: ", 0), 0U)
      << status.error_message();
}

// The error of a limit has no field of its own.
TEST_F(JobServerTest, TooManyOutputsNameTheirItem) {
  StartJobs([](server::ServerConfig* config) {
    config->limits.max_outputs_per_clip = 1;
  });
  v1::CreateJobRequest request = JobOfClips(SomeClips(2));
  for (int i = 0; i < 2; ++i) {
    request.mutable_items(1)->mutable_options()->add_outputs()->mutable_csv();
  }
  v1::Job job;
  const grpc::Status status = calls_->Create(request, &job);
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message().rfind("items[1]: ", 0), 0U)
      << status.error_message();
}

// A request for a job whose options take long to check: 4 MB of them. It is
// refused at its last item.
v1::CreateJobRequest DearJob() {
  v1::ConvertOptions options;
  for (int i = 0; i < 5000; ++i) {
    (*options.mutable_edits()->mutable_rename())[std::to_string(i)] = "t";
  }
  v1::CreateJobRequest request = JobOfClips(std::vector<std::string>(80, "a"));
  for (v1::JobItem& item : *request.mutable_items()) {
    *item.mutable_options() = options;
  }
  request.mutable_items()->rbegin()->set_key("0");
  return request;
}

// Such requests took the worker and all spare threads.
TEST_F(JobServerTest, DearRequestsKeepNoCallOfOthersWaiting) {
  StartJobs([](server::ServerConfig* config) {
    config->threads = 1;
    config->metrics = "127.0.0.1:0";
  });
  constexpr int kRequests = 20;
  const v1::CreateJobRequest request = DearJob();
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::thread> threads;
  std::atomic<int> done = 0;
  for (int i = 0; i < kRequests; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    threads.emplace_back([&, context = contexts.back().get()] {
      const auto stub = v1::JobService::NewStub(OwnChannel());
      v1::CreateJobResponse response;
      EXPECT_FALSE(stub->CreateJob(context, request, &response).ok());
      ++done;
    });
  }
  EXPECT_TRUE(Eventually([&] {
    return FetchGauge(server_->metrics_address(), "bvhmill_inflight_calls") >=
           kRequests * 3 / 4;
  }));
  const int before = done;
  calls_->Store(SmallClip());
  EXPECT_LE(done - before, 4);
  for (const auto& context : contexts) context->TryCancel();
  for (std::thread& thread : threads) thread.join();
}

TEST_F(JobServerTest, OnlyTokensOfTheServerArePages) {
  StartJobs();
  calls_->Store("a");
  for (const char* token : {"0", "-1", "00001", "+1", "1 ", "x"}) {
    v1::ListJobsRequest request;
    request.set_page_token(token);
    v1::ListJobsResponse response;
    EXPECT_EQ(calls_->jobs()
                  ->ListJobs(calls_->Context().get(), request, &response)
                  .error_code(),
              StatusCode::INVALID_ARGUMENT)
        << token;
  }
}

// The options of an item that are set and empty replace those of the job.
TEST_F(JobServerTest, EmptyOptionsOfAnItemReplaceThoseOfTheJob) {
  StartJobs();
  const std::string clip = SmallClip();
  calls_->Store(clip);
  v1::CreateJobRequest request = JobOfClips({clip, clip});
  request.mutable_items(1)->mutable_options();
  v1::Job job;
  ASSERT_TRUE(calls_->Create(request, &job).ok());
  EXPECT_EQ(calls_->Await(job.name()).items().ok(), 2);
  const auto results = calls_->Results(job.name());
  EXPECT_EQ(results.at("0").outputs_size(), 1);
  EXPECT_EQ(results.at("1").outputs_size(), 0);
}

// A caller that had gone would not know of the job.
TEST(NewJobTest, ACancelledRequestMakesNone) {
  CancelToken cancel;
  cancel.Cancel();
  server::NewJob job;
  std::vector<std::string> blobs;
  EXPECT_TRUE(absl::IsCancelled(
      server::ReadNewJob({}, JobOfClips(SomeClips(1)), cancel, &job, &blobs)));
}

}  // namespace
}  // namespace bvhmill::testing
