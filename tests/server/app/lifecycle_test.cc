#include <gmock/gmock.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/server/load_client.h"
#include "tests/server/fixture.h"
#include "tests/server/http2.h"
#include "tests/server/limits.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

class LifecycleTest : public ServerTest {};

// grpc.health.v1.HealthCheckResponse{status: SERVING}.
constexpr char kServing[] = "\x08\x01";
constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";

TEST_F(LifecycleTest, HealthIsServing) {
  Start();
  EXPECT_EQ(CallRaw(channel_.get(), kHealthCheck, ""), kServing);
}

TEST_F(LifecycleTest, ReflectionListsTheServices) {
  Start([](server::ServerConfig* config) { config->reflection = true; });
  // ServerReflectionRequest{list_services: "*"}.
  const std::string answer =
      CallRaw(channel_.get(), kReflectionPath, "\x3A\x01*");
  EXPECT_THAT(answer, HasSubstr("bvhmill.v1.ClipService"));
  EXPECT_THAT(answer, HasSubstr("bvhmill.v1.ServerService"));
  EXPECT_THAT(answer, HasSubstr("grpc.health.v1.Health"));
  // ServerReflectionRequest{file_containing_symbol: ...}: a client can call it.
  EXPECT_THAT(
      CallRaw(channel_.get(), kReflectionPath, "\x22\x15grpc.health.v1.Health"),
      HasSubstr("ServingStatus"));
}

TEST_F(LifecycleTest, AStreamFinishesItsClipsWhileTheServerDrains) {
  Start([](server::ServerConfig* config) { config->metrics = "127.0.0.1:0"; });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  request.mutable_begin()->set_key("k");
  ASSERT_TRUE(stream->Write(request));
  const std::string clip = SmallClip();
  request.set_chunk(clip.substr(0, 20));
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(Eventually([&] {
    return FetchGauge(server_->metrics_address(), "bvhmill_inflight_clips") ==
           1;
  }));
  auto drained =
      std::async(std::launch::async, [this] { return server_->Drain(); });
  ASSERT_TRUE(Eventually(
      [&] { return CallRaw(channel_.get(), kHealthCheck, "") != kServing; }));
  grpc::ClientContext late;
  v1::ConvertClipResponse response;
  const grpc::Status refused =
      clips_->ConvertClip(&late, PositionsRequest(SmallClip()), &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  const Details details = DetailsOf(refused);
  EXPECT_EQ(details.info.reason(), "SERVER_STOPPING");
  EXPECT_EQ(details.retry.retry_delay().seconds(), 1);
  request.set_chunk(clip.substr(20));
  ASSERT_TRUE(stream->Write(request));
  request.mutable_end();
  ASSERT_TRUE(stream->Write(request));
  v1::ConvertClipsResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.result().status().code(), 0);
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(drained.get());
}

TEST_F(LifecycleTest, DrainingEndsIdleStreamsAtOnce) {
  Start();
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  stream->WaitForInitialMetadata();
  EXPECT_TRUE(server_->Drain());
  v1::ConvertClipsResponse answer;
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

// The server has all bytes of these streams, but has read few of them.
TEST_F(LifecycleTest, StreamsThatWereHalfClosedBeforeEndWell) {
  Start([](server::ServerConfig* config) {
    config->threads = 1;
    config->service.max_unfinished_clips_per_stream = 2;
  });
  constexpr int kStreams = 20;
  constexpr int kClips = 5;
  std::vector<grpc::ClientContext> contexts(kStreams);
  std::vector<std::unique_ptr<bench::ClipStream>> streams;
  v1::ConvertClipsRequest request;
  request.mutable_begin()->set_complete(true);
  request.mutable_begin()->mutable_source()->set_data(SmallClip(100));
  for (grpc::ClientContext& context : contexts) {
    streams.push_back(clips_->ConvertClips(&context));
    streams.back()->WaitForInitialMetadata();
    for (int i = 0; i < kClips; ++i) {
      request.mutable_begin()->set_key(std::to_string(i));
      ASSERT_TRUE(streams.back()->Write(request));
    }
    ASSERT_TRUE(streams.back()->WritesDone());
  }
  auto drained =
      std::async(std::launch::async, [this] { return server_->Drain(); });
  for (const auto& stream : streams) {
    int good = 0;
    v1::ConvertClipsResponse answer;
    while (stream->Read(&answer)) {
      good += answer.result().status().code() == 0 ? 1 : 0;
    }
    EXPECT_EQ(good, kClips);
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::OK);
  }
  EXPECT_TRUE(drained.get());
}

// Its clips never come to an end, so none may be begun for long while it
// drains.
TEST_F(LifecycleTest, AStreamThatPipelinesDrains) {
  Start([](server::ServerConfig* config) { config->drain_seconds = 2; });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  std::thread writer([&] {
    v1::ConvertClipsRequest request;
    request.mutable_begin()->set_complete(true);
    request.mutable_begin()->mutable_source()->set_data(SmallClip(100));
    for (int i = 0;; ++i) {
      request.mutable_begin()->set_key(std::to_string(i));
      if (!stream->Write(request)) return;
    }
  });
  v1::ConvertClipsResponse answer;
  EXPECT_TRUE(stream->Read(&answer));
  auto drained =
      std::async(std::launch::async, [this] { return server_->Drain(); });
  while (stream->Read(&answer)) {
    EXPECT_EQ(answer.result().status().code(), 0);
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  writer.join();
  EXPECT_TRUE(drained.get());
}

// The end of a stream waits for the write before it.
TEST_F(LifecycleTest, AFailedStreamThatIsNotReadIsFreed) {
  Start([](server::ServerConfig* config) {
    config->service.idle_seconds = 1;
    config->drain_seconds = 0;
    config->metrics = "127.0.0.1:0";
  });
  const auto gauge = [this](const char* name) {
    return FetchGauge(server_->metrics_address(), name);
  };
  // Keeps the receive window of the client small.
  grpc::ChannelArguments args;
  args.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  args.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  clips_ = v1::ClipService::NewStub(grpc::CreateCustomChannel(
      server_->address(), grpc::InsecureChannelCredentials(), args));
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  request.mutable_open()->mutable_options()->add_outputs()->mutable_positions();
  ASSERT_TRUE(stream->Write(request));
  request.mutable_begin()->set_complete(true);
  request.mutable_begin()->mutable_source()->set_data(SmallClip(50'000));
  ASSERT_TRUE(stream->Write(request));
  stream->WaitForInitialMetadata();
  // A write is under way, which nothing ends.
  EXPECT_GT(AwaitStall([&] { return gauge("bvhmill_stream_bytes"); }), 0);
  // An empty frame is a fault of the stream.
  ASSERT_TRUE(stream->Write(v1::ConvertClipsRequest()));
  EXPECT_TRUE(Eventually([&] { return gauge("bvhmill_inflight_calls") == 0; }));
  EXPECT_TRUE(server_->Drain());
  v1::ConvertClipsResponse answer;
  while (stream->Read(&answer)) {
  }
  EXPECT_FALSE(stream->Finish().ok());
}

TEST_F(LifecycleTest, DrainingGivesUpOnStreamsThatDoNotEnd) {
  Start([](server::ServerConfig* config) {
    config->drain_seconds = 0;
    config->metrics = "127.0.0.1:0";
  });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  request.mutable_begin()->set_key("never ends");
  ASSERT_TRUE(stream->Write(request));
  EXPECT_TRUE(Eventually([this] {
    return FetchGauge(server_->metrics_address(), "bvhmill_inflight_clips") ==
           1;
  }));
  EXPECT_FALSE(server_->Drain());
  EXPECT_FALSE(stream->Finish().ok());
}

TEST_F(LifecycleTest, ATakenPortIsAnError) {
  Start();
  server::ServerConfig config;
  config.listen = server_->address();
  std::unique_ptr<server::Server> second;
  const absl::Status status = server::Server::Start(config, &second);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

TEST_F(LifecycleTest, FilesThatCannotBeReadAreNamed) {
  TempDir dir;
  WriteFile(dir.File("empty"), "# nothing\n");
  server::ServerConfig config;
  config.listen = "127.0.0.1:0";
  std::unique_ptr<server::Server> server;
  config.token_file = dir.File("missing");
  EXPECT_THAT(server::Server::Start(config, &server).ToString(),
              HasSubstr("missing"));
  config.token_file = dir.File("empty");
  EXPECT_THAT(server::Server::Start(config, &server).ToString(),
              HasSubstr("holds no token"));
  config.token_file.clear();
  config.tls_cert = dir.File("cert");
  config.tls_key = dir.File("key");
  EXPECT_THAT(server::Server::Start(config, &server).ToString(),
              HasSubstr("cert"));
}

TEST(ConfigTest, LoopbackAddresses) {
  const std::pair<const char*, bool> cases[] = {
      {"127.0.0.1:7450", true}, {"127.9.9.9:1", true},
      {"localhost:0", true},    {"[::1]:7450", true},
      {"unix:/x", true},        {"0.0.0.0:7450", false},
      {"[::]:7450", false},     {"127.evil.example:1", false},
      {"10.0.0.1:1", false},    {"example.org:1", false},
  };
  for (const auto& [address, loopback] : cases) {
    EXPECT_EQ(server::IsLoopback(address), loopback) << address;
  }
}

}  // namespace
}  // namespace bvhmill::testing
