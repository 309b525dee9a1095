// Every flag of bvhmilld against the one field of ServerConfig that it sets: on
// the command line, in the environment and in a file.

#include "server/app/flags.h"

#include <gmock/gmock.h>

#include <cctype>
#include <cstdlib>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/app/config.h"
#include "tests/server/app/read_flags.h"
#include "tests/server/config_text.h"
#include "tests/support/files.h"

namespace bvhmill::testing {

// `value` is neither the default of the flag nor a value of another one.
struct FlagCase {
  const char* flag;
  const char* value;
  // The line of ConfigText that changes.
  const char* line;
  // Given besides, since the flag alone is refused.
  std::vector<std::string> with = {};
};

void PrintTo(const FlagCase& flag, std::ostream* out) { *out << flag.flag; }

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A new flag needs a row here; FlagsTest.AreAllInTheTable names it.
const FlagCase kFlags[] = {
    {"listen", "127.0.0.1:101", "listen = 127.0.0.1:101"},
    {"listen", "101", "listen = 127.0.0.1:101"},
    {"tls-cert", "c.pem", "tls_cert = c.pem", {"--tls-key=k.pem"}},
    {"tls-key", "q.pem", "tls_key = q.pem", {"--tls-cert=d.pem"}},
    {"tls-client-ca",
     "a.pem",
     "tls_client_ca = a.pem",
     {"--tls-cert=d.pem", "--tls-key=k.pem"}},
    {"token-file", "t.txt", "token_file = t.txt"},
    {"threads", "102", "threads = 102"},
    {"drain-seconds", "103", "drain_seconds = 103"},
    {"metrics", "127.0.0.1:104", "metrics = 127.0.0.1:104"},
    {"log", "json", "log = json"},
    {"reflection", "on", "reflection = true"},
    {"max-clip-bytes", "201", "limits.max_clip_bytes = 201"},
    {"max-header-bytes", "202", "limits.max_header_bytes = 202"},
    {"max-line-bytes", "203", "limits.max_line_bytes = 203"},
    {"max-name-bytes", "204", "limits.max_name_bytes = 204"},
    {"max-joints", "205", "limits.max_joints = 205"},
    {"max-depth", "206", "limits.max_depth = 206"},
    {"max-channels", "207", "limits.max_channels = 207"},
    {"max-frames", "208", "limits.max_frames = 208"},
    {"max-issues", "209", "limits.max_issues = 209"},
    {"max-outputs", "210", "limits.max_outputs = 210"},
    {"max-output-bytes", "211", "limits.max_output_bytes = 211"},
    {"max-clip-memory-bytes", "212", "limits.max_memory_bytes = 212"},
    {"max-clip-work", "213", "limits.max_work = 213"},
    {"max-clip-work-per-byte", "214", "limits.max_work_per_byte = 214"},
    {"max-request-bytes", "301", "service.max_request_message_bytes = 301"},
    {"max-response-bytes", "302", "service.max_unary_response_bytes = 302"},
    {"max-stream-clips", "303",
     "service.max_unfinished_clips_per_stream = 303"},
    {"max-stream-bytes", "304",
     "service.max_unfinished_bytes_per_stream = 304"},
    {"max-unsent-bytes", "305", "service.max_unsent_bytes_per_stream = 305"},
    {"max-streams-bytes", "306", "service.max_stream_bytes = 306"},
    {"idle-seconds", "307", "service.idle_seconds = 307"},
    {"idle-between-seconds", "310", "service.idle_between_seconds = 310"},
    {"min-upload-rate", "308", "service.min_upload_bytes_per_second = 308"},
    {"chunk-bytes", "3090", "service.chunk_bytes = 3090"},
    {"max-inflight-clips", "401", "admission.max_inflight_clips = 401"},
    {"max-inflight-bytes", "402", "admission.max_inflight_bytes = 402"},
    {"max-inflight-clips-per-connection", "403",
     "admission.max_inflight_clips_per_connection = 403"},
    {"max-inflight-bytes-per-connection", "404",
     "admission.max_inflight_bytes_per_connection = 404"},
    {"max-inflight-clips-per-caller", "405",
     "admission.max_inflight_clips_per_caller = 405"},
    {"max-inflight-bytes-per-caller", "406",
     "admission.max_inflight_bytes_per_caller = 406"},
    {"max-streams", "407", "admission.max_streams = 407"},
    {"max-streams-per-caller", "408", "admission.max_streams_per_caller = 408"},
    {"max-streams-per-connection", "501",
     "transport.max_streams_per_connection = 501"},
    {"max-transport-bytes", "502", "transport.max_transport_bytes = 502"},
    {"max-connection-age-seconds", "503",
     "transport.max_connection_age_seconds = 503"},
    {"max-connection-age-grace-seconds", "504",
     "transport.max_connection_age_grace_seconds = 504"},
    {"keepalive-seconds", "505", "transport.keepalive_seconds = 505"},
    {"keepalive-timeout-seconds", "506",
     "transport.keepalive_timeout_seconds = 506"},
    {"min-ping-seconds", "507", "transport.min_ping_seconds = 507"},
    {"max-connections", "508", "transport.max_connections = 508"},
    {"handshake-seconds", "509", "transport.handshake_seconds = 509"},
    {"max-stray-bytes", "510", "transport.max_stray_bytes = 510"},
    {"max-request-seconds", "511", "transport.max_request_seconds = 511"},
};

// Flags without a value.
const FlagCase kSwitches[] = {
    {"insecure", "true", "insecure = true"},
    {"check-config", "true", "check_config = true"},
};

// Flags that choose what the program does. They are read from the command line
// only.
const FlagCase kActions[] = {
    {"check-config", "true", "check_config = true"},
    {"hash-token", "ann", "hash_token = ann"},
};

// Lines of the configuration of `changed` that are not in that of `base`.
std::vector<std::string> Changes(const Outcome& base, const Outcome& changed) {
  const auto before = Split(ConfigText(base.config), '\n');
  const auto after = Split(ConfigText(changed.config), '\n');
  EXPECT_EQ(before.size(), after.size());
  std::vector<std::string> lines;
  for (size_t i = 0; i < after.size(); ++i) {
    if (after[i] != before[i]) lines.push_back(after[i]);
  }
  return lines;
}

std::string VariableOf(const std::string& flag) {
  std::string name = "BVHMILL_" + flag;
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  }
  return name;
}

std::vector<std::string> With(std::vector<std::string> args,
                              const std::string& more) {
  args.push_back(more);
  return args;
}

// Reads with an environment variable that is gone afterwards.
Outcome ReadWithVariable(const FlagCase& flag,
                         const std::vector<std::string>& args) {
  const std::string variable = VariableOf(flag.flag);
  setenv(variable.c_str(), flag.value, 1);
  Outcome outcome = Read(args);
  unsetenv(variable.c_str());
  return outcome;
}

class FlagTest : public ::testing::TestWithParam<FlagCase> {
 protected:
  std::string Word() const {
    return "--" + std::string(GetParam().flag) + "=" + GetParam().value;
  }
};

INSTANTIATE_TEST_SUITE_P(Flags, FlagTest, ::testing::ValuesIn(kFlags));
INSTANTIATE_TEST_SUITE_P(Switches, FlagTest, ::testing::Values(kSwitches[0]));

TEST_P(FlagTest, SetsItsFieldAlone) {
  // Filled also if it is refused, as one flag of a pair is.
  const Outcome base = Read(GetParam().with);
  const Outcome outcome = Read(With(GetParam().with, Word()));
  ASSERT_TRUE(outcome.good) << outcome.printed;
  EXPECT_THAT(Changes(base, outcome), ElementsAre(GetParam().line));
}

TEST_P(FlagTest, IsReadFromTheEnvironment) {
  const Outcome typed = Read(With(GetParam().with, Word()));
  const Outcome outcome = ReadWithVariable(GetParam(), GetParam().with);
  ASSERT_TRUE(outcome.good) << outcome.printed;
  EXPECT_EQ(ConfigText(outcome.config), ConfigText(typed.config));
}

TEST_P(FlagTest, IsReadFromAFile) {
  TempDir dir;
  WriteFile(dir.File("conf"),
            std::string(GetParam().flag) + " = \"" + GetParam().value + "\"\n");
  const Outcome typed = Read(With(GetParam().with, Word()));
  const Outcome outcome =
      Read(With(GetParam().with, "--config=" + dir.File("conf")));
  ASSERT_TRUE(outcome.good) << outcome.printed;
  EXPECT_EQ(ConfigText(outcome.config), ConfigText(typed.config));
}

TEST(FlagsTest, ActionsStandOnTheCommandLineAlone) {
  const Outcome base = Read({});
  for (const FlagCase& action : kActions) {
    const std::string flag = action.flag;
    const Outcome typed = Read({"--" + flag + "=" + action.value});
    EXPECT_THAT(Changes(base, typed), ElementsAre(action.line));
    const Outcome variable = ReadWithVariable(action, {});
    EXPECT_THAT(Changes(base, variable), IsEmpty()) << flag;
    TempDir dir;
    WriteFile(dir.File("conf"), flag + " = \"" + action.value + "\"\n");
    EXPECT_FALSE(Read({"--config=" + dir.File("conf")}).good) << flag;
  }
}

TEST(FlagsTest, EachOfThePairOfTlsIsItsOwnField) {
  const Outcome outcome = Read({"--tls-cert=c.pem", "--tls-key=k.pem"});
  ASSERT_TRUE(outcome.good);
  EXPECT_THAT(Changes(Read({}), outcome),
              ElementsAre("tls_cert = c.pem", "tls_key = k.pem"));
}

TEST(FlagsTest, FlagWinsOverEnvironmentAndThatOverFile) {
  TempDir dir;
  WriteFile(dir.File("conf"), "max-joints = 1\n");
  const std::string config = "--config=" + dir.File("conf");
  const FlagCase variable = {"max-joints", "2", ""};
  EXPECT_EQ(Read({config}).config.limits.max_joints, 1);
  EXPECT_EQ(ReadWithVariable(variable, {config}).config.limits.max_joints, 2);
  EXPECT_EQ(ReadWithVariable(variable, {config, "--max-joints=3"})
                .config.limits.max_joints,
            3);
  EXPECT_EQ(ReadWithVariable(variable, {config, "--max-joints", "3"})
                .config.limits.max_joints,
            3);
}

TEST(FlagsTest, WordsOfLogAndReflectionHaveTheirMeaning) {
  const std::pair<const char*, const char*> words[] = {
      {"--log=off", "log = off"},
      {"--log=errors", "log = errors"},
      {"--log=text", "log = text"},
      {"--log=json", "log = json"},
      {"--reflection=on", "reflection = true"},
      {"--reflection=off", "reflection = false"}};
  for (const auto& [word, line] : words) {
    const Outcome outcome = Read({word});
    ASSERT_TRUE(outcome.good) << word;
    EXPECT_THAT(Split(ConfigText(outcome.config), '\n'),
                ::testing::Contains(line))
        << word;
  }
}

std::set<std::string> NamesOfFlags() {
  CLI::App app;
  server::ServerConfig config;
  server::AddFlags(&app, &config);
  std::set<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.insert(name);
  }
  names.erase("help");
  return names;
}

TEST(FlagsTest, AreAllInTheTable) {
  std::set<std::string> known;
  for (const FlagCase& flag : kFlags) known.insert(flag.flag);
  for (const FlagCase& flag : kSwitches) known.insert(flag.flag);
  for (const FlagCase& flag : kActions) known.insert(flag.flag);
  for (const std::string& name : NamesOfFlags()) {
    EXPECT_TRUE(known.contains(name))
        << "--" << name << " needs a row in kFlags of this file";
  }
  EXPECT_EQ(known, NamesOfFlags());
}

// If a row is missing, a fault of its flag would not be seen.
TEST(FlagsTest, FieldsAreAllInTheTable) {
  std::set<std::string> set;
  for (const FlagCase& flag : kFlags) set.insert(flag.line);
  for (const FlagCase& flag : kSwitches) set.insert(flag.line);
  for (const FlagCase& flag : kActions) set.insert(flag.line);
  std::set<std::string> fields;
  for (const std::string& line : set)
    fields.insert(line.substr(0, line.find(" =")));
  for (const std::string& line : Split(ConfigText({}), '\n')) {
    const std::string field = line.substr(0, line.find(" ="));
    if (field.empty()) continue;
    EXPECT_TRUE(fields.contains(field)) << "no flag sets " << field;
  }
}

// A limit is never negative, and 0 stands for none.
TEST(FlagsTest, LimitsTakeZeroButNothingNegative) {
  for (const FlagCase& flag : kFlags) {
    const std::string name = flag.flag;
    const bool is_limit =
        std::string(flag.line).find('.') != std::string::npos &&
        std::isdigit(flag.value[0]) != 0 && name != "metrics" &&
        name != "listen";
    if (!is_limit) continue;
    EXPECT_FALSE(Read({"--" + name + "=-1"}).good) << name;
    if (name != "chunk-bytes") {
      EXPECT_TRUE(Read({"--" + name + "=0"}).good) << name;
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
