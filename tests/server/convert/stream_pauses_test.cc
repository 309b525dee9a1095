// When a stream runs its clips, waits for its peer, and gives it up: without
// sockets.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "tests/server/convert/counted_stream.h"

namespace bvhmill::testing {
namespace {

std::string CodeOf(const CountedStream& s) {
  if (s.is_open()) return "open";
  return absl::StatusCodeToString(s.stream.finish()->code());
}

TEST(StreamPausesTest, AClipPausesBetweenChunks) {
  CountedStream s;
  // Three frames of 72 bytes. Work pauses when more than 200 bytes wait.
  s.Begin(1, 3 * kInput);
  s.Work();
  s.Chunk(kInput);
  EXPECT_EQ(s.server.memory.bytes(), kInput + 3 * kFrame);
  EXPECT_EQ(s.stream.running(), 0U);
  s.Write();
  EXPECT_EQ(s.stream.running(), 1U);
}

TEST(StreamPausesTest, InputIsGivenBackWhenThePauseIsOver) {
  CountedStream s;
  // The last frame of the input makes the pause.
  s.Begin(1, 3 * kInput);
  s.Work();
  s.stream.Settle();
  EXPECT_EQ(s.stream.frames(), 3);
  EXPECT_EQ(s.server.memory.bytes(), 0);
}

// Its frames may wait for those of the first clip.
TEST(StreamPausesTest, ALaterClipPausesForTheFramesOfOthers) {
  CountedStream s;
  s.Begin(1, 3 * kInput, true);
  s.Work();
  EXPECT_GT(s.server.memory.bytes(), 200);
  s.Begin(2, kInput, true);
  EXPECT_EQ(s.stream.running(), 0U);
}

TEST(StreamPausesTest, ACrowdPausesAClipWithFramesThatWait) {
  CountedStream s;
  s.Begin(1, kInput);
  s.Work();
  EXPECT_TRUE(s.stream.CanWrite());
  s.server.memory.Add(5000);
  s.Chunk(kInput);
  EXPECT_EQ(s.stream.running(), 0U);
  s.server.memory.Add(-5000);
}

TEST(StreamPausesTest, ACrowdPausesNoClipWithoutFrames) {
  CountedStream s;
  s.server.memory.Add(5000);
  s.Begin(1, kInput);
  EXPECT_EQ(s.stream.running(), 1U);
  s.server.memory.Add(-5000);
}

TEST(StreamPausesTest, AFrameOfAStreamThatFailsIsDropped) {
  CountedStream s;
  s.Begin(1, kInput);
  s.stream.Cancel();
  EXPECT_EQ(s.stream.running(), 1U);
  s.Work();
  EXPECT_FALSE(s.stream.CanWrite());
  EXPECT_EQ(s.server.memory.bytes(), 0);
}

// Its memory is free long before its end comes.
TEST(StreamPausesTest, ARefusedClipIsDroppedAtOnce) {
  CountedStream s;
  s.Begin(1, kInput / 2);
  s.stream.Settle();
  EXPECT_EQ(s.server.admission.clips(), 1);
  s.Chunk(1000);
  EXPECT_EQ(s.stream.running(), 0U);
  EXPECT_EQ(s.server.admission.clips(), 0);
  EXPECT_EQ(s.server.admission.bytes(), s.idle);
}

struct PatienceCase {
  const char* name;
  std::function<void(CountedStream*)> play;
  const char* end;
};

void PrintTo(const PatienceCase& c, std::ostream* out) { *out << c.name; }

// The peer may be silent for 60 seconds within a clip and 300 between clips,
// and must then have sent a byte a second.
const PatienceCase kPatienceCases[] = {
    {"BetweenClipsForAsLongAsAllowed",
     [](CountedStream* s) {
       s->Pass(0);
       s->Pass(300);
     },
     "open"},
    {"BetweenClipsForLonger",
     [](CountedStream* s) {
       s->Pass(0);
       s->Pass(301);
     },
     "DEADLINE_EXCEEDED"},
    {"AgainAfterAClip",
     [](CountedStream* s) {
       s->Pass(0);
       SimulatedServer::Pass(200);
       s->Begin(1, kInput, true);
       s->stream.Settle();
       s->Pass(200);
     },
     "open"},
    {"WhileAMessageIsParsed",
     [](CountedStream* s) {
       s->Pass(0);
       s->stream.QueueMessage();
       s->Pass(301);
     },
     "open"},
    {"WithinAClipForAsLongAsAllowed",
     [](CountedStream* s) {
       s->Begin(1, 10);
       s->stream.Settle();
       s->Pass(60);
     },
     "open"},
    {"WithinAClipWhileAMessageIsParsed",
     [](CountedStream* s) {
       s->Begin(1, 10);
       s->stream.Settle();
       s->stream.QueueMessage();
       s->Pass(61);
     },
     "open"},
    {"SlowWithinAClip",
     [](CountedStream* s) {
       s->Begin(1, 100);
       s->stream.Settle();
       SimulatedServer::Pass(30);
       s->Chunk(59);
       s->stream.Settle();
       s->Pass(31);
     },
     "DEADLINE_EXCEEDED"},
    {"FastEnoughWithinAClip",
     [](CountedStream* s) {
       s->Begin(1, 10);
       s->stream.Settle();
       SimulatedServer::Pass(30);
       s->Chunk(60);
       s->stream.Settle();
       s->Pass(31);
     },
     "open"},
    {"TheTimeBeforeAClipIsNotItsOwn",
     [](CountedStream* s) {
       SimulatedServer::Pass(59);
       s->Begin(1, 10);
       s->stream.Settle();
       s->Pass(30);
     },
     "open"},
};

class PeerPatienceTest : public ::testing::TestWithParam<PatienceCase> {};

INSTANTIATE_TEST_SUITE_P(Streams, PeerPatienceTest,
                         ::testing::ValuesIn(kPatienceCases),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST_P(PeerPatienceTest, EndsAsExpected) {
  server::ServerConfig config = SmallStreamConfig();
  config.service.min_upload_bytes_per_second = 1;
  CountedStream s(config);
  GetParam().play(&s);
  EXPECT_EQ(CodeOf(s), GetParam().end);
  // Conversions look at it.
  EXPECT_EQ(s.stream.is_cancelled(), !s.is_open());
  s.stream.ParseMessage();
}

TEST(StreamPausesTest, WithoutALimitAStreamMayBeIdleForEver) {
  server::ServerConfig config = SmallStreamConfig();
  config.service.idle_between_seconds = 0;
  CountedStream s(config);
  s.Pass(0);
  s.Pass(100'000);
  EXPECT_TRUE(s.is_open());
}

TEST(StreamPausesTest, AStatusMayWaitForAsLongAsAllowed) {
  CountedStream s;
  s.stream.HalfClose();
  EXPECT_EQ(CodeOf(s), "OK");
  s.Pass(60);
  EXPECT_FALSE(s.stream.call_cancelled());
  s.Pass(1);
  EXPECT_TRUE(s.stream.call_cancelled());
}

TEST(StreamPausesTest, AFailureOfAWorkerCancelsTheOthers) {
  CountedStream s;
  s.Begin(1, kInput, true);
  s.Begin(2, kInput, true);
  s.stream.Break(0);
  EXPECT_TRUE(s.stream.is_cancelled());
}

TEST(StreamPausesTest, ADrainWaitsForAMessageThatIsParsed) {
  CountedStream s;
  s.stream.QueueMessage();
  s.stream.Drain();
  EXPECT_EQ(CodeOf(s), "open");
  s.stream.ParseMessage();
  s.Begin(1, kInput, true);
  s.stream.Settle();
  EXPECT_EQ(s.stream.results(), "1:OK ");
  SimulatedServer::Pass(1);
  s.stream.Drain();
  EXPECT_EQ(CodeOf(s), "UNAVAILABLE");
}

TEST(StreamPausesTest, APeerThatIsGoneWithinAClipIsTold) {
  CountedStream closed;
  closed.Begin(1, 10);
  closed.Work();
  closed.stream.HalfClose();
  EXPECT_EQ(CodeOf(closed), "INVALID_ARGUMENT");
  EXPECT_TRUE(closed.stream.session().closed_within_clip());
  // The call was cancelled; the end of the reads comes first.
  CountedStream cancelled;
  cancelled.Begin(1, 10);
  cancelled.Work();
  cancelled.stream.CancelSilently();
  cancelled.stream.HalfClose();
  EXPECT_EQ(CodeOf(cancelled), "CANCELLED");
  EXPECT_FALSE(cancelled.stream.session().closed_within_clip());
}

}  // namespace
}  // namespace bvhmill::testing
