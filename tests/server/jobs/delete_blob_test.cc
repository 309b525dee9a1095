// DeleteBlob, and requests that ask for more than the share of their caller.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "server/auth/tokens.h"
#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string ReasonOf(const grpc::Status& status) {
  return DetailsOf(status).info.reason();
}

TEST_F(JobServerTest, ABlobIsDeletedUnlessAJobNamesIt) {
  StartJobs();
  const std::vector<std::string> clips = SomeClips(2);
  for (const std::string& clip : clips) calls_->Store(clip);
  v1::Job job;
  ASSERT_TRUE(calls_->Create(JobOfClips({clips[0]}), &job).ok());
  EXPECT_EQ(calls_->Await(job.name()).items().ok(), 1);
  const std::string output =
      calls_->Results(job.name()).at("0").outputs(0).blob();
  const std::string source = BlobOf(clips[0]);
  const std::string other = BlobOf(clips[1]);
  for (const std::string& named : {source, output}) {
    const grpc::Status refused = calls_->DeleteBlob(named);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(ReasonOf(refused), "BLOB_NAMED");
  }
  EXPECT_TRUE(calls_->DeleteBlob(other).ok());
  EXPECT_THAT(calls_->Missing({source, output, other}), ElementsAre(other));
  ASSERT_TRUE(calls_->Delete(job.name()).ok());
  // A blob that is not there is OK, too.
  for (const std::string& blob : {source, output, other}) {
    EXPECT_TRUE(calls_->DeleteBlob(blob).ok());
  }
  EXPECT_THAT(calls_->Missing({source, output, other}),
              ElementsAre(source, output, other));
  EXPECT_EQ(calls_->DeleteBlob("blobs/a").error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(JobServerTest, AnUploadThatWasBrokenOffIsDeleted) {
  StartJobs();
  const std::string bytes(50'000, 'x');
  v1::WriteBlobResponse response;
  ASSERT_TRUE(calls_
                  ->Write(BlobOf(bytes), bytes.substr(0, 20'000), 0,
                          /*finish=*/false, &response)
                  .ok());
  EXPECT_EQ(response.committed_bytes(), 20'000);
  ASSERT_TRUE(calls_->DeleteBlob(BlobOf(bytes)).ok());
  ASSERT_TRUE(calls_->Write(BlobOf(bytes), "", 0, false, &response).ok());
  EXPECT_EQ(response.committed_bytes(), 0);
}

class ShareTest : public JobServerTest {
 protected:
  // `small` and `other` may have 100,000 bytes of blobs.
  ShareTest() {
    const std::string path = folder_ + ".tokens";
    std::ofstream file(path);
    for (const char* const name : {"small", "other"}) {
      std::string line;
      EXPECT_TRUE(server::HashToken(name, name, &line).ok());
      file << line.substr(0, std::string(name).size() + 65)
           << ":jobs:data=100000\n";
    }
    file.close();
    StartJobs([&](auto* config) { config->token_file = path; });
  }
  ~ShareTest() override { std::filesystem::remove(folder_ + ".tokens"); }
};

TEST_F(ShareTest, CallersDeleteTheirOwnBlobsOnly) {
  JobCalls small(channel_, "small");
  JobCalls other(channel_, "other");
  const std::string blob = small.Store("text");
  EXPECT_TRUE(other.DeleteBlob(blob).ok());
  EXPECT_THAT(small.Missing({blob}), IsEmpty());
}

// Each item of such a request costs some bytes, and asks for an output.
TEST_F(ShareTest, ARequestMayNotAskForMoreThanItsCallerMayStore) {
  JobCalls small(channel_, "small");
  const std::string clip = SmallClip(200);
  ASSERT_GT(clip.size(), 4096U);
  small.Store(clip);
  const auto job_of = [&](size_t items, int outputs) {
    v1::CreateJobRequest request =
        JobOfClips(std::vector<std::string>(items, clip));
    request.mutable_options()->clear_outputs();
    for (int i = 0; i < outputs; ++i) {
      v1::OutputRequest* const output =
          request.mutable_options()->add_outputs();
      output->set_id(std::to_string(i));
      output->mutable_positions();
    }
    return request;
  };
  const size_t fits = 100'000 / clip.size() - 1;
  const struct {
    size_t items;
    int outputs;
    bool is_taken;
  } kCases[] = {
      {10'000, 1, false}, {fits + 1, 1, false}, {fits / 2 + 1, 2, false},
      {1000, 0, true},    {fits, 1, true},
  };
  for (const auto& c : kCases) {
    v1::Job job;
    const grpc::Status made = small.Create(job_of(c.items, c.outputs), &job);
    EXPECT_EQ(made.ok(), c.is_taken) << c.items << " " << c.outputs;
    if (c.is_taken) continue;
    EXPECT_EQ(ReasonOf(made), "LIMIT_EXCEEDED");
    EXPECT_EQ(DetailsOf(made).info.metadata().at("limit_name"),
              "max_data_bytes_per_caller");
  }
}

}  // namespace
}  // namespace bvhmill::testing
