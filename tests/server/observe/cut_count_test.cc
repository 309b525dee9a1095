// Connections that the server cuts, by reason: a peer that accepts nothing of a
// large output.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/server/fixture.h"
#include "tests/server/http2.h"

namespace bvhmill::testing {
namespace {

// Opens windows of 2 GiB, and asks for 24 MB.
std::string LargeAnswer() {
  constexpr uint64_t kWindow = 0x7fffffff;
  constexpr int kInitialWindow = 4;
  v1::ConvertClipsRequest request;
  *request.mutable_begin()->mutable_options() = PositionsRequest("").options();
  request.mutable_begin()->set_complete(true);
  request.mutable_begin()->mutable_source()->set_data(
      "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\n"
      "Frames: 2000000\nFrame Time: 0.01\n");
  return Hello() +
         Http2Frame(kSettings, 0, 0,
                    BigEndian(kInitialWindow, 2) + BigEndian(kWindow, 4)) +
         Http2Frame(kWindowUpdate, 0, 0, BigEndian(kWindow - 65535, 4)) +
         Http2Frame(kHeaders, kEndHeaders, 1, CallHeaders("ConvertClips")) +
         Http2Frame(kData, 0, 1, Prefixed(request.SerializeAsString()));
}

struct CutCase {
  int64_t idle_seconds;
  bool drains;
  std::string reason;
};

class CutCountTest : public ServerTest {};

TEST_F(CutCountTest, EachConnectionThatIsCutHasItsReason) {
  const CutCase cases[] = {{1, false, "accepts_nothing"}, {600, true, "drain"}};
  for (const CutCase& c : cases) {
    SCOPED_TRACE(c.reason);
    Start([&](server::ServerConfig* config) {
      config->metrics = "127.0.0.1:0";
      config->service.idle_seconds = c.idle_seconds;
      config->drain_seconds = 0;
      config->log = server::LogFormat::kOff;
    });
    const std::string metrics = server_->metrics_address();
    const int peer = DialLoopback(server_->address());
    ASSERT_GE(peer, 0);
    SendAll(peer, LargeAnswer());
    if (c.drains) {
      // The send queue is full.
      EXPECT_GT(AwaitStall([&] {
                  return FetchGauge(metrics, "bvhmill_stream_bytes");
                }),
                0);
      server_->Drain();
    }
    for (const CutCase& other : cases) {
      const std::string row =
          "bvhmill_connections_cut_total{reason=\"" + other.reason + "\"}";
      const int64_t count = other.reason == c.reason ? 1 : 0;
      EXPECT_TRUE(Eventually([&] { return FetchGauge(metrics, row) == count; }))
          << row;
    }
    close(peer);
  }
}

}  // namespace
}  // namespace bvhmill::testing
