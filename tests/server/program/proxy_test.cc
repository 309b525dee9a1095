// The server behind nginx with docker/proxy/nginx.conf, over TLS: what passes.
// `./dev attack proxy` shows what does not.

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/server/load_client.h"
#include "tests/attack/server_process.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;

// As tests/attack/proxied looks for it.
bool HasNginx() {
  return access("/usr/sbin/nginx", X_OK) == 0 ||
         access(SourceFile("build/tools/nginx/usr/sbin/nginx").c_str(), X_OK) ==
             0;
}

class ProxyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasNginx()) GTEST_SKIP() << "nginx is not installed";
    MakeCertificate();
    setenv("BVHMILLD", BVHMILL_BIN "/bvhmilld", 1);
    setenv("PROXY_CERTS", dir_.path().c_str(), 1);
    attack::ServerOptions options;
    options.program = SourceFile("tests/attack/proxied");
    options.limit = attack::MemoryLimit::kResident;
    std::string error;
    process_ = std::make_unique<attack::ServerProcess>(options, &error);
    ASSERT_EQ(error, "");
    channel_ = OwnChannel();
    clips_ = v1::ClipService::NewStub(channel_);
    // nginx listens before the server does.
    ASSERT_TRUE(Eventually([&] { return Convert().ok(); }));
  }

  // For localhost, in cert.pem and key.pem.
  void MakeCertificate() const {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
        "-nodes -days 2 -subj /CN=localhost -addext "
        "subjectAltName=DNS:localhost -keyout " +
        dir_.File("key.pem") + " -out " + dir_.File("cert.pem") +
        " 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  // Over a connection of its own.
  std::shared_ptr<grpc::Channel> OwnChannel() const {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = ReadFile(dir_.File("cert.pem"));
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetSslTargetNameOverride("localhost");
    return grpc::CreateCustomChannel(process_->address(),
                                     grpc::SslCredentials(options), arguments);
  }

  grpc::Status Convert() const {
    return Convert(PositionsRequest(SmallClip(10)));
  }
  grpc::Status Convert(const v1::ConvertClipRequest& request) const {
    grpc::ClientContext context;
    v1::ConvertClipResponse response;
    return clips_->ConvertClip(&context, request, &response);
  }

  // The server serves nobody: each call through nginx is a connection.
  bool IsIdle() const {
    return Eventually([&] {
      return attack::FetchMetric(process_->metrics_address(),
                                 "bvhmill_connections") == 0;
    });
  }

  TempDir dir_;
  std::unique_ptr<attack::ServerProcess> process_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::ClipService::Stub> clips_;
};

TEST_F(ProxyTest, AChannelMakesThousandsOfCalls) {
  constexpr int kThreads = 20;
  constexpr int kCallsOfThread = 100;
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kCallsOfThread; ++k) {
        const grpc::Status status = Convert();
        EXPECT_TRUE(status.ok()) << status.error_message();
        good += status.ok();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, kThreads * kCallsOfThread);
}

// Positions of a small clip, over a stream that stays open.
void ExpectConverted(const std::string& key, bench::ClipStream* stream) {
  ASSERT_TRUE(bench::SendWhole(key, SmallClip(), stream));
  v1::ConvertClipsResponse response;
  do {
    ASSERT_TRUE(stream->Read(&response)) << "the stream has ended";
  } while (!response.has_result());
  EXPECT_EQ(response.result().status().code(), 0);
  EXPECT_EQ(response.result().key(), key);
}

TEST_F(ProxyTest, AStreamMayBeSilentForTwoMinutes) {
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  ASSERT_TRUE(bench::OpenStream(stream.get()));
  ExpectConverted("before", stream.get());
  std::this_thread::sleep_for(std::chrono::seconds(121));
  ExpectConverted("after", stream.get());
  stream->WritesDone();
  const grpc::Status status = stream->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(ProxyTest, AClipOf500MegabytesPasses) {
  constexpr int64_t kBytes = 500'000'000;
  const std::string row = "1.25 90.50 -3.75 10.125 20.25 30.0625\n";
  std::string rows;
  while (rows.size() < size_t{256} << 10) rows += row;
  const auto size = static_cast<int64_t>(rows.size());
  const int64_t times = (kBytes + size - 1) / size;
  const int64_t frames = times * size / static_cast<int64_t>(row.size());
  const std::string heads =
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition "
      "Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 4 0\n}\n"
      "}\nMOTION\nFrames: " +
      std::to_string(frames) + "\nFrame Time: 0.01\n";
  const bench::StreamRun run =
      bench::ConvertEndless(clips_.get(), heads, rows, kBytes);
  EXPECT_TRUE(run.ok);
  // Positions of one joint: three floats a frame.
  EXPECT_EQ(run.output_bytes, frames * 3 * 4);
}

TEST_F(ProxyTest, StatusesPassWithTheirDetails) {
  v1::ConvertClipRequest request = PositionsRequest(SmallClip());
  request.mutable_options()->mutable_validation()->add_only("NO_CODE");
  const grpc::Status status = Convert(request);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("NO_CODE"));
  EXPECT_GT(DetailsOf(status).bad_request.field_violations_size(), 0);
}

TEST_F(ProxyTest, AStreamEndsWithItsStatusWhileItsClientSends) {
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  // A chunk of no clip.
  while (bench::SendChunk(std::string(100'000, 'x'), stream.get())) {
  }
  v1::ConvertClipsResponse response;
  while (stream->Read(&response)) {
  }
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT)
      << status.error_message();
  EXPECT_NE(DetailsOf(status).info.reason(), "");
}

TEST_F(ProxyTest, OtherServicesAreRefused) {
  grpc::GenericStub stub(channel_);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(
      &context, "/grpc.reflection.v1alpha.ServerReflection/Info",
      grpc::ByteBuffer(), &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(status.error_message(), "there is no such method");
}

// A call that is given up ends at the server, too.
TEST_F(ProxyTest, CancelledCallsReachTheServer) {
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  ASSERT_TRUE(bench::OpenStream(stream.get()));
  ExpectConverted("k", stream.get());
  context.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::CANCELLED);
  EXPECT_TRUE(IsIdle());
}

TEST_F(ProxyTest, ADeadlineReachesTheServer) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(500));
  const auto stream = clips_->ConvertClips(&context);
  ASSERT_TRUE(bench::OpenStream(stream.get()));
  v1::ConvertClipsResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(IsIdle());
}

// An address has 64 calls. Others are refused with a status that clients
// repeat.
TEST_F(ProxyTest, CallsOfAnAddressAreLimited) {
  constexpr int kMost = 64;
  constexpr int kConnections = 3;
  // More would wait in the client.
  constexpr int kStreamsOfConnection = 32;
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kConnections * kStreamsOfConnection; ++i) {
    if (i % kStreamsOfConnection == 0) channel_ = OwnChannel();
    threads.emplace_back([&refused, channel = channel_] {
      const auto stub = v1::ClipService::NewStub(channel);
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::seconds(10));
      const auto stream = stub->ConvertClips(&context);
      bench::OpenStream(stream.get());
      v1::ConvertClipsResponse response;
      EXPECT_FALSE(stream->Read(&response));
      const grpc::Status status = stream->Finish();
      if (status.error_code() == StatusCode::DEADLINE_EXCEEDED) return;
      EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
      EXPECT_EQ(status.error_message(), "too many calls; try again later");
      ++refused;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, kConnections * kStreamsOfConnection - kMost);
  EXPECT_TRUE(IsIdle());
  EXPECT_TRUE(Convert().ok());
}

}  // namespace
}  // namespace bvhmill::testing
