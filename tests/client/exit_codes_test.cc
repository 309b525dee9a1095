// Tests the exit status of bvhmill, and the files it leaves, for each answer of
// a server; and `validate --ignore` on a server that knows fewer codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <mutex>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/wire/status.h"
#include "tests/client/command.h"
#include "tests/client/fake_server.h"
#include "tests/support/files.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {

struct CodeCase {
  grpc::StatusCode code;
  // Exit status of `convert` and `validate` if a clip gets this code.
  int clip_exit;
  // Exit status of every command if the first call gets this code.
  int connect_exit;
};

void PrintTo(const CodeCase& code, std::ostream* out) { *out << code.code; }

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kGood = 0;
constexpr int kClipFailed = 1;
constexpr int kUsage = 2;
constexpr int kUnreachable = 3;
constexpr int kServerError = 4;

// All codes of gRPC but OK.
const CodeCase kCodes[] = {
    {grpc::StatusCode::CANCELLED, kServerError, kServerError},
    {grpc::StatusCode::UNKNOWN, kServerError, kServerError},
    {grpc::StatusCode::INVALID_ARGUMENT, kClipFailed, kUsage},
    {grpc::StatusCode::DEADLINE_EXCEEDED, kServerError, kUnreachable},
    {grpc::StatusCode::NOT_FOUND, kClipFailed, kServerError},
    {grpc::StatusCode::ALREADY_EXISTS, kServerError, kServerError},
    {grpc::StatusCode::PERMISSION_DENIED, kServerError, kServerError},
    {grpc::StatusCode::RESOURCE_EXHAUSTED, kClipFailed, kServerError},
    {grpc::StatusCode::FAILED_PRECONDITION, kClipFailed, kServerError},
    {grpc::StatusCode::ABORTED, kServerError, kServerError},
    {grpc::StatusCode::OUT_OF_RANGE, kServerError, kServerError},
    {grpc::StatusCode::UNIMPLEMENTED, kServerError, kServerError},
    {grpc::StatusCode::INTERNAL, kServerError, kServerError},
    {grpc::StatusCode::UNAVAILABLE, kUnreachable, kUnreachable},
    {grpc::StatusCode::DATA_LOSS, kServerError, kServerError},
    {grpc::StatusCode::UNAUTHENTICATED, kServerError, kServerError},
};

// Answers the first call with `info`, and those about clips by `answer`.
FakeServer::Handler Handler(const std::string& info,
                            std::function<grpc::Status(FakeCall*)> answer) {
  return [=](FakeCall* call) -> grpc::Status {
    if (call->method() != "GetServerInfo") return answer(call);
    call->Read();
    call->Write(InfoBytes(info));
    return grpc::Status::OK;
  };
}

std::string Server(const FakeServer& server) {
  return "--server=" + server.address();
}

class CodeTest : public ::testing::TestWithParam<CodeCase> {
 protected:
  CodeTest() { WriteFile(dir_.File("clip.bvh"), "text"); }

  CommandResult Convert(const FakeServer& server) const {
    return RunCommand(
        {"convert", "clip.bvh", "-o", "out", "--emit=csv", Server(server)},
        dir_.path());
  }
  CommandResult Validate(const FakeServer& server) const {
    return RunCommand({"validate", "clip.bvh", Server(server)}, dir_.path());
  }

  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(ExitCodes, CodeTest, ::testing::ValuesIn(kCodes));

TEST_P(CodeTest, OfACallIsTheExitStatus) {
  const FakeServer server(Handler("", [](FakeCall* call) {
    call->Read();
    return grpc::Status(GetParam().code, "the reason");
  }));
  for (const CommandResult& result : {Convert(server), Validate(server)}) {
    EXPECT_EQ(result.exit, GetParam().clip_exit) << result.err;
    EXPECT_THAT(result.err, HasSubstr("the reason"));
  }
}

TEST_P(CodeTest, OfAResultIsTheExitStatus) {
  const FakeServer server(
      Handler("max_unary_response_bytes: 1", [](FakeCall* call) {
        while (call->Read()) {
        }
        v1::ConvertClipsResponse response;
        v1::ClipResult* result = response.mutable_result();
        result->set_key("1");
        result->mutable_status()->set_code(GetParam().code);
        result->mutable_status()->set_message("the reason");
        call->Write(response.SerializeAsString());
        return grpc::Status::OK;
      }));
  const CommandResult result = Convert(server);
  EXPECT_EQ(result.exit, GetParam().clip_exit) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the reason"));
}

TEST_P(CodeTest, OfTheFirstCallIsTheExitStatus) {
  const FakeServer server([](FakeCall* call) {
    call->Read();
    return grpc::Status(GetParam().code, "the reason");
  });
  const CommandResult info =
      RunCommand({"server", "info", Server(server)}, dir_.path());
  for (const CommandResult& result :
       {Convert(server), Validate(server), info}) {
    EXPECT_EQ(result.exit, GetParam().connect_exit) << result.err;
    EXPECT_NE(result.err, "");
  }
}

struct VerdictCase {
  const char* report;
  int exit;
  int exit_with_fail_on_warning;
};

TEST(ExitCodes, ValidateExitsByItsReport) {
  const VerdictCase cases[] = {
      {"verdict: VERDICT_VALID", kGood, kGood},
      {"verdict: VERDICT_ACCEPTED", kGood, kGood},
      {"verdict: VERDICT_ACCEPTED counts { warnings: 1 }", kGood, kClipFailed},
      {"verdict: VERDICT_VALID counts { infos: 1 hints: 1 }", kGood, kGood},
      {"verdict: VERDICT_VALID counts { errors: 1 }", kClipFailed, kClipFailed},
      {"verdict: VERDICT_INVALID counts { errors: 1 }", kClipFailed,
       kClipFailed},
      {"verdict: VERDICT_UNREADABLE counts { errors: 1 }", kClipFailed,
       kClipFailed},
  };
  for (const VerdictCase& verdict : cases) {
    const FakeServer server(Handler("", [&](FakeCall* call) {
      call->Read();
      call->Write(
          ParseText<v1::ValidateClipResponse>(
              "result { report { " + std::string(verdict.report) + " } }")
              .SerializeAsString());
      return grpc::Status::OK;
    }));
    TempDir dir;
    WriteFile(dir.File("clip.bvh"), "text");
    const auto run = [&](const char* more) {
      return RunCommand({"validate", "clip.bvh", more, Server(server)},
                        dir.path())
          .exit;
    };
    EXPECT_EQ(run("--fail-on=error"), verdict.exit) << verdict.report;
    EXPECT_EQ(run("--fail-on=warning"), verdict.exit_with_fail_on_warning)
        << verdict.report;
  }
}

// The answer to each clip of a batch, chosen by the clip's name.
grpc::Status AnswerByName(FakeCall* call) {
  v1::ConvertClipRequest request;
  request.ParseFromString(call->Read().value_or(""));
  const std::string& name = request.source().display_name();
  if (name.starts_with("garbage")) {
    call->Write("\xff\xff\xff");
    return grpc::Status::OK;
  }
  if (name.starts_with("refused")) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "it is broken"};
  }
  const char* size = name.starts_with("lies") ? "3" : "4";
  call->Write(ParseText<v1::ConvertClipResponse>(
                  "result { report { verdict: VERDICT_VALID } outputs { "
                  "id: 'csv' data: '1234' size_bytes: " +
                  std::string(size) + " } }")
                  .SerializeAsString());
  return grpc::Status::OK;
}

std::set<std::string> FilesBelow(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

TEST(ExitCodes, BrokenAnswersCostNoGoodClip) {
  const FakeServer server(Handler("", &AnswerByName));
  TempDir dir;
  std::vector<std::string> words = {"convert", "-o",         "out",
                                    "-q",      "--emit=csv", Server(server)};
  for (const char* name :
       {"good1", "garbage", "good2", "lies", "good3", "refused", "good4"}) {
    WriteFile(dir.File(std::string(name) + ".bvh"), "text");
    words.push_back(std::string(name) + ".bvh");
  }
  const CommandResult result = RunCommand(words, dir.path());
  EXPECT_EQ(result.exit, kServerError) << result.err;
  for (const char* name : {"garbage.bvh", "lies.bvh", "refused.bvh"}) {
    EXPECT_THAT(result.err, HasSubstr(name));
  }
  // There are no files of the failed clips, and no partial outputs.
  EXPECT_THAT(FilesBelow(dir.File("out")),
              ElementsAre(".bvhmill-manifest.jsonl", "good1.csv", "good2.csv",
                          "good3.csv", "good4.csv"));
}

// A clip on which the server fails is in no report, so its issues would be
// missing in a baseline.
TEST(ExitCodes, ABaselineIsNotWrittenIfTheServerFailsOnAClip) {
  const FakeServer server(Handler("", [](FakeCall* call) -> grpc::Status {
    v1::ValidateClipRequest request;
    request.ParseFromString(call->Read().value_or(""));
    if (request.source().display_name() == "fails.bvh") {
      return {grpc::StatusCode::INTERNAL, "the reason"};
    }
    call->Write(ParseText<v1::ValidateClipResponse>(
                    "result { report { verdict: VERDICT_VALID } }")
                    .SerializeAsString());
    return grpc::Status::OK;
  }));
  TempDir dir;
  for (const char* name : {"good.bvh", "fails.bvh"}) {
    WriteFile(dir.File(name), "text");
  }
  const auto run = [&](const char* clip) {
    return RunCommand(
        {"validate", "good.bvh", clip, "-q", "-f", "--summary=summary",
         "--write-baseline=known", Server(server)},
        dir.path());
  };
  const CommandResult broken = run("fails.bvh");
  EXPECT_EQ(broken.exit, kServerError) << broken.err;
  EXPECT_THAT(broken.err, HasSubstr("known: warning: not written, since not "
                                    "all clips were checked\n"));
  EXPECT_FALSE(std::filesystem::exists(dir.File("known")));
  EXPECT_THAT(ReadFile(dir.File("summary")), HasSubstr("\"complete\":false"));
  const CommandResult whole = run("good.bvh");
  EXPECT_EQ(whole.exit, kGood) << whole.err;
  EXPECT_EQ(whole.err, "");
  EXPECT_TRUE(std::filesystem::exists(dir.File("known")));
  EXPECT_THAT(ReadFile(dir.File("summary")), HasSubstr("\"complete\":true"));
}

// A clip that fails is less than a server that does.
TEST(ExitCodes, ABatchExitsWithItsGravestCode) {
  const FakeServer server(Handler("", &AnswerByName));
  TempDir dir;
  for (const char* name : {"good", "refused", "garbage"}) {
    WriteFile(dir.File(std::string(name) + ".bvh"), "text");
  }
  const std::pair<std::vector<std::string>, int> cases[] = {
      {{"good.bvh"}, kGood},
      {{"good.bvh", "refused.bvh"}, kClipFailed},
      {{"refused.bvh", "good.bvh"}, kClipFailed},
      {{"garbage.bvh", "refused.bvh", "good.bvh"}, kServerError},
      {{"refused.bvh", "garbage.bvh", "good.bvh"}, kServerError},
  };
  for (const auto& [clips, exit] : cases) {
    std::vector<std::string> words = {"convert",    "-f", "-o",          "out",
                                      "--emit=csv", "-q", Server(server)};
    words.insert(words.end(), clips.begin(), clips.end());
    EXPECT_EQ(RunCommand(words, dir.path()).exit, exit) << clips[0];
  }
}

// A server that says nothing is given up when --timeout says.
TEST(ExitCodes, SilentServersTimeOut) {
  const FakeServer server(Handler("", [](FakeCall* call) {
    call->BeSilent();
    return grpc::Status::OK;
  }));
  TempDir dir;
  WriteFile(dir.File("clip.bvh"), "text");
  const CommandResult result = RunCommand(
      {"validate", "clip.bvh", "--timeout=1", Server(server)}, dir.path());
  EXPECT_EQ(result.exit, kServerError);
  EXPECT_THAT(result.err, HasSubstr("silent for more than 1000 ms"));
}

using Words = std::vector<std::string>;

constexpr char kUnknownCode[] = "DATA_LOOP";

// Refuses kUnknownCode; to other requests every clip is good. Keeps the codes
// to ignore of each request.
class OlderServer {
 public:
  OlderServer() : server_([this](FakeCall* call) { return Answer(call); }) {}

  // The words of each request that `validate --ignore IGNORED` sends; expects
  // this exit status.
  std::vector<Words> SentFor(const std::string& ignored, int exit) {
    TempDir dir;
    WriteFile(dir.File("clip.bvh"), "text");
    const CommandResult result =
        RunCommand({"validate", "clip.bvh", "--ignore", ignored,
                    "--server=" + server_.address()},
                   dir.path());
    EXPECT_EQ(result.exit, exit) << result.err;
    const std::lock_guard lock(mutex_);
    return std::exchange(sent_, {});
  }

 private:
  grpc::Status Answer(FakeCall* call) {
    const std::string bytes = call->Read().value_or("");
    if (call->method() == "GetServerInfo") {
      call->Write(InfoBytes(""));
      return grpc::Status::OK;
    }
    v1::ValidateClipRequest request;
    EXPECT_TRUE(request.ParseFromString(bytes));
    const auto& codes = request.options().validation().ignore();
    const std::lock_guard lock(mutex_);
    sent_.emplace_back(codes.begin(), codes.end());
    if (std::count(codes.begin(), codes.end(), kUnknownCode) > 0) {
      const absl::Status refusal =
          InvalidField("options.validation.ignore", "is no issue code");
      return {grpc::StatusCode::INVALID_ARGUMENT,
              std::string(refusal.message()), wire::SerializeDetails(refusal)};
    }
    call->Write(ParseText<v1::ValidateClipResponse>(
                    "result { report { verdict: VERDICT_VALID } }")
                    .SerializeAsString());
    return grpc::Status::OK;
  }

  std::mutex mutex_;
  std::vector<Words> sent_;
  FakeServer server_;
};

// The summary needs the facts DATA_UNIT_GUESS and DATA_UP_AXIS_GUESS.
TEST(OlderServer, GetsGroupsWithoutAFactAsTheyAre) {
  OlderServer server;
  EXPECT_THAT(server.SentFor("TEXT_*,DATA_UNIT_GUESS", 0),
              ElementsAre(Words{"TEXT_*"}));
  EXPECT_THAT(server.SentFor("DATA_UP*,TEXT_EMPTY,MOTION_*", 0),
              ElementsAre(Words{"TEXT_EMPTY", "MOTION_*"}));
}

TEST(OlderServer, TakesAGroupOfWhichItLacksACode) {
  OlderServer server;
  EXPECT_THAT(
      server.SentFor("DATA_*", 0),
      ElementsAre(AllOf(Contains(kUnknownCode), Contains("DATA_NOT_FINITE"),
                        Not(Contains("DATA_UNIT_GUESS"))),
                  Words{"DATA_*"}));
}

TEST(OlderServer, IsAskedOnceIfTheUserNamesACodeThatItLacks) {
  OlderServer server;
  EXPECT_THAT(server.SentFor(kUnknownCode, 1),
              ElementsAre(Words{kUnknownCode}));
}

}  // namespace
}  // namespace bvhmill::testing
