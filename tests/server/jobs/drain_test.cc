// The end of a server whose peers do not read.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

class JobDrainTest : public JobServerTest {};

TEST_F(JobDrainTest, DownloadsThatNobodyReadsEndWithTheDrain) {
  constexpr int kStreams = 300;
  StartJobs([](server::ServerConfig* config) {
    config->drain_seconds = 1;
    config->metrics = "127.0.0.1:0";
  });
  const std::string blob = calls_->Store(std::string(size_t{4} << 20, 'x'));
  const auto stub = v1::BlobService::NewStub(channel_);
  v1::ReadBlobRequest request;
  request.set_blob(blob);
  std::vector<grpc::ClientContext> contexts(kStreams);
  std::vector<std::unique_ptr<grpc::ClientReader<v1::ReadBlobResponse>>>
      streams;
  for (grpc::ClientContext& context : contexts) {
    streams.push_back(stub->ReadBlob(&context, request));
  }
  EXPECT_TRUE(Eventually([&] {
    return FetchGauge(server_->metrics_address(), "bvhmill_inflight_calls") > 0;
  }));
  // Both return, though nobody reads.
  server_->Drain();
  server_ = nullptr;
  for (grpc::ClientContext& context : contexts) context.TryCancel();
}

}  // namespace
}  // namespace bvhmill::testing
