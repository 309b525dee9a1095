// Uploads of peers that send nothing, and of peers that the server keeps
// waiting.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/server/abandon.h"
#include "tests/server/jobs/job_fixture.h"

namespace bvhmill::testing {
namespace {

class UploadTest : public JobServerTest {
 protected:
  // A stream of WriteBlob that has not sent anything.
  void Open() {
    context_ = std::make_unique<grpc::ClientContext>();
    context_->set_deadline(std::chrono::system_clock::now() + kPatience);
    stream_ = stub_->WriteBlob(context_.get(), &response_);
  }
  void StartIdle(const std::function<void(server::ServerConfig*)>& configure) {
    StartJobs([&](server::ServerConfig* config) {
      config->service.idle_seconds = 1;
      configure(config);
    });
    stub_ = v1::BlobService::NewStub(channel_);
  }
  bool Send(const std::string& bytes, bool finish) {
    v1::WriteBlobRequest request;
    request.set_blob(BlobOf("ab"));
    request.set_data(bytes);
    request.set_finish(finish);
    return stream_->Write(request);
  }
  grpc::StatusCode End() {
    stream_->WritesDone();
    return stream_->Finish().error_code();
  }

  std::unique_ptr<v1::BlobService::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_;
  v1::WriteBlobResponse response_;
  std::unique_ptr<grpc::ClientWriter<v1::WriteBlobRequest>> stream_;
};

// Empty messages kept an upload, and its blob, for ever.
TEST_F(UploadTest, MessagesWithoutDataEndAsIdle) {
  StartIdle([](server::ServerConfig*) {});
  Open();
  ASSERT_TRUE(Send("a", /*finish=*/false));
  while (Send("", /*finish=*/false)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
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

// The time for which a message waited for a worker counted as that of the peer.
TEST_F(UploadTest, TheServersOwnDelayIsNotIdleness) {
  StartIdle([](server::ServerConfig* config) {
    config->threads = 1;
    config->metrics = "127.0.0.1:0";
    config->transport.max_transport_bytes = 0;
    config->limits.max_frames = 0;
    config->limits.max_clip_work = 0;
  });
  Open();
  ASSERT_TRUE(Send("a", /*finish=*/false));
  // One for the worker and each spare thread, each of another connection.
  constexpr int kThreads = 5;
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::thread> calls;
  for (int i = 0; i < kThreads; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    calls.emplace_back([&, context = contexts.back().get(), i] {
      grpc::ChannelArguments arguments;
      arguments.SetInt("test.connection", i);
      const auto stub = v1::ClipService::NewStub(grpc::CreateCustomChannel(
          server_->address(), grpc::InsecureChannelCredentials(), arguments));
      v1::ConvertClipResponse response;
      stub->ConvertClip(context, ManyFrames(kEndless), &response);
    });
  }
  EXPECT_TRUE(Eventually([&] {
    return FetchGauge(server_->metrics_address(), "bvhmill_workers_busy") ==
           kThreads;
  }));
  ASSERT_TRUE(Send("b", /*finish=*/true));
  std::this_thread::sleep_for(std::chrono::milliseconds(2'500));
  for (const auto& context : contexts) context->TryCancel();
  for (std::thread& call : calls) call.join();
  EXPECT_EQ(End(), grpc::StatusCode::OK);
  EXPECT_TRUE(response_.finished());
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
