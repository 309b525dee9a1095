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
  const auto jobs = Connect(milliseconds(1500));
  const std::string bytes(size_t{3} << 20, 'b');
  const auto read = [&](int64_t offset, size_t size, std::string* piece) {
    std::this_thread::sleep_for(milliseconds(200));
    *piece = bytes.substr(static_cast<size_t>(offset), size);
    return absl::OkStatus();
  };
  EXPECT_EQ(jobs->Upload(BlobOf(bytes), static_cast<int64_t>(bytes.size()),
                         read, nullptr, nullptr),
            absl::OkStatus());
  std::string back;
  const auto take = [&](std::string_view piece) {
    std::this_thread::sleep_for(milliseconds(200));
    back += piece;
    return absl::OkStatus();
  };
  EXPECT_EQ(jobs->Download(BlobOf(bytes), take, nullptr), absl::OkStatus());
  EXPECT_TRUE(back == bytes);
}

}  // namespace
}  // namespace bvhmill::testing
