// The program with --log json: each line on stderr is a JSON object, also when
// it starts, stops, or refuses its configuration.

#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/server/observe/log_lines.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// The lines that a script of the shell writes to the file `err` of its folder,
// which has the program as `bvhmilld`.
std::vector<std::string> ErrorsOf(const std::string& script) {
  const TempDir dir;
  const std::string command = "cd '" + dir.File("") +
                              "' && ln -s '" BVHMILL_BIN "/bvhmilld' . && " +
                              script;
  EXPECT_EQ(std::system(command.c_str()), 0) << script;
  return LinesIn(ReadFile(dir.File("err")));
}

// Fails the test unless each line is an object with an event.
void ExpectEvents(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    const auto json = nlohmann::json::parse(line, nullptr,
                                            /*allow_exceptions=*/false);
    EXPECT_TRUE(json.is_object()) << line;
    EXPECT_TRUE(json.contains("event")) << line;
  }
}

TEST(JsonLogTest, ConfigurationsThatAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"--log json --no-such-flag 1", "there is no setting '--no-such-flag'"},
      {"--log json --max-joints x", "--max-joints"},
      {"--log json --listen 0.0.0.0:1", "refusing to listen"},
      {"--log json --config none", "cannot read none"},
      {"--log json --token-file none", "cannot read none"},
      {"--log json --token-file none --check-config", "cannot read none"},
      {"--log json --listen 127.0.0.1:0 --tls-cert none --tls-key none",
       "cannot read none"},
      {"--log json --check-data /none", "/none has no data"},
      {"--log json --hash-token a:b", "name: is letters"}};
  for (const auto& [args, expected] : cases) {
    SCOPED_TRACE(args);
    const auto lines =
        ErrorsOf(std::string("! ./bvhmilld ") + args + " </dev/null 2>err");
    ExpectEvents(lines);
    EXPECT_THAT(lines, Contains(HasSubstr(expected)));
  }
}

// Starts the program with more flags, and waits until it serves. `await TEXT`
// waits until stderr has the text.
constexpr char kStart[] =
    "await() { for i in $(seq 1000); do grep -q \"$1\" ${2:-err} && return; "
    "sleep 0.02; done; return 1; }; "
    "start() { echo token > tokens; ./bvhmilld --log json --listen "
    "127.0.0.1:0 --data-dir data --token-file tokens \"$@\" >out 2>err & "
    "pid=$!; await 'calls need' out; }; ";

TEST(JsonLogTest, AServerThatStartsReloadsAndStops) {
  const auto lines = ErrorsOf(
      std::string(kStart) +
      "start && : > tokens && kill -HUP $pid && await 'kept the old tokens' && "
      "echo token > tokens && kill -HUP $pid && await 'read tokens again' && "
      "kill -TERM $pid && wait $pid");
  ExpectEvents(lines);
  EXPECT_THAT(lines, Contains(HasSubstr("\"event\":\"stopping; ")));
}

// Both signals are pending when the program goes on.
TEST(JsonLogTest, AServerThatIsToldToStopTwice) {
  const auto lines =
      ErrorsOf(std::string(kStart) +
               "start && kill -STOP $pid && kill -TERM $pid && kill -INT $pid "
               "&& kill -CONT $pid && ! wait $pid");
  ExpectEvents(lines);
  EXPECT_THAT(lines,
              Contains(HasSubstr("\"event\":\"told to stop twice, ending at")));
}

TEST(JsonLogTest, MessagesOfGrpc) {
  const auto lines =
      ErrorsOf(std::string(kStart) +
               "export GRPC_VERBOSITY=debug && start && kill -TERM $pid && "
               "wait $pid");
  ExpectEvents(lines);
  EXPECT_THAT(lines, Contains(HasSubstr("\"event\":\"gRPC: ")));
}

}  // namespace
}  // namespace bvhmill::testing
