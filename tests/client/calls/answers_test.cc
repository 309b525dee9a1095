// Answers of good servers: the results that the client library makes of them,
// and the calls that follow.

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "client/cpp/client.h"
#include "client/cpp/job_client.h"
#include "tests/client/fake_server.h"
#include "tests/client/stream_cases.h"
#include "tests/support/files.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

using Answer = std::function<grpc::Status(FakeCall*)>;

// Answers GetServerInfo with `limits`, a text proto, and the rest by `answer`.
FakeServer::Handler After(const std::string& limits, Answer answer) {
  return [=](FakeCall* call) -> grpc::Status {
    if (call->method() != "GetServerInfo") return answer(call);
    call->Read();
    call->Write(InfoBytes(limits));
    return grpc::Status::OK;
  };
}

std::unique_ptr<client::Client> ConnectTo(const std::string& servers,
                                          const std::string& token_file = "") {
  client::ConnectOptions options;
  options.server = servers;
  options.token_file = token_file;
  auto client = client::Client::Connect(options);
  EXPECT_TRUE(client.ok()) << client.status();
  return client.ok() ? *std::move(client) : nullptr;
}

ConvertOptions CsvOnly() {
  ConvertOptions options;
  options.outputs = {{"", CsvFormat{}}};
  return options;
}

client::ClipData Streamed(std::string_view bytes) {
  client::ClipData clip = {bytes};
  clip.on_issues = [](std::span<const Issue> /*issues*/) {};
  return clip;
}

TEST(Answers, EveryCallShowsTheToken) {
  const TempDir dir;
  WriteFile(dir.File("token"), "secret\n");
  std::mutex mutex;
  std::map<std::string, std::string> seen;
  FakeServer server(After("", [&](FakeCall* call) -> grpc::Status {
    const std::lock_guard lock(mutex);
    seen[call->method()] = call->header("authorization");
    return {grpc::StatusCode::INTERNAL, "no"};
  }));
  const auto client = ConnectTo(server.address(), dir.File("token"));
  ASSERT_NE(client, nullptr);
  StringReceiver receiver;
  client->Validate("clip", {"text"}, {}, nullptr);
  client->Convert("clip", {"text"}, CsvOnly(), &receiver, nullptr);
  client->Convert("clip", Streamed("text"), CsvOnly(), &receiver, nullptr);
  client::ConnectOptions options;
  options.server = server.address();
  options.token_file = dir.File("token");
  const auto jobs = client::JobClient::Open(options).value();
  const auto read = [](int64_t, size_t, std::string*) {
    return absl::OkStatus();
  };
  EXPECT_FALSE(jobs->Get("jobs/a", nullptr).ok());
  EXPECT_FALSE(jobs->Upload("blobs/a", 0, read, nullptr, nullptr).ok());
  EXPECT_FALSE(jobs->Download("blobs/a", 1, {}, nullptr).ok());
  EXPECT_THAT(seen, SizeIs(6));
  EXPECT_THAT(seen, Each(Pair(::testing::_, "Bearer secret")));
}

// Each server gets calls.
TEST(Answers, SeveralServersTakeTurns) {
  const Answer answer = [](FakeCall* call) -> grpc::Status {
    call->Read();
    return {grpc::StatusCode::INTERNAL, "no"};
  };
  FakeServer first(After("", answer));
  FakeServer second(After("", answer));
  const auto client = ConnectTo(first.address() + "," + second.address());
  ASSERT_NE(client, nullptr);
  const auto calls = [](const FakeServer& server) {
    return server.calls("ValidateClip");
  };
  // The second connection may take some time.
  for (int i = 0; i < 1000 && calls(first) * calls(second) == 0; ++i) {
    client->Validate("clip", {"text"}, {}, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(calls(first), 0);
  EXPECT_GT(calls(second), 0);
}

// A message in protobuf has only UTF-8. Names of files have any bytes.
TEST(Answers, NamesOfClipsAreSentAsUtf8) {
  std::vector<std::string> names;
  FakeServer server(After("", [&](FakeCall* call) -> grpc::Status {
    while (const auto bytes = call->Read()) {
      v1::ValidateClipRequest unary;
      v1::ConvertClipsRequest stream;
      if (call->method() == "ValidateClip") {
        EXPECT_TRUE(unary.ParseFromString(*bytes));
        names.push_back(unary.source().display_name());
      } else if (stream.ParseFromString(*bytes) && stream.has_begin()) {
        names.push_back(stream.begin().source().display_name());
      }
    }
    return {grpc::StatusCode::INTERNAL, "no"};
  }));
  const auto client = ConnectTo(server.address());
  ASSERT_NE(client, nullptr);
  client->Validate("caf\xE9.bvh", {"text"}, {}, nullptr);
  client->Validate("caf\xE9.bvh", Streamed("text"), {}, nullptr);
  ASSERT_THAT(names, SizeIs(2));
  for (const std::string& name : names) {
    EXPECT_TRUE(IsUtf8(name));
    EXPECT_THAT(name, HasSubstr("caf"));
    EXPECT_THAT(name, HasSubstr(".bvh"));
  }
}

// OUT_OF_RANGE: the answer does not fit one message.
TEST(Answers, AnAnswerThatIsTooLargeIsAskedForByAStream) {
  FakeServer server(After("", [](FakeCall* call) -> grpc::Status {
    while (call->Read()) {
    }
    if (call->method() != "ConvertClips") {
      return {grpc::StatusCode::OUT_OF_RANGE, "too large"};
    }
    return Send({Frame("result { key: '1' status { code: 3 message: 'x' } }")})(
        call);
  }));
  const auto client = ConnectTo(server.address());
  ASSERT_NE(client, nullptr);
  StringReceiver receiver;
  EXPECT_TRUE(absl::IsInvalidArgument(
      client->Validate("clip", {"text"}, {}, nullptr).status));
  EXPECT_TRUE(absl::IsInvalidArgument(
      client->Convert("clip", {"text"}, CsvOnly(), &receiver, nullptr).status));
  EXPECT_EQ(server.calls("ValidateClip"), 1);
  EXPECT_EQ(server.calls("ConvertClip"), 1);
  EXPECT_EQ(server.calls("ConvertClips"), 2);
}

// Outputs that cannot be made fail a check only if the clip itself is good.
TEST(Answers, ACheckByAStreamReportsTheFaultsOfTheClip) {
  const std::pair<const char*, absl::StatusCode> cases[] = {
      {"status { code: 9 message: 'x' } report { counts { errors: 1 } }", kOk},
      {"status { code: 9 message: 'x' } report { counts { warnings: 1 } }",
       absl::StatusCode::kFailedPrecondition},
      {"status { code: 3 message: 'x' } report { counts { errors: 1 } }",
       absl::StatusCode::kInvalidArgument}};
  for (const auto& [result, code] : cases) {
    FakeServer server(After("", [&](FakeCall* call) {
      while (call->Read()) {
      }
      return Send({Frame("result { key: '1' " + std::string(result) + " }")})(
          call);
    }));
    const auto client = ConnectTo(server.address());
    ASSERT_NE(client, nullptr);
    EXPECT_EQ(client->Validate("clip", Streamed("text"), CsvOnly(), nullptr)
                  .status.code(),
              code)
        << result;
  }
}

// The server states a limit; it need not be that of the client.
TEST(Answers, ADeadlineOfTheServerIsNotSilence) {
  FakeServer server(After("", [](FakeCall* call) -> grpc::Status {
    call->Read();
    return {grpc::StatusCode::DEADLINE_EXCEEDED, "its own limit"};
  }));
  const auto client = ConnectTo(server.address());
  ASSERT_NE(client, nullptr);
  const ConvertResult result = client->Validate("clip", {"text"}, {}, nullptr);
  EXPECT_TRUE(absl::IsDeadlineExceeded(result.status));
  EXPECT_EQ(MessageOf(result.status), "its own limit");
}

TEST(Answers, NoOutputIsLargerThanTheServerStates) {
  for (const int64_t most : {3, 4}) {
    FakeServer server(
        After("max_output_bytes: " + std::to_string(most), [](FakeCall* call) {
          call->Read();
          call->Write(ParseText<v1::ConvertClipResponse>(
                          "result { report {} outputs { id: 'csv' size_bytes: "
                          "4 data: '1234' } }")
                          .SerializeAsString());
          return grpc::Status::OK;
        }));
    const auto client = ConnectTo(server.address());
    ASSERT_NE(client, nullptr);
    StringReceiver receiver;
    EXPECT_EQ(client->Convert("clip", {"text"}, CsvOnly(), &receiver, nullptr)
                  .status.code(),
              most < 4 ? kBroken : kOk);
  }
}

// A message of gRPC has 4 MiB at most by default.
TEST(Answers, AnswersMayHaveManyMegabytes) {
  const std::string data(size_t{9} << 20, 'x');
  FakeServer server(After("", [&](FakeCall* call) {
    call->Read();
    v1::ConvertClipResponse response;
    response.mutable_result()->mutable_report();
    v1::Output* const output = response.mutable_result()->add_outputs();
    output->set_id("csv");
    output->set_size_bytes(static_cast<int64_t>(data.size()));
    output->set_data(data);
    call->Write(response.SerializeAsString());
    return grpc::Status::OK;
  }));
  const auto client = ConnectTo(server.address());
  ASSERT_NE(client, nullptr);
  StringReceiver receiver;
  const ConvertResult result =
      client->Convert("clip", {"text"}, CsvOnly(), &receiver, nullptr);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_TRUE(receiver.data().at(0) == data);
}

// The clip was offered once more.
TEST(Answers, ACallThatIsCancelledInAPauseIsNotMadeAgain) {
  CancelToken cancel;
  FakeServer server(After("", [&](FakeCall* call) -> grpc::Status {
    while (call->Read()) {
    }
    Send(
        {Frame("result { key: '1' status { code: 8 message: 'busy' info { "
               "reason: 'SERVER_BUSY' metadata { key: 'retry_after_ms' "
               "value: '20000' } } } }")})(call);
    return grpc::Status::OK;
  }));
  const auto client = ConnectTo(server.address());
  ASSERT_NE(client, nullptr);
  std::thread cancelling([&] {
    while (server.calls("ConvertClips") == 0) std::this_thread::yield();
    // By now it has the answer.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel.Cancel();
  });
  const ConvertResult result =
      client->Validate("clip", Streamed("text"), {}, &cancel);
  cancelling.join();
  EXPECT_TRUE(absl::IsCancelled(result.status)) << result.status;
  EXPECT_EQ(server.calls("ConvertClips"), 1);
}

// The user may ask for fewer issues than the server has in a report.
TEST(Answers, EarlyIssuesAreAtMostThoseOfAReport) {
  struct Case {
    int64_t asked;
    int issues;
    absl::StatusCode code;
  };
  const Case cases[] = {{0, 3, kOk},     {0, 4, kBroken}, {2, 2, kOk},
                        {2, 3, kBroken}, {9, 3, kOk},     {9, 4, kBroken}};
  for (const Case& c : cases) {
    FakeServer server(After("max_issues_per_report: 3", [&](FakeCall* call) {
      while (call->Read()) {
      }
      // Messages of one issue each: their sum counts.
      std::vector<std::string> frames(
          static_cast<size_t>(c.issues),
          Frame("issues_found { key: '1' issues { code: 'A' } }"));
      frames.push_back(Frame("result { key: '1' status {} report {} }"));
      return Send(frames)(call);
    }));
    const auto client = ConnectTo(server.address());
    ASSERT_NE(client, nullptr);
    ConvertOptions options;
    options.report.max_issues = c.asked;
    EXPECT_EQ(client->Validate("clip", Streamed("text"), options, nullptr)
                  .status.code(),
              c.code)
        << c.asked << " " << c.issues;
  }
}

}  // namespace
}  // namespace bvhmill::testing
