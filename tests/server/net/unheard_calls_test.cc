// Calls that the registry of calls does not have, or whose peers do not take
// the answer: they end, and their number is bounded.

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
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

TEST_F(UnheardCallsTest, CallsWhoseMessageDoesNotComeEnd) {
  StartWith([](server::ServerConfig* config) {
    config->transport.max_request_seconds = 1;
  });
  const auto peer = Dial();
  for (int i = 0; i < 5; ++i) peer->Begin(kConvertPath);
  EXPECT_TRUE(Eventually([&] { return peer->IsEnded(); }));
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

TEST_F(UnheardCallsTest, TheConnectionsWithMostOfThemAreCut) {
  constexpr int kMax = 200;
  for (const char* path : {kConvertPath, kInfoPath, kCheckPath}) {
    SCOPED_TRACE(path);
    StartWith([](server::ServerConfig* config) {
      config->transport.max_unheard_calls = kMax;
    });
    const auto few = Dial();
    for (int i = 0; i < 10; ++i) few->Begin(kConvertPath);
    std::vector<std::unique_ptr<RawCaller>> peers;
    for (int i = 0; i < 3; ++i) {
      peers.push_back(Dial());
      for (int k = 0; k < 100; ++k) {
        path == kConvertPath ? peers.back()->Begin(path)
                             : peers.back()->Call(path);
      }
    }
    const auto cut = [&] {
      return std::count_if(peers.begin(), peers.end(),
                           [](const auto& peer) { return peer->IsEnded(); });
    };
    EXPECT_TRUE(Eventually([&] { return cut() == 2; })) << cut();
    EXPECT_FALSE(few->IsEnded());
    EXPECT_TRUE(Convert(PositionsRequest(SmallClip())).ok());
  }
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
