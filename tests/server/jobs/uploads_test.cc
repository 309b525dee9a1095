// Uploads of peers that send nothing or little.

#include "tests/server/jobs/uploads.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace bvhmill::testing {
namespace {

// Empty messages kept an upload, and its blob, for ever.
TEST_F(UploadTest, MessagesWithoutDataEndAsIdle) {
  StartIdle([](server::ServerConfig*) {});
  Open();
  ASSERT_TRUE(Send("a", /*finish=*/false));
  while (Send("", /*finish=*/false)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(End(), grpc::StatusCode::CANCELLED);
}

// A byte now and then did so, too.
TEST_F(UploadTest, AFewBytesASecondEndAsIdle) {
  StartIdle([](server::ServerConfig* config) {
    config->service.min_upload_bytes_per_second = 1000;
  });
  Open();
  while (Send("a", /*finish=*/false)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(End(), grpc::StatusCode::CANCELLED);
}

// They waited for a worker without being counted.
TEST_F(UploadTest, ALargeRequestIsRefusedBeforeItWaits) {
  constexpr int64_t kMost = 10'000;
  StartJobs([](server::ServerConfig* config) {
    config->service.max_request_message_bytes = kMost;
  });
  v1::WaitJobRequest request;
  request.set_name("jobs/" + std::string(kMost, 'a'));
  v1::WaitJobResponse response;
  const grpc::Status status =
      calls_->jobs()->WaitJob(calls_->Context().get(), request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).quota.violations(0).subject(),
            "max_request_message_bytes");
}

}  // namespace
}  // namespace bvhmill::testing
