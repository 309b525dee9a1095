// The lines that calls write to the log of a server.

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  // The log lines of a call with metadata at a server with log `format`.
  std::string LinesOf(server::LogFormat format, const std::string& text,
                      const std::string& id, const std::string& trace) {
    request_ = PositionsRequest(text);
    return LinesOf(format, id, trace);
  }

  // The same for request_.
  std::string LinesOf(server::LogFormat format, const std::string& id,
                      const std::string& trace) {
    ::testing::internal::CaptureStderr();
    Start([&](server::ServerConfig* config) { config->log = format; });
    grpc::ClientContext context;
    context.AddMetadata("x-request-id", id);
    context.AddMetadata("traceparent", trace);
    v1::ConvertClipResponse response;
    status_ = clips_->ConvertClip(&context, request_, &response);
    for (const auto& [name, value] : context.GetServerInitialMetadata()) {
      const std::string bytes(value.data(), value.size());
      if (name == "x-request-id") id_ = bytes;
      if (name == "traceparent") trace_ = bytes;
    }
    server_->Drain();
    return ::testing::internal::GetCapturedStderr();
  }

  v1::ConvertClipRequest request_;
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
  EXPECT_TRUE(status_.ok());
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

// The caller gets the report; the log has the first fault.
TEST_F(CallLogTest, AtMost80BytesOfABrokenFileAreLogged) {
  std::string clip = SmallClip(3);
  const std::string secret(500, 'q');
  clip.replace(clip.rfind(" 7\n"), 3, " " + secret + "\n");
  const std::string log = LinesOf(server::LogFormat::kJson, clip, "a", kTrace);
  EXPECT_TRUE(status_.ok());
  EXPECT_THAT(log, HasSubstr("\"clips\":1,\"refused_clips\":1"));
  EXPECT_LE(std::count(log.begin(), log.end(), 'q'), 80 + 1)
      << "the q of request_id is one";
}

struct BrokenCallCase {
  server::LogFormat format;
  // Parts of the lines of the clip and of the call; empty = there is no line.
  std::vector<std::string> clip;
  std::string call;
};

// The second of three rows lacks a number.
TEST_F(CallLogTest, ABrokenFileHasALineOfItsOwn) {
  using server::LogFormat;
  std::string text = SmallClip(3);
  const size_t row_end = text.rfind('\n', text.size() - 2);
  text.erase(text.rfind(' ', row_end), row_end - text.rfind(' ', row_end));
  const std::string line =
      std::to_string(std::count(text.begin(), text.end(), '\n') - 1);
  const BrokenCallCase cases[] = {
      {LogFormat::kText,
       {" clip INVALID_ARGUMENT MOTION_ROW_TOO_SHORT id=a peer=ipv4:127.0.0.1:",
        " key=takes/walk.bvh line=" + line + " column="},
       " ConvertClip OK "},
      {LogFormat::kJson,
       {"\"about\":\"clip\",\"request_id\":\"a\",\"peer\":",
        "\"key\":\"takes/walk.bvh\",\"status\":\"INVALID_ARGUMENT\","
        "\"reason\":\"MOTION_ROW_TOO_SHORT\",\"line\":" +
            line + ",\"column\":"},
       "\"clips\":1,\"refused_clips\":1"},
      {LogFormat::kErrors, {}, ""},
      {LogFormat::kOff, {}, ""}};
  for (const BrokenCallCase& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.format));
    request_ = PositionsRequest(text);
    request_.mutable_source()->set_display_name("takes/walk.bvh");
    const auto lines = LinesIn(LinesOf(c.format, "a", kTrace));
    ASSERT_EQ(lines.size(), c.clip.empty() ? 0 : 2);
    if (lines.empty()) continue;
    for (const std::string& part : c.clip) {
      EXPECT_THAT(lines[0], HasSubstr(part));
    }
    EXPECT_THAT(lines[1], HasSubstr(c.call));
  }
}

// Two joints are too few for the map of an avatar.
TEST_F(CallLogTest, AnOutputThatCannotBeMadeHasALine) {
  request_ = PositionsRequest(SmallClip());
  request_.mutable_options()->add_outputs()->mutable_anim();
  const auto lines = LinesIn(LinesOf(server::LogFormat::kText, "a", kTrace));
  ASSERT_EQ(lines.size(), 2);
  EXPECT_THAT(lines[0], HasSubstr(" output FAILED_PRECONDITION "));
  EXPECT_THAT(lines[0], HasSubstr(" output=1: "));
  EXPECT_THAT(lines[1], HasSubstr(" clips=1 refused=0 "));
}

// A clip of a stream that is refused before it is read, one whose file is
// broken, and a good one.
TEST_F(CallLogTest, EachRefusedClipOfAStreamHasALine) {
  using server::LogFormat;
  const std::string refused = " clip RESOURCE_EXHAUSTED LIMIT_EXCEEDED ";
  const std::string broken = " clip INVALID_ARGUMENT TEXT_EMPTY ";
  const std::string call = " ConvertClips OK ";
  const std::pair<LogFormat, std::vector<std::string>> cases[] = {
      {LogFormat::kText, {refused, broken, call}},
      // A limit of the server, not a fault of the file.
      {LogFormat::kErrors, {refused}},
      {LogFormat::kOff, {}}};
  for (const auto& [format, expected] : cases) {
    SCOPED_TRACE(static_cast<int>(format));
    ::testing::internal::CaptureStderr();
    Start([format = format](server::ServerConfig* config) {
      config->log = format;
      config->limits.max_clip_bytes = 1000;
    });
    grpc::ClientContext context;
    const auto stream = clips_->ConvertClips(&context);
    v1::ConvertClipsRequest request;
    *request.mutable_open()->mutable_options() = PositionsRequest("").options();
    request.mutable_open()->set_ordered(true);
    stream->Write(request);
    const std::pair<std::string, std::string> clips[] = {
        {"large", std::string(1001, ' ')},
        {"empty", " "},
        {"good", SmallClip()}};
    for (const auto& [key, text] : clips) {
      request.mutable_begin()->set_key(key);
      request.mutable_begin()->mutable_source()->set_data(text);
      request.mutable_begin()->set_complete(true);
      stream->Write(request);
    }
    stream->WritesDone();
    v1::ConvertClipsResponse response;
    while (stream->Read(&response)) {
    }
    EXPECT_TRUE(stream->Finish().ok());
    server_->Drain();
    const auto lines = LinesIn(::testing::internal::GetCapturedStderr());
    ASSERT_EQ(lines.size(), expected.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_THAT(lines[i], HasSubstr(expected[i]));
    }
    if (format != LogFormat::kText) continue;
    EXPECT_THAT(lines[0], HasSubstr(" key=large: "));
    EXPECT_THAT(lines[1], HasSubstr(" key=empty line=1 column=1: "));
    EXPECT_THAT(lines[2], HasSubstr(" clips=3 refused=2 frames=2 "));
  }
}

// A call that fails has a line of its own, so its clip has none.
TEST_F(CallLogTest, AClipThatFailsItsCallHasOneLine) {
  ::testing::internal::CaptureStderr();
  Start([](server::ServerConfig* config) {
    config->log = server::LogFormat::kText;
    config->limits.max_clip_work = 1;
    config->limits.max_clip_work_per_byte = 0;
  });
  grpc::ClientContext context;
  v1::ConvertClipResponse response;
  EXPECT_EQ(
      clips_->ConvertClip(&context, PositionsRequest(SmallClip(500)), &response)
          .error_code(),
      grpc::StatusCode::RESOURCE_EXHAUSTED);
  server_->Drain();
  const auto lines = LinesIn(::testing::internal::GetCapturedStderr());
  ASSERT_EQ(lines.size(), 1);
  EXPECT_THAT(lines[0],
              HasSubstr(" ConvertClip RESOURCE_EXHAUSTED LIMIT_EXCEEDED "));
  EXPECT_THAT(lines[0], HasSubstr(" clips=1 refused=1 "));
}

}  // namespace
}  // namespace bvhmill::testing
