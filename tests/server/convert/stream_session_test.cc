// The protocol of a stream as sequences of events, without sockets.

#include "server/convert/stream_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/server/simulated_stream.h"

namespace bvhmill::testing {
namespace {

// Does one word of a script. Within a clip, workers go on until a message can
// be read; otherwise messages are skipped while none is read.
//   open ordered      options of the stream
//   begin:K whole:K   a clip of 40 bytes, without and with its end
//   chunk big end abandon garbage close   40 bytes; 2000 bytes; ...
//   cancel drain tick wait:SECONDS revoke
//   settle            workers and writes until nothing is outstanding
//   work              workers alone, until they rest
//   write lose        a write ends well; the peer is gone
//   nomem break       a worker has no memory for a clip; fails
void Play(const std::string& word, SimulatedStream* stream) {
  const std::string name = word.substr(0, word.find(':'));
  const std::string value = word.substr(std::min(name.size() + 1, word.size()));
  const std::set<std::string> messages = {"begin", "whole",   "chunk", "big",
                                          "end",   "abandon", "close"};
  while (messages.contains(name) && !stream->CanReceive() &&
         stream->running() > 0 &&
         (stream->is_within_clip() || stream->session().has_waiting())) {
    stream->Step(0);
    while (stream->CanStartRead()) stream->ReadStarted();
  }
  const bool receives = stream->CanReceive();
  if (name == "open" && receives) stream->Open(false);
  if (name == "ordered" && receives) stream->Open(true);
  if (name == "begin" && receives) stream->Begin(value, 40, false);
  if (name == "whole" && receives) stream->Begin(value, 40, true);
  if (name == "chunk" && receives) stream->Chunk(40);
  if (name == "big" && receives) stream->Chunk(2000);
  if (name == "end" && receives) stream->End(false);
  if (name == "abandon" && receives) stream->End(true);
  if (name == "garbage" && receives) stream->Garbage();
  if (name == "close" && receives) stream->HalfClose();
  if (name == "cancel") stream->Cancel();
  if (name == "drain") stream->Drain();
  if (name == "tick") stream->Tick();
  if (name == "revoke") stream->Tick(false);
  if (name == "wait") SimulatedServer::Pass(std::stoi(value));
  if (name == "settle") stream->Settle();
  while (name == "work" && stream->running() > 0) stream->Step(0);
  if (name == "write" && stream->CanWrite()) stream->WriteDone(true);
  if (name == "lose" && stream->CanWrite()) stream->WriteDone(false);
  if (name == "nomem" && stream->running() > 0) stream->Step(0, true);
  if (name == "break" && stream->running() > 0) stream->Break(0);
  while (stream->CanStartRead()) stream->ReadStarted();
}

struct Scenario {
  const char* name;
  const char* script;
  // The results that were written, and the status of the stream: a code, or
  // "open".
  const char* results;
  const char* end;
};

void PrintTo(const Scenario& scenario, std::ostream* out) {
  *out << scenario.name;
}

const Scenario kScenarios[] = {
    {"NoClip", "close", "", "OK"},
    {"OneClip", "whole:1 close settle", "1:OK ", "OK"},
    {"ClipInPieces", "begin:1 chunk settle chunk end close settle", "1:OK ",
     "OK"},
    {"ResultsWhileTheStreamIsOpen", "whole:1 settle whole:2 settle",
     "1:OK 2:OK ", "open"},
    {"AbandonedClip", "begin:1 chunk settle abandon whole:2 close settle",
     "2:OK ", "OK"},
    {"KeyOfAnUnfinishedClip", "whole:1 begin:1 end close settle",
     "1:OK 1:ALREADY_EXISTS ", "OK"},
    {"KeyOfAFinishedClip", "whole:1 settle whole:1 close settle", "1:OK 1:OK ",
     "OK"},
    {"Ordered", "ordered begin:1 chunk end whole:2 close settle", "1:OK 2:OK ",
     "OK"},
    {"RefusedClip", "begin:1 big chunk end whole:2 close settle",
     "1:RESOURCE_EXHAUSTED 2:OK ", "OK"},
    {"RefusedClipWaitsForItsEnd", "begin:1 big settle", "", "open"},
    {"NoMemoryForAClip", "whole:1 nomem whole:2 close settle",
     "1:RESOURCE_EXHAUSTED 2:OK ", "OK"},
    {"WorkerFails", "whole:1 break settle", "", "INTERNAL"},
    {"HalfCloseWithinAClip", "begin:1 close settle", "", "INVALID_ARGUMENT"},
    {"BeginWithinAClip", "begin:1 begin:2 settle", "", "INVALID_ARGUMENT"},
    {"ChunkOutsideAClip", "chunk settle", "", "INVALID_ARGUMENT"},
    {"EndOutsideAClip", "whole:1 end settle", "", "INVALID_ARGUMENT"},
    {"OpenTwice", "open open settle", "", "INVALID_ARGUMENT"},
    {"EmptyMessage", "garbage settle", "", "INVALID_ARGUMENT"},
    {"Cancel", "begin:1 settle cancel settle", "", "CANCELLED"},
    {"CancelWhileWorkersRun", "whole:1 cancel settle", "", "CANCELLED"},
    {"CancelDuringAWrite", "whole:1 work cancel write settle", "", "CANCELLED"},
    {"PeerIsGone", "whole:1 work lose settle", "", "CANCELLED"},
    {"DrainWithoutClips", "wait:1 drain", "", "UNAVAILABLE"},
    // The end of the peer's side may be on its way.
    {"DrainOfANewStream", "drain", "", "open"},
    {"DrainHearsNothingMore", "drain wait:1 drain", "", "UNAVAILABLE"},
    {"DrainBeforeHalfClose", "whole:1 drain close settle", "1:OK ", "OK"},
    {"DrainOfAnEmptyStream", "drain close settle", "", "OK"},
    {"DrainTakesClipsThatHadBeenSent",
     "whole:1 drain whole:2 whole:3 settle close settle", "1:OK 2:OK 3:OK ",
     "OK"},
    {"DrainTakesNoClipAfterAPause",
     "whole:1 drain settle whole:2 wait:1 whole:3 settle", "1:OK 2:OK ",
     "UNAVAILABLE"},
    {"DrainTakesClipsThatCouldNotBeRead",
     "whole:1 whole:2 whole:3 drain wait:3 settle whole:4 close settle",
     "1:OK 2:OK 3:OK 4:OK ", "OK"},
    {"DrainTakesNoClipsForLong",
     "whole:1 whole:2 whole:3 drain wait:6 settle whole:4 close settle",
     "1:OK 2:OK 3:OK ", "UNAVAILABLE"},
    {"DrainTakesTheRestOfAClip",
     "begin:1 settle drain wait:9 drain chunk wait:9 drain end settle wait:1 "
     "drain",
     "1:OK ", "UNAVAILABLE"},
    {"DrainOfAClipAndHalfClose",
     "begin:1 settle drain wait:9 drain chunk end close settle", "1:OK ", "OK"},
    {"DrainAfterHalfClose", "whole:1 close drain settle", "1:OK ", "OK"},
    {"IdleBetweenClips", "tick wait:301 tick settle", "", "DEADLINE_EXCEEDED"},
    {"NotIdleWhileClipsAreConverted", "whole:1 tick wait:400 tick settle",
     "1:OK ", "open"},
    {"IdleWithinAClip", "begin:1 settle wait:61 tick settle", "",
     "DEADLINE_EXCEEDED"},
    {"TokenIsRevoked", "begin:1 settle revoke settle", "", "PERMISSION_DENIED"},
};

class StreamSessionTest : public ::testing::TestWithParam<Scenario> {};

INSTANTIATE_TEST_SUITE_P(Scenarios, StreamSessionTest,
                         ::testing::ValuesIn(kScenarios),
                         [](const auto& info) { return info.param.name; });

std::string EndOf(const SimulatedStream& stream) {
  if (!stream.finish()) return "open";
  return absl::StatusCodeToString(stream.finish()->code());
}

std::vector<std::string> WordsOf(const std::string& script) {
  std::istringstream in(script);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

TEST_P(StreamSessionTest, EndsAsExpected) {
  SimulatedServer server(SmallStreamConfig());
  SimulatedStream stream(&server);
  stream.Start();
  while (stream.CanStartRead()) stream.ReadStarted();
  for (const std::string& word : WordsOf(GetParam().script)) {
    Play(word, &stream);
  }
  EXPECT_EQ(stream.results(), GetParam().results);
  EXPECT_EQ(EndOf(stream), GetParam().end);
}

TEST(StreamSessionTest, ACallThatIsRefusedFinishesAtOnce) {
  SimulatedServer server(SmallStreamConfig());
  SimulatedStream stream(&server);
  stream.Start(absl::UnauthenticatedError("no token"));
  EXPECT_EQ(EndOf(stream), "UNAUTHENTICATED");
}

TEST(StreamSessionTest, ASlowReaderPausesItsClipAndIsThenCancelled) {
  SimulatedServer server(SmallStreamConfig());
  SimulatedStream stream(&server);
  stream.Start();
  Play("begin:1", &stream);
  for (int i = 0; i < 20; ++i) {
    Play("chunk", &stream);
    Play("work", &stream);
  }
  // The window is closed: nothing more is read, and no worker runs.
  EXPECT_FALSE(stream.CanReceive());
  EXPECT_EQ(stream.running(), 0U);
  EXPECT_FALSE(stream.finish());
  Play("write", &stream);
  Play("write", &stream);
  EXPECT_GT(stream.running(), 0U);
  Play("work", &stream);
  Play("wait:61", &stream);
  Play("tick", &stream);
  EXPECT_TRUE(stream.call_cancelled());
  // Finish waits for the write.
  EXPECT_FALSE(stream.finish());
  Play("lose", &stream);
  EXPECT_EQ(EndOf(stream), "DEADLINE_EXCEEDED");
}

TEST(StreamSessionTest, AFinishThatIsNotTakenIsCancelled) {
  SimulatedServer server(SmallStreamConfig());
  SimulatedStream stream(&server);
  stream.Start();
  Play("close", &stream);
  EXPECT_EQ(EndOf(stream), "OK");
  Play("wait:61", &stream);
  Play("tick", &stream);
  EXPECT_TRUE(stream.call_cancelled());
}

// Where all streams hold too much, a stream that holds something waits until
// it is told that time has passed.
TEST(StreamSessionTest, ACrowdPausesAStreamUntilTheNextTick) {
  SimulatedServer server(SmallStreamConfig());
  SimulatedStream stream(&server);
  stream.Start();
  Play("begin:1", &stream);
  Play("work", &stream);
  server.memory.Add(5000);
  Play("chunk", &stream);
  Play("work", &stream);
  EXPECT_FALSE(stream.CanReceive());
  server.memory.Add(-5000);
  Play("tick", &stream);
  Play("work", &stream);
  EXPECT_TRUE(stream.CanReceive());
  EXPECT_TRUE(stream.Close());
  EXPECT_EQ(stream.results(), "1:OK ");
}

TEST(StreamSessionTest, TooManyStreamsAreRefused) {
  server::ServerConfig config = SmallStreamConfig();
  config.admission.max_streams = 1;
  SimulatedServer server(config);
  SimulatedStream first(&server);
  first.Start();
  SimulatedStream second(&server);
  second.Start();
  EXPECT_EQ(EndOf(second), "RESOURCE_EXHAUSTED");
  Play("cancel", &first);
  Play("settle", &first);
  EXPECT_EQ(EndOf(first), "CANCELLED");
}

// A stream that is open, and what it counts without clips.
struct OpenStream {
  OpenStream() {
    stream.Start();
    Play("open", &stream);
    idle = server.admission.bytes();
  }

  SimulatedServer server{SmallStreamConfig()};
  SimulatedStream stream{&server};
  int64_t idle = 0;
};

TEST(StreamSessionTest, AnAbandonedClipCountsUntilItsWorkerIsDone) {
  OpenStream open;
  auto& [server, stream, idle] = open;
  Play("begin:1", &stream);
  ASSERT_EQ(stream.running(), 1U);
  Play("cancel", &stream);
  EXPECT_EQ(server.admission.clips(), 1);
  EXPECT_GT(server.admission.bytes(), idle);
  Play("work", &stream);
  EXPECT_EQ(server.admission.clips(), 0);
  EXPECT_EQ(server.admission.bytes(), idle);
}

TEST(StreamSessionTest, AResultCountsUntilItIsWritten) {
  OpenStream open;
  auto& [server, stream, idle] = open;
  Play("whole:1", &stream);
  Play("work", &stream);
  while (stream.CanWrite()) {
    EXPECT_GT(server.admission.bytes(), idle);
    Play("write", &stream);
  }
  EXPECT_EQ(server.admission.bytes(), idle);
  EXPECT_EQ(stream.results(), "1:OK ");
}

// Every order of what can happen to a stream with a clip that comes and one
// that is converted. The simulated stream checks the invariants.
TEST(StreamSessionTest, EveryOrderOfEventsKeepsTheInvariants) {
  std::vector<std::string> events = {"cancel", "drain", "close", "nomem",
                                     "big",    "end",   "write", "work"};
  std::sort(events.begin(), events.end());
  int orders = 0;
  do {
    SimulatedServer server(SmallStreamConfig());
    SimulatedStream stream(&server);
    stream.Start();
    Play("begin:1", &stream);
    for (const std::string& event : events) Play(event, &stream);
    stream.Settle();
    ASSERT_TRUE(stream.finish() || stream.CanReceive());
    ++orders;
  } while (std::next_permutation(events.begin(), events.end()) &&
           !::testing::Test::HasFailure());
  EXPECT_EQ(orders, 40320);
}

}  // namespace
}  // namespace bvhmill::testing
