// Tests `validate --ignore` on a server that knows fewer codes of issues.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/call_error.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/wire/status.h"
#include "tests/client/command.h"
#include "tests/client/fake_server.h"
#include "tests/support/files.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

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
    const auto& codes = request.options().validation().ignore_codes();
    const std::lock_guard lock(mutex_);
    sent_.emplace_back(codes.begin(), codes.end());
    if (std::count(codes.begin(), codes.end(), kUnknownCode) > 0) {
      const absl::Status refusal =
          InvalidField("options.validation.ignore_codes", "is no issue code");
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
