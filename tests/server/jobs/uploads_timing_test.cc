// An upload that waits for a worker, for longer than a peer may be idle.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/server/abandon.h"
#include "tests/server/jobs/uploads.h"

namespace bvhmill::testing {
namespace {

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
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  for (const auto& context : contexts) context->TryCancel();
  for (std::thread& call : calls) call.join();
  EXPECT_EQ(End(), grpc::StatusCode::OK);
  EXPECT_TRUE(response_.finished());
}

}  // namespace
}  // namespace bvhmill::testing
