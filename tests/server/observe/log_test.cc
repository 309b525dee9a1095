#include "server/observe/log.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "server/observe/metrics.h"
#include "tests/server/observe/log_lines.h"

namespace bvhmill::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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
  // Text from outside is cut at 80 bytes.
  EXPECT_THAT(line, Not(HasSubstr(std::string(80, 'x'))));
}

TEST(LogTest, ATextLineSaysTheSame) {
  const std::string line = TextLine(SomeLine(), {});
  EXPECT_THAT(
      line, StartsWith("1970-01-01T00:00:00.000Z ConvertClip "
                       "INVALID_ARGUMENT HIERARCHY_X 12.000 ms "
                       "id=id-1 peer=ipv4:127.0.0.1:9 clips=2 "
                       "refused=0 frames=30 received=400 sent=0: a \"quote\""));
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
            "peer=ipv4:127.0.0.1:9 clips=2 refused=6 frames=30 received=400 "
            "sent=500 traceparent=" +
                std::string(kTrace) + ": why");
}

// A status with a reason, and with a place in the file if that is not empty.
absl::Status Fault(absl::StatusCode code, const std::string& reason,
                   ErrorArgs place, const std::string& message) {
  return MakeCallError({.code = code,
                        .reason = reason,
                        .args = std::move(place),
                        .message = message});
}

struct ClipLineCase {
  server::ClipLine line;
  std::string text;
  std::string json;
};

TEST(LogTest, LinesOfClips) {
  using Code = absl::StatusCode;
  const ClipLineCase cases[] = {
      {{.id = "id-1",
        .peer = "ipv4:127.0.0.1:9",
        .caller = "ann",
        .key = "walk",
        .status = Fault(Code::kInvalidArgument, "MOTION_ROW_TOO_SHORT",
                        {{"expected", "6"}, {"line", "12"}, {"column", "5"}},
                        "12:5: error")},
       "clip INVALID_ARGUMENT MOTION_ROW_TOO_SHORT id=id-1 caller=ann "
       "peer=ipv4:127.0.0.1:9 key=walk line=12 column=5: 12:5: error",
       "\"about\":\"clip\",\"request_id\":\"id-1\",\"caller\":\"ann\","
       "\"peer\":\"ipv4:127.0.0.1:9\",\"key\":\"walk\","
       "\"status\":\"INVALID_ARGUMENT\","
       "\"reason\":\"MOTION_ROW_TOO_SHORT\",\"line\":12,\"column\":5,"
       "\"message\":\"12:5: error\""},
      {{.id = "id-2",
        .peer = "unix:",
        .output = 0,
        .status = Fault(Code::kFailedPrecondition, "OUTPUT_IMPOSSIBLE", {},
                        "too many joints")},
       "output FAILED_PRECONDITION OUTPUT_IMPOSSIBLE id=id-2 peer=unix: "
       "output=0: too many joints",
       "\"about\":\"output\",\"request_id\":\"id-2\",\"peer\":\"unix:\","
       "\"output\":0,\"status\":\"FAILED_PRECONDITION\","
       "\"reason\":\"OUTPUT_IMPOSSIBLE\",\"message\":\"too many joints\""},
      {{.caller = "bob",
        .job = "jobs/j1",
        .key = "a \"b\"\n",
        .status = Fault(Code::kInternal, "ITEM_SET_ASIDE", {}, "given up")},
       "item INTERNAL ITEM_SET_ASIDE caller=bob job=jobs/j1 key=a \"b\"\\x0A: "
       "given up",
       "\"about\":\"item\",\"caller\":\"bob\",\"job\":\"jobs/j1\","
       "\"key\":\"a \\\"b\\\"\\\\x0A\",\"status\":\"INTERNAL\","
       "\"reason\":\"ITEM_SET_ASIDE\",\"message\":\"given up\""},
      // A status without a reason; a place that is no number.
      {{.id = "id-3",
        .key = "k",
        .status = Fault(Code::kAlreadyExists, "", {{"line", "x"}}, "why")},
       "clip ALREADY_EXISTS id=id-3 key=k: why",
       "\"about\":\"clip\",\"request_id\":\"id-3\",\"key\":\"k\","
       "\"status\":\"ALREADY_EXISTS\",\"message\":\"why\""}};
  for (const ClipLineCase& c : cases) {
    EXPECT_EQ(TextLine(c.line, {}), "1970-01-01T00:00:00.000Z " + c.text);
    EXPECT_EQ(JsonLine(c.line, {}),
              "{\"time\":\"1970-01-01T00:00:00.000Z\"," + c.json + "}");
  }
}

TEST(LogTest, TextOfAClipIsCutAt80Bytes) {
  const std::string text(300, 'q');
  server::ClipLine line;
  line.key = text;
  line.status = Fault(absl::StatusCode::kInvalidArgument, "R", {}, text);
  for (const std::string& out : {TextLine(line, {}), JsonLine(line, {})}) {
    EXPECT_THAT(out, HasSubstr(std::string(80, 'q')));
    EXPECT_THAT(out, Not(HasSubstr(std::string(81, 'q'))));
  }
}

// The lines that a log writes for a result with this status, and with outputs
// of these statuses.
std::vector<std::string> LinesOfResult(
    server::LogFormat format, const absl::Status& status,
    const std::vector<absl::Status>& outputs) {
  ConvertResult result;
  result.status = status;
  for (const absl::Status& output : outputs) {
    result.outputs.emplace_back().status = output;
  }
  ::testing::internal::CaptureStderr();
  LogClip(result, {.key = "walk"}, server::Log(format));
  return LinesIn(::testing::internal::GetCapturedStderr());
}

TEST(LogTest, AResultHasALineIfOutputsAreMissing) {
  using server::LogFormat;
  const absl::Status ok;
  const absl::Status broken = absl::InvalidArgumentError("");
  const absl::Status busy = absl::ResourceExhaustedError("");
  const absl::Status gone = absl::CancelledError("");
  const struct {
    LogFormat format;
    absl::Status status;
    std::vector<absl::Status> outputs;
    size_t lines;
  } cases[] = {{LogFormat::kText, ok, {ok, ok}, 0},
               {LogFormat::kText, ok, {broken, ok, broken}, 2},
               {LogFormat::kText, broken, {}, 1},
               {LogFormat::kJson, broken, {}, 1},
               {LogFormat::kJson, busy, {}, 1},
               {LogFormat::kText, gone, {}, 0},
               {LogFormat::kErrors, broken, {}, 0},
               {LogFormat::kErrors, ok, {broken}, 0},
               {LogFormat::kErrors, busy, {}, 1},
               {LogFormat::kOff, broken, {}, 0},
               {LogFormat::kOff, busy, {}, 0}};
  for (const auto& c : cases) {
    EXPECT_EQ(LinesOfResult(c.format, c.status, c.outputs).size(), c.lines)
        << static_cast<int>(c.format) << " " << c.status;
  }
}

TEST(LogTest, AFloodOfBrokenClipsIsCountedNotWritten) {
  constexpr int kClips = 10'000;
  ::testing::internal::CaptureStderr();
  {
    const server::Log log(server::LogFormat::kText);
    ConvertResult result;
    result.status =
        Fault(absl::StatusCode::kInvalidArgument, "TEXT_EMPTY", {}, "");
    for (int i = 0; i < kClips; ++i) LogClip(result, {.id = "x"}, log);
  }
  const auto lines = LinesIn(::testing::internal::GetCapturedStderr());
  const std::string held = "bvhmilld: held back " +
                           std::to_string(kClips + 1 - lines.size()) +
                           " lines: clip INVALID_ARGUMENT TEXT_EMPTY";
  EXPECT_EQ(lines.back(), held);
  // A burst of 50; some more if it takes seconds.
  EXPECT_GE(lines.size(), 51);
  EXPECT_LT(lines.size(), 200);
}

// Faults of the server and refused calls.
TEST(LogTest, ALogOfErrorsHasTheseCodesAlone) {
  using Code = absl::StatusCode;
  const std::vector<Code> errors = {
      Code::kUnknown,          Code::kInternal,        Code::kDataLoss,
      Code::kUnavailable,      Code::kUnauthenticated, Code::kPermissionDenied,
      Code::kResourceExhausted};
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

TEST(LogTest, AFloodOfRefusalsIsCountedNotWritten) {
  ::testing::internal::CaptureStderr();
  constexpr int kCalls = 10'000;
  for (const auto format :
       {server::LogFormat::kErrors, server::LogFormat::kJson}) {
    server::Log log(format);
    server::CallLine line = SomeLine();
    line.code = absl::StatusCode::kUnauthenticated;
    line.reason = "TOKEN_UNKNOWN";
    for (int i = 0; i < kCalls; ++i) log.Call(line);
    // Another kind is not held back for it.
    line.code = absl::StatusCode::kResourceExhausted;
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
    line.code = absl::StatusCode::kOk;
    for (int i = 0; i < 300; ++i) log.Call(line);
  }
  EXPECT_EQ(LinesIn(::testing::internal::GetCapturedStderr()).size(), 300);
}

TEST(LogTest, HeldBackLinesAreCountedWhileTheServerRuns) {
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

}  // namespace
}  // namespace bvhmill::testing
