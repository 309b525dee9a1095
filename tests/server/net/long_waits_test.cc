// Calls and connections that go on however long they take: the tests watch them
// for seconds, so they are not run with the others.

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "tests/server/limits.h"
#include "tests/server/net/raw_caller.h"

namespace bvhmill::testing {
namespace {

using std::chrono::milliseconds;

class LongWaitsTest : public LimitsTest {
 protected:
  // Calls `check`, if there is one, again and again.
  static void Wait(milliseconds time, const std::function<void()>& check = {}) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end && !HasFailure()) {
      std::this_thread::sleep_for(milliseconds(50));
      if (check) check();
    }
  }
};

TEST_F(LongWaitsTest, TheTimeBetweenClipsDoesNotCountWithinAClip) {
  StartWith([](server::ServerConfig* config) {
    config->service.idle_between_seconds = 1;
  });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  Request request;
  request.mutable_begin()->set_key("k");
  stream->Write(request);
  Wait(milliseconds(4'000));
  request.set_chunk(SmallClip());
  EXPECT_TRUE(stream->Write(request));
  request.mutable_end();
  EXPECT_TRUE(stream->Write(request));
  Response response;
  while (!response.has_result()) ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.result().status().code(), 0);
}

TEST_F(LongWaitsTest, AWatchOfHealthGoesOn) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_request_seconds = 1;
    config->service.idle_seconds = 1;
    config->service.idle_between_seconds = 1;
  });
  RawCaller peer(server_->address());
  const uint32_t watch = peer.Call(kWatchPath);
  Wait(milliseconds(5'000),
       [&] { ASSERT_FALSE(peer.HasEnd(watch) || peer.IsEnded()); });
}

// A chunk that takes longer than idle_seconds to arrive, at a rate that is
// allowed.
TEST_F(LongWaitsTest, AChunkMayArriveSlowly) {
  StartWith([](server::ServerConfig* config) {
    config->service.idle_seconds = 2;
    config->service.min_upload_bytes_per_second = 100;
  });
  RawCaller peer(server_->address());
  const uint32_t call = peer.Begin(kStreamPath);
  Request request;
  request.mutable_begin()->set_key("k");
  ASSERT_TRUE(peer.SendData(call, Prefixed(request.SerializeAsString())));
  request.set_chunk(SmallClip(200));
  const std::string chunk = Prefixed(request.SerializeAsString());
  const size_t piece = chunk.size() / 12 + 1;
  for (size_t at = 0; at < chunk.size(); at += piece) {
    ASSERT_TRUE(peer.SendData(call, chunk.substr(at, piece)));
    Wait(milliseconds(500), [&] { ASSERT_FALSE(peer.HasEnd(call)); });
  }
  // Then nothing comes.
  EXPECT_TRUE(Eventually([&] { return peer.HasEnd(call); }));
}

}  // namespace
}  // namespace bvhmill::testing
