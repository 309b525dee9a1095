// Calls whose request does not come, or whose peers do not take the answer:
// they end, and their number is bounded.

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/limits.h"
#include "tests/server/net/raw_caller.h"

namespace bvhmill::testing {
namespace {

// SETTINGS by which the server may send nothing within a call.
std::string NoWindow() { return BigEndian(4, 2) + BigEndian(0, 4); }

class UnheardCallsTest : public LimitsTest {
 protected:
  std::unique_ptr<RawCaller> Dial() const {
    return std::make_unique<RawCaller>(server_->address(), NoWindow());
  }
};

// The peer keeps its connection.
TEST_F(UnheardCallsTest, CallsWhoseRequestDoesNotComeEnd) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_request_seconds = 1;
    config->service.idle_seconds = 1;
  });
  for (const char* path : {kConvertPath, kInfoPath, kCheckPath, kWatchPath}) {
    SCOPED_TRACE(path);
    RawCaller peer(server_->address());
    const uint32_t silent = peer.Begin(path);
    const uint32_t half = peer.Begin(path);
    // Announces a message of a megabyte.
    EXPECT_TRUE(peer.SendData(half, BigEndian(0, 1) + BigEndian(1 << 20, 4) +
                                        std::string(30'000, 'x')));
    for (const uint32_t call : {silent, half}) {
      EXPECT_TRUE(Eventually([&] { return peer.HasEnd(call); })) << call;
    }
    EXPECT_FALSE(peer.IsEnded());
  }
}

TEST_F(UnheardCallsTest, ARequestThatIsTooSlowIsToldWhy) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_request_seconds = 1;
  });
  grpc::ClientContext context;
  SetDeadline(&context);
  grpc::GenericStub stub(grpc::CreateChannel(
      server_->address(), grpc::InsecureChannelCredentials()));
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, kConvertPath, &queue);
  void* tag = nullptr;
  bool is_good = false;
  call->StartCall(nullptr);
  ASSERT_TRUE(queue.Next(&tag, &is_good) && is_good);
  grpc::Status status;
  call->Finish(&status, nullptr);
  ASSERT_TRUE(queue.Next(&tag, &is_good));
  EXPECT_EQ(status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  const v1::ErrorInfo info = DetailsOf(status).info;
  EXPECT_EQ(info.reason(), "REQUEST_SLOW");
  EXPECT_EQ(ValueOf(info, "limit_name"), "max_request_seconds");
  EXPECT_EQ(ValueOf(info, "limit"), "1");
}

// The peer has the same rights as before when its calls have ended.
TEST_F(UnheardCallsTest, AnswersThatAreNotReadEnd) {
  StartWith(
      [](server::ServerConfig* config) { config->service.idle_seconds = 1; });
  const char* const paths[] = {kInfoPath, kCheckPath, kWatchPath};
  std::vector<std::unique_ptr<RawCaller>> peers;
  std::vector<uint32_t> calls;
  for (const char* path : paths) {
    peers.push_back(Dial());
    calls.push_back(peers.back()->Call(path));
  }
  for (size_t i = 0; i < peers.size(); ++i) {
    SCOPED_TRACE(paths[i]);
    EXPECT_TRUE(Eventually([&] { return peers[i]->HasEnd(calls[i]); }));
    EXPECT_FALSE(peers[i]->IsEnded());
  }
}

// At most 10 of the 80 calls may ask for the state of the server.
TEST_F(UnheardCallsTest, MoreCallsThanMayRunAreRefusedOrCut) {
  for (const char* path : {kConvertPath, kInfoPath, kCheckPath}) {
    SCOPED_TRACE(path);
    StartWith(
        [](server::ServerConfig* config) { config->transport.max_calls = 80; });
    const auto few = Dial();
    for (int i = 0; i < 4; ++i) few->Begin(kConvertPath);
    std::vector<std::unique_ptr<RawCaller>> peers;
    for (int i = 0; i < 3; ++i) {
      peers.push_back(Dial());
      for (int k = 0; k < 40; ++k) {
        path == kConvertPath ? peers.back()->Begin(path)
                             : peers.back()->Call(path);
      }
    }
    EXPECT_FALSE(few->IsEnded());
    peers.clear();
    EXPECT_TRUE(Eventually(
        [&] { return Convert(PositionsRequest(SmallClip())).ok(); }));
  }
}

TEST_F(UnheardCallsTest, ACallBeyondMaxCallsIsRefusedByItsName) {
  StartWith(
      [](server::ServerConfig* config) { config->transport.max_calls = 8; });
  std::list<grpc::ClientContext> contexts;
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 8; ++i) {
    streams.push_back(clips_->ConvertClips(&contexts.emplace_back()));
    streams.back()->WaitForInitialMetadata();
  }
  const grpc::Status status = Convert(PositionsRequest(SmallClip()));
  const v1::ErrorInfo info = RefusalOf(status);
  EXPECT_EQ(info.reason(), "SERVER_BUSY");
  EXPECT_EQ(ValueOf(info, "limit_name"), "max_calls");
  EXPECT_EQ(DetailsOf(status).retry.retry_delay().seconds(), 1);
  for (grpc::ClientContext& context : contexts) context.TryCancel();
  for (const auto& stream : streams) stream->Finish();
}

TEST_F(UnheardCallsTest, WatchesOfAConnectionAreFew) {
  constexpr size_t kMax = 4;
  StartWith([](server::ServerConfig*) {});
  RawCaller peer(server_->address());
  std::vector<uint32_t> watches;
  for (size_t i = 0; i <= kMax; ++i) watches.push_back(peer.Call(kWatchPath));
  // Any of them may be the last one that the server sees.
  const auto has_end = [&](uint32_t watch) { return peer.HasEnd(watch); };
  EXPECT_TRUE(Eventually([&] {
    return std::count_if(watches.begin(), watches.end(), has_end) == 1;
  }));
  // One that ends leaves its place.
  const auto open = std::find_if_not(watches.begin(), watches.end(), has_end);
  ASSERT_NE(open, watches.end());
  peer.Send(Http2Frame(kReset, 0, *open, BigEndian(8, 4)));
  EXPECT_TRUE(Eventually([&] {
    const uint32_t watch = peer.Call(kWatchPath);
    const uint32_t later = peer.Call(kCheckPath);
    EXPECT_TRUE(Eventually([&] { return peer.HasEnd(later); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return !peer.HasEnd(watch);
  }));
}

}  // namespace
}  // namespace bvhmill::testing
