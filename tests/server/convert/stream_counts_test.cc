// The contracts of StreamSession and ClipQueue as numbers: a stream reads, runs
// and counts so much after each event. There are no sockets.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bvhmill/base/budget.h"
#include "bvhmill/base/limits.h"
#include "tests/server/convert/counted_stream.h"

namespace bvhmill::testing {
namespace {

struct CountedCase {
  const char* name;
  std::function<void(CountedStream*)> play;
};

void PrintTo(const CountedCase& c, std::ostream* out) { *out << c.name; }

// Ways of a clip to its end.
const CountedCase kWaysToTheEnd[] = {
    {"Converted", [](CountedStream* s) { s->Begin(1, 100, true); }},
    {"AbandonedWithFramesThatWait",
     [](CountedStream* s) {
       s->Begin(1, 40);
       s->Work();
       s->Chunk(120);
       s->Work();
       s->End(true);
     }},
    {"AbandonedAtRest",
     [](CountedStream* s) {
       s->Begin(1, 30);
       s->stream.Settle();
       s->End(true);
     }},
    {"RefusedBeforeAWorkerHadIt",
     [](CountedStream* s) {
       s->Begin(1, 1001);
       s->End();
     }},
    {"RefusedWithFramesThatWait",
     [](CountedStream* s) {
       s->Begin(1, 120);
       s->Work();
       s->Chunk(1000);
       s->End();
     }},
    {"WithoutMemory",
     [](CountedStream* s) {
       s->Begin(1, 100);
       s->stream.Step(0, /*no_memory=*/true);
       s->StartReads();
       s->Chunk(40);
       s->End();
     }},
};

class WaysToTheEndTest : public ::testing::TestWithParam<CountedCase> {};

INSTANTIATE_TEST_SUITE_P(Streams, WaysToTheEndTest,
                         ::testing::ValuesIn(kWaysToTheEnd),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST_P(WaysToTheEndTest, NothingOfTheClipCountsAfterIt) {
  CountedStream s;
  GetParam().play(&s);
  s.stream.Settle();
  EXPECT_TRUE(s.is_open());
  EXPECT_EQ(s.server.memory.bytes(), 0);
  EXPECT_EQ(s.server.admission.clips(), 0);
  EXPECT_EQ(s.server.admission.bytes(), s.idle);
  // The key may be used again.
  const std::string before = s.stream.results();
  s.Begin(1, 40, true);
  s.stream.Settle();
  EXPECT_EQ(s.stream.results(), before + "1:OK ");
}

TEST(StreamCountsTest, AStreamCountsItsOptionsOnce) {
  SimulatedServer server(SmallStreamConfig());
  SimulatedStream stream(&server);
  stream.Start();
  stream.Begin("1", 40, false);
  stream.Settle();
  stream.End(/*abandon=*/true);
  stream.Settle();
  EXPECT_EQ(server.admission.bytes(), CountedStream().idle);
}

TEST(StreamCountsTest, AClipCountsItsBudgetAndItsBytes) {
  CountedStream s;
  s.Begin(1, 30);
  EXPECT_EQ(s.server.admission.bytes(), s.idle + Budget::kFreeBytes + 30);
  EXPECT_EQ(s.server.memory.bytes(), 30);
  s.Work();
  s.Chunk(100);
  s.stream.Settle();
  // All is converted and written.
  EXPECT_EQ(s.server.admission.bytes(), s.idle + Budget::kFreeBytes);
  EXPECT_EQ(s.server.memory.bytes(), 0);
  // The result is being written.
  s.End();
  s.Work();
  EXPECT_EQ(s.server.admission.clips(), 0);
  EXPECT_EQ(s.server.memory.bytes(), kResult);
}

// The peer may end the clip much later.
TEST(StreamCountsTest, ARefusedClipCountsNothingBeforeItsEnd) {
  const CountedCase cases[] = {
      {"before a worker had it", [](CountedStream* s) { s->Begin(1, 1001); }},
      {"without memory",
       [](CountedStream* s) {
         s->Begin(1, 100);
         s->stream.Step(0, /*no_memory=*/true);
       }},
      {"its frames are not written", [](CountedStream* s) {
         s->Begin(1, 120);
         s->Work();
         s->Chunk(1000);
         s->Work();
         s->Write();
         EXPECT_EQ(s->stream.frames(), 1);
       }}};
  for (const CountedCase& c : cases) {
    SCOPED_TRACE(c.name);
    CountedStream s;
    c.play(&s);
    EXPECT_FALSE(s.stream.CanWrite());
    EXPECT_EQ(s.server.memory.bytes(), 0);
    EXPECT_EQ(s.server.admission.clips(), 0);
    EXPECT_EQ(s.server.admission.bytes(), s.idle);
  }
}

TEST(StreamCountsTest, TheTimesOfAClipAreObserved) {
  CountedStream s;
  s.Begin(1, kInput, true);
  SimulatedServer::Pass(5);
  s.Work();
  SimulatedServer::Pass(3);
  s.stream.Settle();
  const SimulatedStream::Observed& seen = s.stream.observed();
  const std::map<server::Stage, std::chrono::nanoseconds> stages = {
      {server::Stage::kWrite, std::chrono::seconds(3)},
      {server::Stage::kTotal, std::chrono::seconds(8)}};
  EXPECT_EQ(seen.stages, stages);
  EXPECT_EQ(seen.received, kInput);
  EXPECT_EQ(seen.sent, 64);
  EXPECT_EQ(seen.refused, 0);
}

TEST(StreamCountsTest, ARefusedClipIsObservedWithoutTimes) {
  CountedStream s;
  s.Begin(1, 1001, true);
  s.stream.Settle();
  EXPECT_TRUE(s.stream.observed().stages.empty());
  EXPECT_EQ(s.stream.observed().received, 1001);
  EXPECT_EQ(s.stream.observed().refused, 1);
}

TEST(StreamCountsTest, AClipMayHaveAsManyBytesAsTheLimit) {
  for (const int bytes : {1000, 1001}) {
    CountedStream s;
    s.Begin(1, bytes, true);
    s.stream.Settle();
    EXPECT_EQ(s.stream.results(),
              bytes == 1000 ? "1:OK " : "1:RESOURCE_EXHAUSTED ");
  }
}

TEST(StreamCountsTest, AKeyMayBeAsLongAsTheLimit) {
  const std::string key = std::string(kMaxClipKeyBytes - 1, '0') + "1";
  CountedStream s;
  s.stream.Begin(key, 40, true);
  s.stream.Settle();
  EXPECT_EQ(s.stream.results(), key + ":OK ");
}

TEST(StreamCountsTest, AKeyIsFreeOnceTheResultIsOnItsWay) {
  CountedStream s;
  s.Begin(1, 2 * kInput, true);
  s.Work();
  s.Write();
  // The second frame is being written, and the result waits.
  s.Begin(1, kInput, true);
  s.Write();
  s.Begin(1, kInput, true);
  s.stream.Settle();
  EXPECT_EQ(s.stream.results(), "1:OK 1:ALREADY_EXISTS 1:OK ");
}

TEST(StreamCountsTest, AWriteSaysWhetherAnotherFrameOfTheClipWaits) {
  CountedStream s;
  s.Begin(1, 2 * kInput, true);
  s.Work();
  s.Write();
  EXPECT_TRUE(s.stream.more_follows());
  s.Write();
  EXPECT_FALSE(s.stream.more_follows());
}

TEST(StreamCountsTest, ResultsOvertakeEachOtherUnlessTheStreamIsOrdered) {
  for (const bool ordered : {false, true}) {
    SimulatedServer server(SmallStreamConfig());
    SimulatedStream stream(&server);
    stream.Start();
    stream.Open(ordered);
    stream.Begin("1", kInput, true);
    stream.Begin("2", kInput, true);
    while (stream.running() > 1) stream.Step(1);
    EXPECT_EQ(stream.CanWrite(), !ordered);
    while (stream.CanWrite()) stream.WriteDone(true);
    stream.Settle();
    EXPECT_EQ(stream.results(), ordered ? "1:OK 2:OK " : "2:OK 1:OK ");
  }
}

struct WindowCase {
  const char* name;
  std::function<void(CountedStream*)> play;
  bool is_open;
};

const WindowCase kWindowCases[] = {
    {"two clips",
     [](CountedStream* s) {
       s->Begin(1, 40, true);
       s->Begin(2, 40, true);
     },
     true},
    {"three clips",
     [](CountedStream* s) {
       for (int i = 1; i <= 3; ++i) s->Begin(i, 40, true);
     },
     false},
    {"within the third clip",
     [](CountedStream* s) {
       for (int i = 1; i <= 3; ++i) s->Begin(i, 0, i < 3);
     },
     true},
    {"as many bytes as the limit",
     [](CountedStream* s) { s->Begin(1, 300, true); }, true},
    {"a byte more", [](CountedStream* s) { s->Begin(1, 301, true); }, false},
    {"a worker reads a chunk", [](CountedStream* s) { s->Begin(1, 1); }, true},
    {"a message waits for a chunk that is read",
     [](CountedStream* s) {
       s->Begin(1, 1);
       s->Chunk(1);
     },
     false},
    {"a chunk waits for outputs",
     [](CountedStream* s) {
       s->Begin(1, 3 * kInput);
       s->Work();
       s->Chunk(1);
     },
     false},
    // 144 bytes wait to be written.
    {"bytes of outputs are none of inputs",
     [](CountedStream* s) {
       s->Begin(1, 80);
       s->Work();
       s->End();
       s->Begin(2, 200, true);
     },
     true},
    {"a crowd, and the stream holds nothing",
     [](CountedStream* s) {
       s->server.memory.Add(5000);
       s->Begin(1, 0);
     },
     true},
    {"a crowd, and the stream holds input",
     [](CountedStream* s) {
       s->server.memory.Add(5000);
       s->Begin(1, 1, true);
     },
     false},
    {"a crowd, and the stream holds outputs",
     [](CountedStream* s) {
       s->Begin(1, 40);
       s->Work();
       s->server.memory.Add(5000);
       s->Chunk(0);
     },
     false}};

TEST(StreamCountsTest, TheWindowClosesAtTheLimits) {
  for (const WindowCase& c : kWindowCases) {
    SCOPED_TRACE(c.name);
    CountedStream s;
    c.play(&s);
    EXPECT_EQ(s.stream.CanReceive(), c.is_open);
    s.server.memory.Add(s.server.memory.bytes() > 4000 ? -5000 : 0);
  }
}

}  // namespace
}  // namespace bvhmill::testing
