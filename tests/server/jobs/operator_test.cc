// The view of an operator: jobs and usage of all callers, why items wait, and
// pages of results of a job that runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/jobs/job_fixture.h"
#include "tests/server/jobs/job_parts.h"
#include "tests/support/eventually.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TokenLine(const std::string& name, const std::string& rights) {
  std::string line;
  EXPECT_TRUE(server::HashToken(name, name, &line).ok());
  return line.substr(0, line.rfind(':')) + ":" + rights + "\n";
}

class OperatorTest : public JobServerTest {
 protected:
  void SetUp() override {
    std::ofstream(tokens_) << TokenLine("alpha", "jobs,convert:items=50")
                           << TokenLine("beta", "jobs")
                           << TokenLine("ops", "jobs,admin");
    StartJobs([this](server::ServerConfig* config) {
      config->token_file = tokens_;
      config->insecure = true;
    });
    alpha_ = std::make_unique<JobCalls>(channel_, "alpha");
    beta_ = std::make_unique<JobCalls>(channel_, "beta");
    ops_ = std::make_unique<JobCalls>(channel_, "ops");
  }
  ~OperatorTest() override { std::filesystem::remove(tokens_); }

  static v1::Job RunJob(JobCalls* calls, int clips) {
    const std::vector<std::string> all = SomeClips(clips);
    for (const std::string& clip : all) calls->Store(clip);
    v1::Job job;
    EXPECT_TRUE(calls->Create(JobOfClips(all), &job).ok());
    return calls->Await(job.name());
  }
  static grpc::Status List(JobCalls* calls, v1::ListJobsResponse* response) {
    v1::ListJobsRequest request;
    request.set_all_callers(true);
    return calls->jobs()->ListJobs(calls->Context().get(), request, response);
  }
  static grpc::Status Usage(JobCalls* calls, bool all,
                            v1::ListUsageResponse* response) {
    v1::ListUsageRequest request;
    request.set_all_callers(all);
    return calls->jobs()->ListUsage(calls->Context().get(), request, response);
  }

  const std::string tokens_ = folder_ + ".tokens";
  std::unique_ptr<JobCalls> alpha_;
  std::unique_ptr<JobCalls> beta_;
  std::unique_ptr<JobCalls> ops_;
};

TEST_F(OperatorTest, AnAdminUsesTheJobsOfAllCallers) {
  const v1::Job of_alpha = RunJob(alpha_.get(), 2);
  const v1::Job of_beta = RunJob(beta_.get(), 1);
  EXPECT_EQ(of_alpha.caller(), "");
  v1::ListJobsResponse jobs;
  ASSERT_TRUE(List(ops_.get(), &jobs).ok());
  ASSERT_EQ(jobs.jobs_size(), 2);
  EXPECT_EQ(jobs.jobs(0).name(), of_beta.name());
  EXPECT_EQ(jobs.jobs(0).caller(), "beta");
  EXPECT_EQ(jobs.jobs(1).caller(), "alpha");
  v1::Job job;
  ASSERT_TRUE(ops_->Get(of_alpha.name(), &job).ok());
  EXPECT_EQ(job.items().ok(), 2);
  EXPECT_EQ(ops_->Results(of_alpha.name()).size(), 2U);
  EXPECT_TRUE(ops_->Cancel(of_alpha.name(), &job).ok());
  EXPECT_TRUE(ops_->Delete(of_alpha.name()).ok());
  EXPECT_THAT(alpha_->List(), IsEmpty());
  // Its own list has its own jobs.
  EXPECT_THAT(ops_->List(), IsEmpty());
}

TEST_F(OperatorTest, OthersUseTheirOwnJobsOnly) {
  const v1::Job of_alpha = RunJob(alpha_.get(), 1);
  v1::ListJobsResponse jobs;
  const grpc::Status refused = List(beta_.get(), &jobs);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(DetailsOf(refused).info.reason(), "SCOPE_MISSING");
  EXPECT_THAT(refused.error_message(), HasSubstr("lacks the scope admin"));
  v1::ListUsageResponse usage;
  EXPECT_EQ(Usage(beta_.get(), true, &usage).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
  v1::Job job;
  EXPECT_EQ(beta_->Get(of_alpha.name(), &job).error_code(),
            grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(beta_->Delete(of_alpha.name()).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST_F(OperatorTest, UsageIsThatOfEachCaller) {
  RunJob(alpha_.get(), 3);
  v1::ListUsageResponse usage;
  ASSERT_TRUE(Usage(ops_.get(), true, &usage).ok());
  // In the order of names; beta has done nothing.
  ASSERT_EQ(usage.usages_size(), 3);
  const v1::Usage& alpha = usage.usages(0);
  EXPECT_EQ(alpha.caller(), "alpha");
  EXPECT_EQ(alpha.jobs(), 1);
  EXPECT_EQ(alpha.queued_items(), 0);
  EXPECT_EQ(alpha.max_queued_items(), 50);
  // Three sources and three outputs of less than 4096 bytes.
  EXPECT_EQ(alpha.data_bytes(), 6 * 4096);
  EXPECT_EQ(usage.usages(1).caller(), "beta");
  EXPECT_EQ(usage.usages(1).data_bytes(), 0);
  EXPECT_EQ(usage.usages(2).caller(), "ops");
  ASSERT_TRUE(Usage(alpha_.get(), false, &usage).ok());
  ASSERT_EQ(usage.usages_size(), 1);
  EXPECT_EQ(usage.usages(0).jobs(), 1);
}

// A loop that ends at an empty token would otherwise never end, or ask again
// and again.
TEST_F(OperatorTest, PagesOfAJobThatRunsEnd) {
  const std::vector<std::string> clips = SomeClips(2);
  for (const std::string& clip : clips) alpha_->Store(clip);
  v1::Job job;
  ASSERT_TRUE(alpha_->Create(JobOfClips(clips), &job).ok());
  v1::ListJobResultsRequest request;
  request.set_name(job.name());
  std::string last;
  size_t results = 0;
  for (int pages = 0;; ++pages) {
    ASSERT_LT(pages, 4);
    v1::ListJobResultsResponse page;
    ASSERT_TRUE(alpha_->jobs()
                    ->ListJobResults(alpha_->Context().get(), request, &page)
                    .ok());
    results += static_cast<size_t>(page.results_size());
    EXPECT_EQ(page.next_page_token().empty(), page.results().empty());
    if (page.next_page_token().empty()) break;
    last = page.next_page_token();
    request.set_page_token(last);
  }
  // The last token gives what came later.
  alpha_->Await(job.name());
  request.set_page_token(last);
  v1::ListJobResultsResponse rest;
  ASSERT_TRUE(alpha_->jobs()
                  ->ListJobResults(alpha_->Context().get(), request, &rest)
                  .ok());
  EXPECT_EQ(results + static_cast<size_t>(rest.results_size()), clips.size());
}

TEST_F(OperatorTest, ACallConvertsAStoredClip) {
  const std::string clip = SomeClips(1)[0];
  v1::ConvertClipRequest request;
  request.mutable_options()->add_outputs()->mutable_positions();
  request.mutable_source()->set_blob(BlobOf(clip));
  const auto service = v1::ClipService::NewStub(channel_);
  const auto convert = [&](JobCalls* calls, v1::ConvertClipResponse* response) {
    return service->ConvertClip(calls->Context().get(), request, response);
  };
  v1::ConvertClipResponse stored;
  const grpc::Status missing = convert(alpha_.get(), &stored);
  EXPECT_EQ(DetailsOf(missing).info.reason(), "BLOB_UNKNOWN");
  alpha_->Store(clip);
  ASSERT_TRUE(convert(alpha_.get(), &stored).ok());
  request.mutable_source()->set_data(clip);
  EXPECT_EQ(convert(alpha_.get(), &stored).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  request.mutable_source()->clear_blob();
  v1::ConvertClipResponse sent;
  ASSERT_TRUE(convert(alpha_.get(), &sent).ok());
  ASSERT_EQ(stored.result().outputs_size(), 1);
  EXPECT_GT(stored.result().outputs(0).data().size(), 0U);
  EXPECT_EQ(stored.result().outputs(0).data(), sent.result().outputs(0).data());
  // A blob belongs to its caller.
  beta_->Store(clip);
  EXPECT_EQ(convert(beta_.get(), &stored).error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
}

std::string ReasonOf(const absl::Status& status) {
  return status.ok() ? "" : CallErrorOf(status).reason;
}

TEST_F(JobPartsTest, AJobThatWaitsSaysWhy) {
  const auto folder = Open();
  const server::JobInfo other = MakeJob(folder.get(), "", 2);
  server::Ticket ticket;
  ASSERT_NO_FATAL_FAILURE(TakeRoom("", &ticket));
  server::JobRunner runner(parts_.All(), folder.get(), [](const auto&) {});
  server::JobInfo info;
  const auto why = [&](const server::JobInfo& job) {
    EXPECT_TRUE(folder->jobs().Get(server::kAnyCaller, job.id, &info).ok());
    return ReasonOf(runner.WhyItWaits(info));
  };
  EXPECT_TRUE(Eventually([&] { return why(other) == "CALLER_BUSY"; }));
  const server::JobInfo job = MakeJob(folder.get(), "beta");
  RunSql("UPDATE item SET not_before_ms = " +
         std::to_string(server::WallClockMs() + 200'000) +
         " WHERE job = " + std::to_string(job.number));
  EXPECT_EQ(why(job), "JOBS_BUSY");
  runner.Drain();
  EXPECT_EQ(why(job), "SERVER_STOPPING");
}

}  // namespace
}  // namespace bvhmill::testing
