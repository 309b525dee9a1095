#include "server/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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
