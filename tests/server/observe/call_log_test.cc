// The lines that calls write to the log of a server.

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "server/app/config.h"
#include "server/observe/log.h"
#include "tests/server/fixture.h"
#include "tests/server/observe/log_lines.h"

namespace bvhmill::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class CallLogTest : public ServerTest {
 protected:
  // The log lines of a call with metadata `text` at a server with log `format`.
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
TEST_F(CallLogTest, UnknownMethods) {
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
TEST_F(CallLogTest, CancelledCallsAreNoErrors) {
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
    // A call that is cancelled before it is known has no caller in the log.
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
