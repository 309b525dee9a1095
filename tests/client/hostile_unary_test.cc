// The client library against servers that answer unary calls with bytes that
// they may not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "client/cpp/client.h"
#include "tests/client/fake_server.h"
#include "tests/client/stream_cases.h"
#include "tests/client/timeout.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {

struct UnaryCase {
  const char* name;
  // The bytes of the response. No response is sent if the status is not OK.
  std::string bytes;
  grpc::Status status;
  // The expected code of the result, whose message contains `why`.
  absl::StatusCode code;
  const char* why = "";
};

void PrintTo(const UnaryCase& unary, std::ostream* out) { *out << unary.name; }

namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

std::string Converted(const std::string& result) {
  return ParseText<v1::ConvertClipResponse>(
             "result { report { verdict: VERDICT_VALID } " + result + " }")
      .SerializeAsString();
}

std::string Output(const std::string& fields) {
  return Converted("outputs { id: 'csv' " + fields + " }");
}

grpc::Status Error(grpc::StatusCode code, const char* message) {
  return {code, message};
}

std::vector<UnaryCase> ConvertCases() {
  return {
      {"Good", Output("data: '1234' size_bytes: 4"), {}, kOk},
      {"Empty", "", {}, kBroken, "0 outputs, asked for 1"},
      {"NoOutputs", Converted(""), {}, kBroken, "0 outputs, asked for 1"},
      {"AnotherOutput",
       Converted("outputs { id: 'npz' data: '1' size_bytes: 1 }"),
       {},
       kBroken,
       "output 0 is 'npz', not 'csv'"},
      {"TooManyOutputs",
       Converted("outputs { id: 'csv' } outputs { id: 'csv' }"),
       {},
       kBroken,
       "2 outputs, asked for 1"},
      {"SizeTooSmall",
       Output("data: '1234' size_bytes: 3"),
       {},
       kBroken,
       "has 4 bytes, not 3"},
      {"SizeTooLarge",
       Output("data: '1234' size_bytes: 5"),
       {},
       kBroken,
       "has 4 bytes, not 5"},
      {"SizeNotKnown",
       Output("data: '1234' size_bytes: -1"),
       {},
       kBroken,
       "has 4 bytes, not -1"},
      {"ShapeOfOtherBytes",
       Output("data: '1234' size_bytes: 4 tensor { shape: 2 }"),
       {},
       kBroken,
       "shape"},
      {"NoReport",
       ParseText<v1::ConvertClipResponse>(
           "result { outputs { id: 'csv' data: '1' size_bytes: 1 } }")
           .SerializeAsString(),
       {},
       kBroken,
       "without a report"},
      {"FailedResult",
       Converted("status { code: 9 message: 'it cannot hold it' }"),
       {},
       absl::StatusCode::kFailedPrecondition,
       "it cannot hold it"},
      {"Garbage", "\xff\xff\xff\xff", {}, kBroken, "cannot be read"},
      {"Truncated",
       Output("data: '1234' size_bytes: 4").substr(0, 9),
       {},
       kBroken},
  };
}

// Calls that end with an error instead of a response.
std::vector<UnaryCase> RefusedCases() {
  return {
      {"Denied", "", Error(grpc::StatusCode::PERMISSION_DENIED, "not you"),
       absl::StatusCode::kPermissionDenied, "not you"},
      {"MessageThatWouldMoveACursor", "",
       Error(grpc::StatusCode::DATA_LOSS, "\x1b[2J"),
       absl::StatusCode::kDataLoss, "\\x1B[2J"},
      {"MessageThatWouldTurnTheText", "",
       Error(grpc::StatusCode::DATA_LOSS, "\xE2\x80\xAE"),
       absl::StatusCode::kDataLoss, "\\xE2\\x80\\xAE"},
  };
}

std::vector<UnaryCase> ValidateCases() {
  const auto valid = [](const std::string& result) {
    return ParseText<v1::ValidateClipResponse>("result { " + result + " }")
        .SerializeAsString();
  };
  return {
      {"Good", valid("report { verdict: VERDICT_VALID }"), {}, kOk},
      // A check that says nothing is not one that passed.
      {"Empty", "", {}, kBroken, "without a report"},
      {"NoReport",
       valid("info { frames: 1 }"),
       {},
       kBroken,
       "without a report"},
      {"FailedResult",
       valid("status { code: 8 message: 'too large' }"),
       {},
       absl::StatusCode::kResourceExhausted,
       "too large"},
      {"Garbage", "\x0a\xff\xff\xff\x7f", {}, kBroken, "cannot be read"},
      // All that was read of it is good.
      {"BytesAfterTheResult",
       valid("report { verdict: VERDICT_VALID }") + "\x0a\x7f",
       {},
       kBroken,
       "cannot be read"},
      {"AnotherMessage", InfoBytes("max_joints: 3"), {}, kBroken},
      {"Denied", "", Error(grpc::StatusCode::UNAUTHENTICATED, "who?"),
       absl::StatusCode::kUnauthenticated, "who?"},
  };
}

// Answers `method` as `unary` says, and all others with UNIMPLEMENTED.
FakeServer::Handler UnaryHandler(const UnaryCase& unary) {
  return [unary](FakeCall* call) -> grpc::Status {
    call->Read();
    if (call->method() == "GetServerInfo") {
      call->Write(InfoBytes(""));
      return grpc::Status::OK;
    }
    if (unary.status.ok()) call->Write(unary.bytes);
    return unary.status;
  };
}

std::unique_ptr<client::Client> ConnectUnary(
    const FakeServer& server,
    milliseconds answer_timeout = std::chrono::seconds(30)) {
  client::ConnectOptions options;
  options.server = server.address();
  options.answer_timeout = answer_timeout;
  auto client = client::Client::Connect(options);
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? *std::move(client) : nullptr;
}

ConvertOptions Csv() {
  ConvertOptions options;
  options.outputs = {{"", CsvFormat{}}};
  return options;
}

void Expect(const UnaryCase& unary, const ConvertResult& result) {
  EXPECT_EQ(result.status.code(), unary.code) << result.status;
  EXPECT_THAT(std::string(MessageOf(result.status)), HasSubstr(unary.why));
}

std::string UnaryNameOf(const ::testing::TestParamInfo<UnaryCase>& info) {
  return info.param.name;
}

class HostileConvertTest : public ::testing::TestWithParam<UnaryCase> {};
INSTANTIATE_TEST_SUITE_P(Unary, HostileConvertTest,
                         ::testing::ValuesIn(ConvertCases()), &UnaryNameOf);
INSTANTIATE_TEST_SUITE_P(Refused, HostileConvertTest,
                         ::testing::ValuesIn(RefusedCases()), &UnaryNameOf);

TEST_P(HostileConvertTest, EndsAsItMust) {
  FakeServer server(UnaryHandler(GetParam()));
  const auto client = ConnectUnary(server);
  ASSERT_NE(client, nullptr);
  CancelToken cancel;
  const Watch watch(&cancel);
  StringReceiver receiver;
  Expect(GetParam(),
         client->Convert("clip", {"text"}, Csv(), &receiver, &cancel));
  if (GetParam().code == kOk) {
    EXPECT_THAT(receiver.data(), ::testing::ElementsAre("1234"));
  }
  EXPECT_EQ(server.calls("ConvertClip"), 1);
  // A refused clip is not sent again.
  EXPECT_EQ(server.calls("ValidateClip"), 0);
}

// By itself: tables of cases are made in every process, and this is large.
TEST(HostileUnary, AnswersThatAreTooLargeAreRefused) {
  const UnaryCase unary = {
      "",
      Output("data: '" + std::string(140 << 20, 'x') + "'"),
      {},
      absl::StatusCode::kResourceExhausted,
      "larger than max"};
  FakeServer server(UnaryHandler(unary));
  const auto client = ConnectUnary(server);
  ASSERT_NE(client, nullptr);
  StringReceiver receiver;
  Expect(unary, client->Convert("clip", {"text"}, Csv(), &receiver, nullptr));
}

class HostileValidateTest : public ::testing::TestWithParam<UnaryCase> {};
INSTANTIATE_TEST_SUITE_P(Unary, HostileValidateTest,
                         ::testing::ValuesIn(ValidateCases()), &UnaryNameOf);

TEST_P(HostileValidateTest, EndsAsItMust) {
  FakeServer server(UnaryHandler(GetParam()));
  const auto client = ConnectUnary(server);
  ASSERT_NE(client, nullptr);
  CancelToken cancel;
  const Watch watch(&cancel);
  Expect(GetParam(), client->Validate("clip", {"text"}, {}, &cancel));
  EXPECT_EQ(server.calls("ValidateClip"), 1);
}

// Strings of reports reach terminals, too.
TEST(HostileUnary, ReportsAreMadePrintable) {
  const UnaryCase unary = {
      "",
      ParseText<v1::ValidateClipResponse>(
          R"(result { report { verdict: VERDICT_INVALID issues {
               code: 'A\033[2J' message: 'b\nc\177' } }
             info { joints { name: 'Hips' channels: 'x\033y' } } })")
          .SerializeAsString(),
      {},
      kOk};
  FakeServer server(UnaryHandler(unary));
  const auto client = ConnectUnary(server);
  ASSERT_NE(client, nullptr);
  const ConvertResult result = client->Validate("clip", {"text"}, {}, nullptr);
  ASSERT_EQ(result.report.issues.size(), 1u);
  EXPECT_EQ(result.report.issues[0].code, "A\\x1B[2J");
  EXPECT_EQ(result.report.issues[0].message, "b\\x0Ac\\x7F");
  EXPECT_EQ(result.info.joints[0].channels, "x\\x1By");
}

// Numbers of joints that lead nowhere are handed on; users look at them.
TEST(HostileUnary, OddJointsAreTaken) {
  const UnaryCase unary = {
      "",
      ParseText<v1::ValidateClipResponse>(
          R"(result { report { verdict: VERDICT_VALID } info {
               frames: -5 joint_count: -1
               joints { parent: 0 } joints { parent: 2147483647 }
               joints { parent: -2147483648 offset: [1, 2, 3, 4, 5] } } })")
          .SerializeAsString(),
      {},
      kOk};
  FakeServer server(UnaryHandler(unary));
  const auto client = ConnectUnary(server);
  ASSERT_NE(client, nullptr);
  const ConvertResult result = client->Validate("clip", {"text"}, {}, nullptr);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.info.joints.size(), 3u);
}

TEST(HostileUnary, SilentServersTimeOut) {
  FakeServer server([](FakeCall* call) {
    call->Read();
    if (call->method() == "GetServerInfo") {
      call->Write(InfoBytes(""));
      return grpc::Status::OK;
    }
    call->BeSilent();
    return grpc::Status::OK;
  });
  const auto client = ConnectUnary(server, kAnswerTimeout);
  ASSERT_NE(client, nullptr);
  CancelToken cancel;
  const Watch watch(&cancel);
  StringReceiver receiver;
  for (const ConvertResult& result :
       {client->Convert("clip", {"text"}, Csv(), &receiver, &cancel),
        client->Validate("clip", {"text"}, {}, &cancel)}) {
    EXPECT_EQ(result.status.code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_THAT(std::string(MessageOf(result.status)),
                HasSubstr("silent for more than 1000 ms"));
  }
  EXPECT_FALSE(cancel.IsCancelled());
}

struct InfoCase {
  const char* name;
  std::string bytes;
  grpc::Status status;
  absl::StatusCode code;
};

// The first call of a client.
TEST(HostileUnary, ConnectReportsTheReason) {
  const InfoCase cases[] = {
      {"good", InfoBytes("max_joints: 3"), {}, kOk},
      {"garbage", "\xff\xff\xff", {}, kBroken},
      {"nothing", "", {}, kBroken},
      {"denied", "", Error(grpc::StatusCode::UNAUTHENTICATED, "who?"),
       absl::StatusCode::kUnauthenticated},
      {"gone", "", Error(grpc::StatusCode::UNAVAILABLE, "no"),
       absl::StatusCode::kUnavailable},
      {"another service", "", Error(grpc::StatusCode::UNIMPLEMENTED, "no"),
       absl::StatusCode::kUnimplemented},
  };
  for (const InfoCase& info : cases) {
    FakeServer server([&](FakeCall* call) {
      call->Read();
      if (info.status.ok()) call->Write(info.bytes);
      return info.status;
    });
    client::ConnectOptions options;
    options.server = server.address();
    const auto client = client::Client::Connect(options);
    EXPECT_EQ(client.status().code(), info.code) << info.name;
    EXPECT_EQ(CallErrorOf(client.status()).reason == client::kServerUnreachable,
              info.code == absl::StatusCode::kUnavailable)
        << info.name;
  }
}

TEST(HostileUnary, ConnectTimesOutOnASilentServer) {
  FakeServer server([](FakeCall* call) {
    call->BeSilent();
    return grpc::Status::OK;
  });
  client::ConnectOptions options;
  options.server = server.address();
  options.connect_timeout = milliseconds(500);
  const auto client = client::Client::Connect(options);
  EXPECT_EQ(client.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(MessageOf(client.status())),
              HasSubstr("no answer in time"));
}

// Limits that no server of ours has.
TEST(HostileUnary, OddLimitsAreAccepted) {
  const char* limits[] = {
      "max_request_message_bytes: -1 recommended_chunk_bytes: -1 "
      "max_unary_response_bytes: -1 max_output_bytes: -1",
      "max_request_message_bytes: 9223372036854775807 "
      "recommended_chunk_bytes: 9223372036854775807",
      "max_clip_bytes: -9223372036854775808",
  };
  for (const char* text : limits) {
    FakeServer server([&](FakeCall* call) {
      call->Read();
      call->Write(call->method() == "GetServerInfo"
                      ? InfoBytes(text)
                      : Output("data: '1234' size_bytes: 4"));
      return grpc::Status::OK;
    });
    const auto client = ConnectUnary(server);
    ASSERT_NE(client, nullptr);
    StringReceiver receiver;
    const ConvertResult result =
        client->Convert("clip", {"text"}, Csv(), &receiver, nullptr);
    EXPECT_TRUE(result.status.ok()) << text << ": " << result.status;
  }
}

}  // namespace
}  // namespace bvhmill::testing
