// The client of jobs against a server of this build.

#include "client/cpp/job_client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

using std::chrono::milliseconds;

class JobClientTest : public JobServerTest {
 protected:
  std::unique_ptr<client::JobClient> Connect(milliseconds answer_timeout) {
    client::ConnectOptions options;
    options.server = server_->address();
    options.answer_timeout = answer_timeout;
    auto jobs = client::JobClient::Open(options);
    EXPECT_TRUE(jobs.ok()) << jobs.status();
    return *std::move(jobs);
  }
};

// The limit of a wait for an answer is that of one message. A large file on a
// slow line takes longer as a whole.
TEST_F(JobClientTest, AnUploadAndADownloadMayTakeLongerThanOneAnswer) {
  StartJobs();
  constexpr milliseconds kAnswer(1000);
  constexpr milliseconds kPiece(50);
  const auto jobs = Connect(kAnswer);
  const std::string bytes(size_t{8} << 20, 'b');
  int pieces = 0;
  const auto read = [&](int64_t offset, size_t size, std::string* piece) {
    ++pieces;
    std::this_thread::sleep_for(kPiece);
    *piece = bytes.substr(static_cast<size_t>(offset), size);
    return absl::OkStatus();
  };
  EXPECT_EQ(jobs->Upload(BlobOf(bytes), static_cast<int64_t>(bytes.size()),
                         read, nullptr, nullptr),
            absl::OkStatus());
  EXPECT_GT(pieces * kPiece, kAnswer);
  pieces = 0;
  std::string back;
  const auto take = [&](std::string_view piece) {
    ++pieces;
    std::this_thread::sleep_for(kPiece);
    back += piece;
    return absl::OkStatus();
  };
  EXPECT_EQ(jobs->Download(BlobOf(bytes), static_cast<int64_t>(bytes.size()),
                           take, nullptr),
            absl::OkStatus());
  EXPECT_GT(pieces * kPiece, kAnswer);
  EXPECT_TRUE(back == bytes);
}

// Junk that another upload has left under the name ended the upload, although
// the server had dropped the junk.
TEST_F(JobClientTest, AnUploadBeginsAgainAfterABadPartialOne) {
  StartJobs();
  const auto jobs = Connect(milliseconds(5000));
  const std::string bytes(100'000, 'b');
  v1::WriteBlobResponse response;
  ASSERT_TRUE(calls_
                  ->Write(BlobOf(bytes), std::string(1000, 'x'), 0,
                          /*finish=*/false, &response)
                  .ok());
  const auto size = static_cast<int64_t>(bytes.size());
  const auto read = [&](int64_t offset, size_t count, std::string* piece) {
    *piece = bytes.substr(static_cast<size_t>(offset), count);
    return absl::OkStatus();
  };
  EXPECT_EQ(jobs->Upload(BlobOf(bytes), size, read, nullptr, nullptr),
            absl::OkStatus());
  std::string back;
  ASSERT_TRUE(calls_->Read(BlobOf(bytes), 0, 0, &back).ok());
  EXPECT_TRUE(back == bytes);
  // Bytes that are wrong themselves are sent once.
  int sent = 0;
  const auto wrong = [&](int64_t, size_t, std::string* piece) {
    ++sent;
    *piece = "other";
    return absl::OkStatus();
  };
  EXPECT_EQ(jobs->Upload(BlobOf("right"), 5, wrong, nullptr, nullptr).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(sent, 1);
}

}  // namespace
}  // namespace bvhmill::testing
