#include "server/observe/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/observe/metrics.h"
#include "server/rpc/catch_as_status.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kTrace[] =
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

server::CallLine SomeLine() {
  server::CallLine line;
  line.method = "ConvertClip";
  line.id = "id-1";
  line.peer = "ipv4:127.0.0.1:9";
  line.code = grpc::StatusCode::INVALID_ARGUMENT;
  line.reason = "HIERARCHY_X";
  line.message = "a \"quote\", a \\, a line\nend, " + std::string(200, 'x');
  line.clips = 2;
  line.frames = 30;
  line.received_bytes = 400;
  line.total = std::chrono::milliseconds(12);
  return line;
}

TEST(LogTest, AJsonLineIsOneObject) {
  const std::string line = JsonLine(SomeLine(), {});
  EXPECT_THAT(line, StartsWith("{\"time\":\"1970-01-01T00:00:00.000Z\","
                               "\"method\":\"ConvertClip\","
                               "\"request_id\":\"id-1\","));
  EXPECT_THAT(line, HasSubstr("a \\\"quote\\\", a \\\\, a line\\\\x0Aend"));
  EXPECT_THAT(line, HasSubstr("\"frames\":30"));
  EXPECT_THAT(line, HasSubstr("\"total\":12.000"));
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  EXPECT_THAT(line, Not(HasSubstr("traceparent")));
  // Of what came from outside, no more than 80 bytes.
  EXPECT_THAT(line, Not(HasSubstr(std::string(80, 'x'))));
}

TEST(LogTest, ATextLineSaysTheSame) {
  const std::string line = TextLine(SomeLine(), {});
  EXPECT_THAT(line, StartsWith("1970-01-01T00:00:00.000Z ConvertClip "
                               "INVALID_ARGUMENT HIERARCHY_X 12.000 ms "
                               "id=id-1 peer=ipv4:127.0.0.1:9 clips=2 "
                               "frames=30 received=400 sent=0: a \"quote\""));
  EXPECT_THAT(line, Not(HasSubstr("\n")));
}

// Each field with a value of its own.
server::CallLine FullLine() {
  using std::chrono::microseconds;
  server::CallLine line = SomeLine();
  line.traceparent = kTrace;
  line.caller = "ann";
  line.message = "why";
  line.sent_bytes = 500;
  line.refused_clips = 6;
  line.times.queued = microseconds(1);
  line.times.read = microseconds(20);
  line.times.validate = microseconds(300);
  line.times.edit = microseconds(4'000);
  line.times.solve = microseconds(50'000);
  line.times.encode = microseconds(600'000);
  line.total = std::chrono::seconds(7);
  return line;
}

TEST(LogTest, EachFieldHasItsNameAndItsPlace) {
  const std::chrono::system_clock::time_point now{
      std::chrono::milliseconds(1'609'459'323'045)};
  EXPECT_EQ(JsonLine(FullLine(), now),
            "{\"time\":\"2021-01-01T00:02:03.045Z\","
            "\"method\":\"ConvertClip\",\"request_id\":\"id-1\","
            "\"traceparent\":\"" +
                std::string(kTrace) +
                "\",\"caller\":\"ann\",\"peer\":\"ipv4:127.0.0.1:9\","
                "\"status\":\"INVALID_ARGUMENT\","
                "\"reason\":\"HIERARCHY_X\",\"message\":\"why\","
                "\"received_bytes\":400,\"sent_bytes\":500,\"clips\":2,"
                "\"refused_clips\":6,\"frames\":30,"
                "\"ms\":{\"queue\":0.001,\"read\":0.020,"
                "\"validate\":0.300,\"edit\":4.000,\"solve\":50.000,"
                "\"encode\":600.000,\"total\":7000.000}}");
  EXPECT_EQ(TextLine(FullLine(), now),
            "2021-01-01T00:02:03.045Z ConvertClip INVALID_ARGUMENT "
            "HIERARCHY_X 7000.000 ms id=id-1 caller=ann "
            "peer=ipv4:127.0.0.1:9 clips=2 frames=30 received=400 sent=500 "
            "traceparent=" +
                std::string(kTrace) + ": why");
}

// Faults of the server and calls that were turned away.
TEST(LogTest, ALogOfErrorsHasTheseCodesAlone) {
  using Code = grpc::StatusCode;
  const std::vector<Code> errors = {
      Code::UNKNOWN,           Code::INTERNAL,        Code::DATA_LOSS,
      Code::UNAVAILABLE,       Code::UNAUTHENTICATED, Code::PERMISSION_DENIED,
      Code::RESOURCE_EXHAUSTED};
  for (int i = 0; i < server::kStatusCodes; ++i) {
    server::CallLine line = SomeLine();
    line.code = static_cast<Code>(i);
    ::testing::internal::CaptureStderr();
    server::Log(server::LogFormat::kErrors).Call(line);
    const bool is_written = !::testing::internal::GetCapturedStderr().empty();
    EXPECT_EQ(is_written, std::find(errors.begin(), errors.end(), line.code) !=
                              errors.end())
        << server::NameOfCode(i);
  }
}

// What stands for stderr, full until it is read.
class FullLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    saved_ = dup(STDERR_FILENO);
    ASSERT_EQ(pipe(ends_), 0);
    dup2(ends_[1], STDERR_FILENO);
    close(ends_[1]);
  }

  void TearDown() override {
    dup2(saved_, STDERR_FILENO);
    close(saved_);
    if (ends_[0] >= 0) close(ends_[0]);
  }

  std::string ReadAll() {
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string out;
    char buffer[4096];
    ssize_t size = 0;
    while ((size = read(ends_[0], buffer, sizeof buffer)) > 0) {
      out.append(buffer, static_cast<size_t>(size));
    }
    return out;
  }

  // From some threads, so many that they do not fit.
  void WriteMany(const server::Log& log) {
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&log] {
        for (int k = 0; k < kLines / 4; ++k) log.Call(SomeLine());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  static constexpr int kLines = 2000;
  int saved_ = -1;
  int ends_[2] = {-1, -1};
};

TEST_F(FullLogTest, LinesThatNobodyTakesAreCounted) {
  const server::Log log(server::LogFormat::kText);
  WriteMany(log);
  const std::string taken = ReadAll();
  const auto lines = std::count(taken.begin(), taken.end(), '\n');
  EXPECT_GT(lines, 0);
  EXPECT_LT(lines, kLines);
  EXPECT_THAT(taken, Not(HasSubstr("lost")));
  log.Event("here again");
  EXPECT_EQ(ReadAll(), "bvhmilld: " + std::to_string(kLines - lines) +
                           " lines were lost\nbvhmilld: here again\n");
}

TEST_F(FullLogTest, ALogWithoutAReaderStopsNothing) {
  // As main() does.
  const auto handler = signal(SIGPIPE, SIG_IGN);
  close(std::exchange(ends_[0], -1));
  const server::Log log(server::LogFormat::kJson);
  WriteMany(log);
  ASSERT_EQ(pipe(ends_), 0);
  dup2(ends_[1], STDERR_FILENO);
  close(ends_[1]);
  log.Event("here again");
  signal(SIGPIPE, handler);
  EXPECT_THAT(ReadAll(), HasSubstr("\"event\":\"" + std::to_string(kLines) +
                                   " lines were lost\""));
}

// Lines of the log, without times and ids.
std::vector<std::string> LinesIn(const std::string& log) {
  std::vector<std::string> lines;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(LogTest, AFloodOfRefusalsIsCountedNotWritten) {
  ::testing::internal::CaptureStderr();
  constexpr int kCalls = 10'000;
  for (const auto format :
       {server::LogFormat::kErrors, server::LogFormat::kJson}) {
    server::Log log(format);
    server::CallLine line = SomeLine();
    line.code = grpc::StatusCode::UNAUTHENTICATED;
    line.reason = "TOKEN_UNKNOWN";
    for (int i = 0; i < kCalls; ++i) log.Call(line);
    // Another kind is not held back for it.
    line.code = grpc::StatusCode::RESOURCE_EXHAUSTED;
    line.reason = "SERVER_BUSY";
    log.Call(line);
  }
  const auto lines = LinesIn(::testing::internal::GetCapturedStderr());
  // A burst of 50; some more if it takes seconds.
  EXPECT_GE(lines.size(), 2 * 52);
  EXPECT_LT(lines.size(), 2 * 52 + 200);
  int64_t written = 0;
  int64_t held_back = 0;
  int busy = 0;
  for (const std::string& line : lines) {
    const size_t held = line.find("held back ");
    if (held != std::string::npos) {
      EXPECT_THAT(line, HasSubstr(" lines: UNAUTHENTICATED TOKEN_UNKNOWN"));
      held_back += std::stoll(line.substr(held + 10));
    } else {
      written += line.find("TOKEN_UNKNOWN") != std::string::npos;
      busy += line.find("SERVER_BUSY") != std::string::npos;
    }
  }
  EXPECT_EQ(written + held_back, 2 * kCalls);
  EXPECT_EQ(busy, 2);
}

TEST(LogTest, CallsThatWereServedAreAllWritten) {
  ::testing::internal::CaptureStderr();
  {
    const server::Log log(server::LogFormat::kText);
    server::CallLine line = SomeLine();
    line.code = grpc::StatusCode::OK;
    for (int i = 0; i < 300; ++i) log.Call(line);
  }
  EXPECT_EQ(LinesIn(::testing::internal::GetCapturedStderr()).size(), 300);
}

TEST(LogTest, LinesThatWereHeldBackAreSaidWhileTheServerRuns) {
  using Clock = std::chrono::steady_clock;
  ::testing::internal::CaptureStderr();
  server::Log log(server::LogFormat::kText);
  for (int i = 0; i < 1'000; ++i) log.Event("cut", "cut a connection");
  log.Tick(Clock::now());
  const auto lines = LinesIn(::testing::internal::GetCapturedStderr());
  EXPECT_THAT(lines.back(), ContainsRegex("held back [0-9]+ lines: cut$"));
  ::testing::internal::CaptureStderr();
  log.Tick(Clock::now() + std::chrono::seconds(60));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(CatchAsStatusTest, WhatIsThrownIsLogged) {
  struct Case {
    std::function<void()> thrower;
    grpc::StatusCode code;
    const char* line;
  };
  const Case cases[] = {
      {[] { throw std::bad_alloc(); }, grpc::StatusCode::RESOURCE_EXHAUSTED,
       "exception in a place: std::bad_alloc"},
      {[] { throw std::length_error("long"); },
       grpc::StatusCode::RESOURCE_EXHAUSTED, "exception in a place: long"},
      {[] { throw std::runtime_error("odd"); }, grpc::StatusCode::INTERNAL,
       "exception in a place: odd"},
      {[] { throw 7; }, grpc::StatusCode::INTERNAL,
       "exception in a place: not a std::exception"}};
  for (const Case& c : cases) {
    ::testing::internal::CaptureStderr();
    const server::Log log(server::LogFormat::kErrors);
    const grpc::Status status = server::CatchAsStatus(log, "a place", [&] {
      c.thrower();
      return grpc::Status::OK;
    });
    EXPECT_EQ(status.error_code(), c.code);
    EXPECT_FALSE(server::CatchAndLog(log, "a place", c.thrower));
    const std::string line = std::string("bvhmilld: ") + c.line + "\n";
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), line + line);
    // Peers are told nothing of it.
    EXPECT_THAT(status.error_message(), Not(HasSubstr("odd")));
  }
}

TEST(CatchAsStatusTest, WhatIsThrownOftenIsHeldBack) {
  ::testing::internal::CaptureStderr();
  {
    const server::Log log(server::LogFormat::kErrors);
    for (int i = 0; i < 10'000; ++i) {
      server::CatchAndLog(log, "a place", [] { throw std::bad_alloc(); });
    }
  }
  EXPECT_LT(LinesIn(::testing::internal::GetCapturedStderr()).size(), 200);
}

class CallLogTest : public ServerTest {
 protected:
  // What is written for a call with such metadata, to a server that logs so.
  std::string LinesOf(server::LogFormat format, const std::string& text,
                      const std::string& id, const std::string& trace) {
    ::testing::internal::CaptureStderr();
    Start([&](server::ServerConfig* config) { config->log = format; });
    grpc::ClientContext context;
    context.AddMetadata("x-request-id", id);
    context.AddMetadata("traceparent", trace);
    v1::ConvertClipResponse response;
    status_ = clips_->ConvertClip(&context, PositionsRequest(text), &response);
    for (const auto& [name, value] : context.GetServerInitialMetadata()) {
      const std::string bytes(value.data(), value.size());
      if (name == "x-request-id") id_ = bytes;
      if (name == "traceparent") trace_ = bytes;
    }
    server_->Drain();
    return ::testing::internal::GetCapturedStderr();
  }

  grpc::Status status_;
  std::string id_;
  std::string trace_;
};

TEST_F(CallLogTest, ACallHasOneLine) {
  const std::string log =
      LinesOf(server::LogFormat::kJson, SmallClip(4), "batch_7.take-3", kTrace);
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_THAT(log, HasSubstr("\"request_id\":\"batch_7.take-3\""));
  EXPECT_THAT(log, HasSubstr(std::string("\"traceparent\":\"") + kTrace));
  EXPECT_THAT(log, HasSubstr("\"status\":\"OK\""));
  EXPECT_THAT(log, HasSubstr("\"clips\":1,\"refused_clips\":0,\"frames\":4"));
  EXPECT_EQ(id_, "batch_7.take-3");
  EXPECT_EQ(trace_, kTrace);
}

TEST_F(CallLogTest, OddIdsAreReplaced) {
  std::string trace = kTrace;
  trace[40] = 'G';
  const std::string log =
      LinesOf(server::LogFormat::kText, SmallClip(4), "a b\"c", trace);
  EXPECT_THAT(id_, ContainsRegex("^[0-9a-f]+-[0-9a-f]+$"));
  EXPECT_THAT(log, HasSubstr("id=" + id_));
  EXPECT_EQ(trace_, "");
  EXPECT_THAT(log, Not(HasSubstr("traceparent")));
}

TEST_F(CallLogTest, IdsAreKeptIfTheyAreShortAndPlain) {
  const std::pair<std::string, bool> cases[] = {{std::string(64, 'x'), true},
                                                {std::string(65, 'x'), false},
                                                {"A.z_0-9", true},
                                                {"a:b", false},
                                                {"", false}};
  for (const auto& [id, is_kept] : cases) {
    LinesOf(server::LogFormat::kOff, SmallClip(), id, kTrace);
    EXPECT_EQ(id_ == id, is_kept) << id;
    EXPECT_NE(id_, "") << id;
  }
}

TEST_F(CallLogTest, TracesAreThoseOfTheFirstVersionAndNotZero) {
  const std::string trace(32, 'a');
  const std::string span(16, 'b');
  const std::pair<std::string, bool> cases[] = {
      {"00-" + trace + "-" + span + "-00", true},
      {"00-" + trace + "-" + span + "-ff", true},
      {"01-" + trace + "-" + span + "-00", false},
      {"00-" + std::string(32, '0') + "-" + span + "-00", false},
      {"00-" + trace + "-" + std::string(16, '0') + "-00", false},
      {"00-" + std::string(32, 'A') + "-" + span + "-00", false},
      {"00-" + trace + "-" + span + "-0g", false},
      {"00-" + trace + "_" + span + "-00", false},
      {"00-" + trace + "-" + span + "_00", false},
      {"00-" + trace + "-" + span + "-00-", false},
      {"00-" + trace + "-" + span + "-0", false}};
  for (const auto& [text, is_kept] : cases) {
    trace_.clear();
    LinesOf(server::LogFormat::kOff, SmallClip(), "id", text);
    EXPECT_EQ(trace_, is_kept ? text : "") << text;
  }
}

TEST_F(CallLogTest, BrokenClipsAreNoErrorsOfTheServer) {
  EXPECT_EQ(LinesOf(server::LogFormat::kErrors, "nonsense", "a", kTrace), "");
  EXPECT_FALSE(status_.ok());
}

// A call of a method that no service has.
grpc::StatusCode CallNothing(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const grpc::ByteBuffer request;
  const auto call = stub.PrepareUnaryCall(&context, "/no.such.Service/Method",
                                          request, &queue);
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->StartCall();
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  EXPECT_TRUE(queue.Next(&tag, &ok));
  return status.error_code();
}

// gRPC by itself says nothing of them.
TEST_F(CallLogTest, MethodsThatThereAreNot) {
  ::testing::internal::CaptureStderr();
  Start([](server::ServerConfig* config) {
    config->log = server::LogFormat::kText;
    config->metrics = "127.0.0.1:0";
  });
  EXPECT_EQ(CallNothing(channel_), grpc::StatusCode::UNIMPLEMENTED);
  const auto is_counted = [this] {
    return FetchMetrics(server_->metrics_address())
               .find(
                   "bvhmill_calls_total{method=\"unknown\",code="
                   "\"UNIMPLEMENTED\"} 1\n") != std::string::npos;
  };
  EXPECT_TRUE(Eventually(is_counted));
  server_->Drain();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr(" unknown UNIMPLEMENTED METHOD_UNKNOWN "));
  EXPECT_THAT(log, HasSubstr("there is no method /no.such.Service/Method"));
}

// They had been INVALID_ARGUMENT: that the stream was closed within a clip is
// seen before why.
TEST_F(CallLogTest, ClientsThatGoAwayMadeNoMistake) {
  ::testing::internal::CaptureStderr();
  Start([](server::ServerConfig* config) {
    config->log = server::LogFormat::kText;
  });
  for (const bool by_deadline : {false, true}) {
    grpc::ClientContext context;
    // As a header: this side then keeps no time by itself.
    if (by_deadline) context.AddMetadata("grpc-timeout", "300m");
    const auto stream = clips_->ConvertClips(&context);
    v1::ConvertClipsRequest request;
    request.mutable_begin()->set_key("half");
    stream->Write(request);
    request.set_chunk("HIERARCHY\n");
    stream->Write(request);
    // A call that is cancelled before it is known is nobody's.
    stream->WaitForInitialMetadata();
    if (!by_deadline) context.TryCancel();
    EXPECT_FALSE(stream->Finish().ok());
  }
  server_->Drain();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr(" ConvertClips CANCELLED "));
  EXPECT_THAT(log, HasSubstr(" ConvertClips DEADLINE_EXCEEDED "));
  EXPECT_THAT(log, Not(HasSubstr("STREAM_OUT_OF_ORDER")));
}

TEST_F(CallLogTest, NothingOfAFileIsLoggedButTheExcerpt) {
  std::string clip = SmallClip(3);
  const std::string secret(500, 'q');
  clip.replace(clip.rfind(" 7\n"), 3, " " + secret + "\n");
  const std::string log = LinesOf(server::LogFormat::kJson, clip, "a", kTrace);
  EXPECT_FALSE(status_.ok());
  EXPECT_THAT(log, HasSubstr("\"reason\":\"MOTION_NUMBER_INVALID\""));
  EXPECT_THAT(log, Not(HasSubstr(std::string(81, 'q'))));
}

}  // namespace
}  // namespace bvhmill::testing
