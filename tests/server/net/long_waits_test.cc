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
    config->transport.max_stray_bytes = 100;
    config->service.idle_seconds = 1;
    config->service.idle_between_seconds = 1;
  });
  RawCaller peer(server_->address());
  const uint32_t watch = peer.Call(kWatchPath);
  Wait(milliseconds(5'000),
       [&] { ASSERT_FALSE(peer.HasEnd(watch) || peer.IsEnded()); });
}

// As long as messages come, or the server has not taken what came.
TEST_F(LongWaitsTest, SlowStreamsAreNoStrayBytes) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_request_seconds = 1;
    config->transport.max_stray_bytes = 1;
    config->service.max_unfinished_bytes_per_stream = 1'000;
    config->service.max_unsent_bytes_per_stream = 1'000;
  });
  grpc::ClientContext context;
  const auto stream = clips_->ConvertClips(&context);
  Request request;
  request.mutable_begin()->mutable_options()->add_outputs()->mutable_csv();
  ASSERT_TRUE(stream->Write(request));
  const std::string text = SmallClip(20'000);
  for (size_t at = 0; at < text.size(); at += 50'000) {
    request.set_chunk(text.substr(at, 50'000));
    ASSERT_TRUE(stream->Write(request));
    if (at == 100'000) Wait(milliseconds(3'500));
  }
  context.TryCancel();
  stream->Finish();
}

}  // namespace
}  // namespace bvhmill::testing
