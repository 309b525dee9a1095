// The client library against servers that break the protocol of ConvertClips:
// each clip ends with a result or with an error that says why, in bounded time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "bvhmill/base/status.h"
#include "client/cpp/client.h"
#include "tests/client/fake_server.h"
#include "tests/client/stream_cases.h"
#include "tests/client/timeout.h"

namespace bvhmill::testing {

void PrintTo(const StreamCase& stream, std::ostream* out) {
  *out << stream.name;
}

namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Takes the first output.
class FirstOutput final : public OutputReceiver {
 public:
  absl::Status Begin(const ClipInfo& /*info*/,
                     std::span<const OutputInfo> /*outputs*/) override {
    return absl::OkStatus();
  }
  absl::Status Data(size_t /*output*/, std::string_view bytes) override {
    data += bytes;
    return absl::OkStatus();
  }
  std::string data;
};

// A server that answers each clip of a stream by `answer`. It accepts no clip
// in one message.
FakeServer::Handler StreamHandler(
    std::function<grpc::Status(FakeCall*)> answer) {
  return [answer = std::move(answer)](FakeCall* call) {
    if (call->method() == "GetServerInfo") {
      call->Read();
      call->Write(
          InfoBytes("max_unary_response_bytes: 1 max_output_bytes: 100000"));
      return grpc::Status::OK;
    }
    while (call->Read()) {
    }
    return answer(call);
  };
}

ConvertOptions Positions() {
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}};
  return options;
}

std::unique_ptr<client::Client> Connect(
    const FakeServer& server, milliseconds answer_timeout = kAnswerTimeout) {
  client::ConnectOptions options;
  options.server = server.address();
  options.answer_timeout = answer_timeout;
  options.busy_timeout = milliseconds(2000);
  auto client = client::Client::Connect(options);
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? *std::move(client) : nullptr;
}

class HostileStreamTest : public ::testing::TestWithParam<StreamCase> {};

std::string NameOf(const ::testing::TestParamInfo<StreamCase>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Good, HostileStreamTest,
                         ::testing::ValuesIn(GoodCases()), &NameOf);
INSTANTIATE_TEST_SUITE_P(Order, HostileStreamTest,
                         ::testing::ValuesIn(OrderCases()), &NameOf);
INSTANTIATE_TEST_SUITE_P(Content, HostileStreamTest,
                         ::testing::ValuesIn(ContentCases()), &NameOf);
INSTANTIATE_TEST_SUITE_P(Endless, HostileStreamTest,
                         ::testing::ValuesIn(EndlessCases()), &NameOf);
INSTANTIATE_TEST_SUITE_P(Status, HostileStreamTest,
                         ::testing::ValuesIn(StatusCases()), &NameOf);

TEST_P(HostileStreamTest, EndsAsItMust) {
  FakeServer server(StreamHandler(GetParam().answer));
  const auto client = Connect(server, GetParam().timeout);
  ASSERT_NE(client, nullptr);
  CancelToken cancel;
  const Watch watch(&cancel);
  FirstOutput output;
  const ConvertResult result =
      client->Convert("clip", {"text"}, Positions(), &output, &cancel);
  EXPECT_EQ(result.status.code(), GetParam().code) << result.status;
  EXPECT_THAT(std::string(MessageOf(result.status)), HasSubstr(GetParam().why));
  EXPECT_FALSE(cancel.IsCancelled()) << "it would have waited for ever";
  if (GetParam().code == kOk) {
    EXPECT_EQ(output.data, GetParam().data);
  }
  // A receiver that has got a part cannot take the clip again.
  EXPECT_EQ(server.calls("ConvertClips"), 1);
}

// The same client goes on with the next clip.
TEST_P(HostileStreamTest, LosesNoOtherClip) {
  std::atomic<int> streams = 0;
  FakeServer server(StreamHandler([&](FakeCall* call) {
    if (streams++ == 0) return GetParam().answer(call);
    return Send(GoodAnswer())(call);
  }));
  const auto client = Connect(server, GetParam().timeout);
  ASSERT_NE(client, nullptr);
  CancelToken cancel;
  const Watch watch(&cancel);
  FirstOutput first;
  client->Convert("first", {"text"}, Positions(), &first, &cancel);
  FirstOutput second;
  const ConvertResult result =
      client->Convert("second", {"text"}, Positions(), &second, &cancel);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(second.data, "123456789012");
}

// Two outputs whose names are exchanged would go to each other's files.
TEST(HostileStream, OutputsInAnotherOrderAreRefused) {
  FakeServer server(
      StreamHandler(Send({Begin("outputs { id: 'b' } outputs { id: 'a' }")})));
  const auto client = Connect(server);
  ASSERT_NE(client, nullptr);
  ConvertOptions options;
  options.outputs = {{"a", CsvFormat{}}, {"b", CsvFormat{}}};
  FirstOutput output;
  const ConvertResult result =
      client->Convert("clip", {"text"}, options, &output, nullptr);
  EXPECT_EQ(result.status.code(), kBroken) << result.status;
}

// A server that does not read an upload counts as silent, too.
TEST(HostileStream, AnUploadThatIsNotReadEnds) {
  FakeServer server([](FakeCall* call) {
    if (call->method() == "GetServerInfo") {
      call->Read();
      call->Write(
          InfoBytes("max_unary_response_bytes: 1 "
                    "recommended_chunk_bytes: 4611686018427387904"));
      return grpc::Status::OK;
    }
    call->BeSilent();
    return grpc::Status::OK;
  });
  const auto client = Connect(server);
  ASSERT_NE(client, nullptr);
  const std::string text(size_t{40} << 20, 'x');
  CancelToken cancel;
  const Watch watch(&cancel);
  FirstOutput output;
  const ConvertResult result =
      client->Convert("clip", {text}, Positions(), &output, &cancel);
  EXPECT_EQ(result.status.code(), kSilent) << result.status;
}

// A slow line: the server reads, so it is not silent.
TEST(HostileStream, AnUploadThatIsReadSlowlyGoesOn) {
  constexpr int kSlowPieces = 24;
  constexpr milliseconds kPause(50);
  FakeServer server([](FakeCall* call) {
    if (call->method() == "GetServerInfo") {
      call->Read();
      call->Write(InfoBytes("recommended_chunk_bytes: 2097152"));
      return grpc::Status::OK;
    }
    // Then fast, since the last bytes wait in buffers.
    for (int i = 0; call->Read(); ++i) {
      if (i < kSlowPieces) call->Sleep(kPause);
    }
    return Send(GoodAnswer())(call);
  });
  const auto client = Connect(server, kSlowPieces * kPause / 2);
  ASSERT_NE(client, nullptr);
  const std::string text(size_t{64} << 20, 'x');
  FirstOutput output;
  const ConvertResult result =
      client->Convert("clip", {text}, Positions(), &output, nullptr);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(output.data, "123456789012");
}

// An error of the receiver ends the call, and is the status that the caller
// gets.
TEST(HostileStream, ReceiverEndsAnEndlessAnswer) {
  class FullDisk final : public OutputReceiver {
   public:
    absl::Status Begin(const ClipInfo& /*info*/,
                       std::span<const OutputInfo> /*outputs*/) override {
      return absl::OkStatus();
    }
    absl::Status Data(size_t /*output*/, std::string_view /*b*/) override {
      return MakeStatus(absl::StatusCode::kDataLoss, "the disk is full");
    }
  };
  FakeServer server(StreamHandler(&SendChunksForEver));
  const auto client = Connect(server);
  ASSERT_NE(client, nullptr);
  FullDisk receiver;
  const ConvertResult result =
      client->Convert("clip", {"text"}, Positions(), &receiver, nullptr);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kDataLoss);
}

// A connection that is lost before any response is tried four times, then the
// call fails.
TEST(HostileStream, ServerThatIsLostIsTriedAgain) {
  FakeServer server(
      StreamHandler(SendAndFail({}, grpc::StatusCode::UNAVAILABLE, "gone")));
  const auto client = Connect(server);
  ASSERT_NE(client, nullptr);
  FirstOutput output;
  const ConvertResult result =
      client->Convert("clip", {"text"}, Positions(), &output, nullptr);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(MessageOf(result.status)),
              HasSubstr("cannot reach " + server.address() + ": "));
  EXPECT_EQ(server.calls("ConvertClips"), 4);
}

// A server that is always busy is given up after busy_timeout.
TEST(HostileStream, ServerThatIsAlwaysBusyIsGivenUp) {
  FakeServer server(StreamHandler(
      Send({Frame("result { key: '1' status { code: 8 message: 'busy' info { "
                  "reason: 'SERVER_BUSY' metadata { key: 'retry_after_ms' "
                  "value: '100' } } } }")})));
  const auto client = Connect(server);
  ASSERT_NE(client, nullptr);
  CancelToken cancel;
  const Watch watch(&cancel);
  FirstOutput output;
  const ConvertResult result =
      client->Convert("clip", {"text"}, Positions(), &output, &cancel);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_GT(server.calls("ConvertClips"), 2);
}

// A refusal with an invalid delay is final: the client does not try again.
TEST(HostileStream, InvalidRetryDelaysAreNotWaitedFor) {
  for (const char* delay : {"-1", "0", "x", "", "99999999999999999999"}) {
    FakeServer server(StreamHandler(Send({Frame(
        "result { key: '1' status { code: 8 message: 'busy' info { "
        "reason: 'SERVER_BUSY' metadata { key: 'retry_after_ms' value: '" +
        std::string(delay) + "' } } } }")})));
    const auto client = Connect(server);
    ASSERT_NE(client, nullptr);
    CancelToken cancel;
    const Watch watch(&cancel);
    FirstOutput output;
    client->Convert("clip", {"text"}, Positions(), &output, &cancel);
    EXPECT_EQ(server.calls("ConvertClips"), 1) << delay;
    EXPECT_FALSE(cancel.IsCancelled()) << delay;
  }
}

}  // namespace
}  // namespace bvhmill::testing
