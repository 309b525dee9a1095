// Requests for more memory than there is: compressed bombs, and a system that
// has no more. The server goes on, and frees all that it held for them.

#include "tests/server/program/hostile.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bench/server/load_client.h"
#include "bench/server/server_process.h"
#include "tests/server/bomb.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

// With less memory than the server needs for much, health says so at once.
TEST_F(HostileTest, HealthAndNewClipsWhileMemoryIsShort) {
  if (BVHMILL_SANITIZED) GTEST_SKIP() << "sanitizers take any address space";
  Start();
  std::string word;
  int64_t kb = 0;
  std::ifstream status("/proc/" + std::to_string(process_->pid()) + "/status");
  while (status >> word && word != "VmSize:") {
  }
  ASSERT_TRUE(status >> kb);
  process_ = std::make_unique<bench::ServerProcess>(
      "/bin/sh", std::vector<std::string>{
                     "-c", "ulimit -v " + std::to_string(kb + kb / 20) +
                               "; exec " BVHMILL_BIN
                               "/bvhmilld --listen 127.0.0.1:0 --log off"});
  // HealthCheckResponse{status: NOT_SERVING}.
  const auto channel = grpc::CreateChannel(process_->address(),
                                           grpc::InsecureChannelCredentials());
  EXPECT_TRUE(Eventually([&] {
    return CallRaw(channel.get(), "/grpc.health.v1.Health/Check", "") ==
           "\x08\x02";
  }));
  const grpc::Status refused = Serves();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(refused).info.metadata().at("limit_name"),
            "available_memory");
}

struct BombCase {
  const char* name;
  std::string head;
  std::string more;
};

const BombCase kBombs[] = {{"blanks", "HIERARCHY\n", " "},
                           {"one line", Head("9") + "1 1 ", "1"},
                           {"rows", Head("900000000"), "1 1 1\n"}};

// The name of the limit that a compressed clip of a stream exceeds.
std::string LimitInStream(bench::Stub* stub, const v1::Source& source) {
  grpc::ClientContext context;
  const auto stream = stub->ConvertClips(&context);
  v1::ConvertClipsRequest request;
  *request.mutable_begin()->mutable_source() = source;
  request.mutable_begin()->set_complete(true);
  stream->Write(request);
  stream->WritesDone();
  v1::ConvertClipsResponse response;
  EXPECT_TRUE(stream->Read(&response) && response.has_result());
  EXPECT_TRUE(stream->Finish().ok());
  const v1::Status& status = response.result().status();
  EXPECT_EQ(status.code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const auto limit = status.info().metadata().find("limit_name");
  return limit == status.info().metadata().end() ? "" : limit->second;
}

// The same of a call.
std::string LimitInCall(bench::Stub* stub,
                        const v1::ConvertClipRequest& request) {
  grpc::ClientContext context;
  v1::ConvertClipResponse response;
  const grpc::Status status = stub->ConvertClip(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const v1::QuotaFailure quota = DetailsOf(status).quota;
  return quota.violations_size() == 1 ? quota.violations(0).subject() : "";
}

TEST_F(HostileTest, ArchivesThatUnfoldToGigabytes) {
  Start({"--max-clip-bytes", "33554432"});
  const auto stub = bench::Connect(process_->address());
  for (const BombCase& bomb : kBombs) {
    for (const bool is_gzip : {true, false}) {
      SCOPED_TRACE(std::string(bomb.name) + (is_gzip ? ", gzip" : ", zstd"));
      v1::ConvertClipRequest request = PositionsRequest(
          Bomb(is_gzip ? bench::Gzip : PackZstd, bomb.head, bomb.more));
      request.mutable_source()->set_encoding(
          is_gzip ? v1::CONTENT_ENCODING_GZIP : v1::CONTENT_ENCODING_ZSTD);
      EXPECT_EQ(LimitInStream(stub.get(), request.source()), "max_clip_bytes");
      EXPECT_EQ(LimitInCall(stub.get(), request), "max_clip_bytes");
    }
  }
  ExpectServes();
  // The text of a call, as it grows, and what buffers keep.
  ExpectTook(150);
}

// Where the system gives no more memory, the call fails, and nothing else.
class NoMemoryTest : public HostileTest {
 protected:
  void SetUp() override {
    if (BVHMILL_SANITIZED) {
      GTEST_SKIP() << "sanitizers need memory of their own";
    }
    process_ = std::make_unique<bench::ServerProcess>(
        "/bin/sh", std::vector<std::string>{
                       "-c", "ulimit -v 1200000; exec " BVHMILL_BIN
                             "/bvhmilld --listen 127.0.0.1:0 "
                             "--max-unary-response-bytes 0 "
                             "--max-clip-work 0 --max-inflight-bytes 0 "
                             "--max-clip-bytes 0"});
  }
};

// A small archive that becomes gigabytes of frames.
v1::ConvertClipRequest ManyFrames() {
  v1::ConvertClipRequest request =
      PositionsRequest(bench::Gzip(SmallClip(600'000)));
  request.mutable_source()->set_encoding(v1::CONTENT_ENCODING_GZIP);
  v1::ConvertOptions* options = request.mutable_options();
  options->mutable_edits()->set_fps(1800);
  // So that all frames are kept.
  options->mutable_outputs(0)->mutable_positions()->set_layout(
      v1::TENSOR_LAYOUT_JOINT_MAJOR);
  return request;
}

TEST_F(NoMemoryTest, ForFramesOfACall) {
  const auto stub = bench::Connect(process_->address());
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    v1::ConvertClipResponse response;
    grpc::ClientContext context;
    const grpc::Status status =
        stub->ConvertClip(&context, ManyFrames(), &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(DetailsOf(status).info.reason(), "SERVER_BUSY");
    ExpectServes();
  }
}

// Sends a clip whole, and returns what becomes of it.
v1::ClipResult ResultOf(const v1::ConvertClipRequest& clip,
                        bench::ClipStream* stream) {
  v1::ConvertClipsRequest request;
  *request.mutable_begin()->mutable_source() = clip.source();
  *request.mutable_begin()->mutable_options() = clip.options();
  request.mutable_begin()->set_complete(true);
  EXPECT_TRUE(stream->Write(request));
  v1::ConvertClipsResponse response;
  while (stream->Read(&response)) {
    if (response.has_result()) return response.result();
  }
  ADD_FAILURE() << "the stream ended";
  return {};
}

TEST_F(NoMemoryTest, ForFramesOfAStream) {
  const auto stub = bench::Connect(process_->address());
  grpc::ClientContext context;
  const auto stream = stub->ConvertClips(&context);
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const v1::Status refused = ResultOf(ManyFrames(), stream.get()).status();
    EXPECT_EQ(refused.code(), int{grpc::StatusCode::RESOURCE_EXHAUSTED});
    EXPECT_EQ(refused.info().reason(), "SERVER_BUSY");
    EXPECT_TRUE(refused.info().metadata().contains("retry_after_ms"));
    // The stream goes on.
    const v1::ConvertClipRequest small = PositionsRequest(SmallClip(10));
    EXPECT_EQ(ResultOf(small, stream.get()).status().code(), 0);
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  ExpectServes();
}

}  // namespace
}  // namespace bvhmill::testing
