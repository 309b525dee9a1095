// Every flag of bvhmilld against the one field of ServerConfig that it sets: on
// the command line, in the environment and in a file.

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/app/config.h"
#include "tests/server/app/read_flags.h"
#include "tests/server/config_text.h"
#include "tests/support/files.h"

namespace bvhmill::testing {

// `value` is neither the default of the flag nor a value of another one.
struct FlagCase {
  std::string flag;
  std::string value;
  // The line of ConfigText that changes.
  std::string line;
  // Given besides, since the flag alone is refused.
  std::vector<std::string> with = {};
};

void PrintTo(const FlagCase& flag, std::ostream* out) { *out << flag.flag; }

namespace {

using ::testing::ElementsAre;

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
    {"http", "7452", "http = 127.0.0.1:7452"},
    {"http-origins", "https://a.b", "http_origins = https://a.b", {"--http=1"}},
    {"http-files", "/page", "http_files = /page", {"--http=1"}},
    {"log", "json", "log = json"},
    {"reflection", "on", "reflection = true"},
    {"data-dir", "/jobs", "data_dir = /jobs"},
    {"jobs-database",
     "postgresql:///j",
     "jobs_database = postgresql:///j",
     {"--data-dir=/jobs"}},
    {"blobs",
     "s3://takes/a",
     "blobs = s3://takes/a",
     {"--jobs-database=postgresql:///j", "--data-dir=/jobs"}},
    {"s3-endpoint",
     "http://127.0.0.1:7480",
     "s3_endpoint = http://127.0.0.1:7480",
     {"--jobs-database=postgresql:///j", "--data-dir=/jobs",
      "--blobs=s3://takes"}},
    {"s3-region",
     "eu-west-1",
     "s3_region = eu-west-1",
     {"--jobs-database=postgresql:///j", "--data-dir=/jobs",
      "--blobs=s3://takes"}},
    {"s3-ca",
     "a.pem",
     "s3_ca = a.pem",
     {"--jobs-database=postgresql:///j", "--data-dir=/jobs",
      "--blobs=s3://takes"}},
    {"s3-credentials",
     "keys",
     "s3_credentials = keys",
     {"--jobs-database=postgresql:///j", "--data-dir=/jobs",
      "--blobs=s3://takes"}},
};

// The flag of each limit, and the field of ServerConfig that has its struct. A
// new limit needs a row here; FlagsTest.AreAllInTheTable names it.
const std::pair<const char*, const char*> kLimitFlags[] = {
    {"max-clip-bytes", "limits"},
    {"max-header-bytes", "limits"},
    {"max-line-bytes", "limits"},
    {"max-name-bytes", "limits"},
    {"max-joints", "limits"},
    {"max-depth", "limits"},
    {"max-channels", "limits"},
    {"max-frames", "limits"},
    {"max-issues-per-report", "limits"},
    {"max-outputs-per-clip", "limits"},
    {"max-output-bytes", "limits"},
    {"max-clip-memory-bytes", "limits"},
    {"max-clip-work", "limits"},
    {"max-clip-work-per-byte", "limits"},
    {"max-request-message-bytes", "service"},
    {"max-unary-response-bytes", "service"},
    {"max-unfinished-clips-per-stream", "service"},
    {"max-unfinished-bytes-per-stream", "service"},
    {"max-unsent-bytes-per-stream", "service"},
    {"max-total-stream-bytes", "service"},
    {"idle-seconds", "service"},
    {"idle-between-seconds", "service"},
    {"min-upload-bytes-per-second", "service"},
    {"recommended-chunk-bytes", "service"},
    {"max-inflight-clips", "admission"},
    {"max-inflight-bytes", "admission"},
    {"max-inflight-clips-per-connection", "admission"},
    {"max-inflight-bytes-per-connection", "admission"},
    {"max-inflight-clips-per-caller", "admission"},
    {"max-inflight-bytes-per-caller", "admission"},
    {"max-streams", "admission"},
    {"max-streams-per-caller", "admission"},
    {"max-streams-per-connection", "transport"},
    {"max-transport-bytes", "transport"},
    {"max-calls", "transport"},
    {"max-connection-idle-seconds", "transport"},
    {"max-connection-age-seconds", "transport"},
    {"max-connection-age-grace-seconds", "transport"},
    {"keepalive-seconds", "transport"},
    {"keepalive-timeout-seconds", "transport"},
    {"min-ping-seconds", "transport"},
    {"max-connections", "transport"},
    {"max-connections-per-address", "transport"},
    {"handshake-seconds", "transport"},
    {"max-request-seconds", "transport"},
    {"max-jobs-per-caller", "jobs"},
    {"max-items-per-job", "jobs"},
    {"max-queued-items", "jobs"},
    {"max-queued-items-per-caller", "jobs"},
    {"max-blob-bytes", "jobs"},
    {"max-data-bytes", "jobs"},
    {"max-data-bytes-per-caller", "jobs"},
    {"min-free-disk-bytes", "jobs"},
    {"job-retention-seconds", "jobs"},
    {"blob-retention-seconds", "jobs"},
    {"max-item-tries", "jobs"},
    {"job-lease-seconds", "jobs"},
    {"max-wait-seconds", "jobs"},
};

// Each limit with a value of its own.
std::vector<FlagCase> LimitCases() {
  std::vector<FlagCase> cases;
  int value = 3000;
  for (const auto& [flag, field] : kLimitFlags) {
    std::string name = flag;
    std::replace(name.begin(), name.end(), '-', '_');
    const std::string text = std::to_string(++value);
    cases.push_back(
        {flag, text, std::string(field) + "." + name + " = " + text});
  }
  return cases;
}

// Flags without a value.
const FlagCase kSwitches[] = {
    {"insecure", "true", "insecure = true"},
    {"check-config", "true", "check_config = true"},
};

// Flags that choose what the program does. They are read from the command line
// only.
const FlagCase kActions[] = {
    {"check-config", "true", "check_config = true"},
    {"check-data", "/data", "check_data = /data"},
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
  setenv(variable.c_str(), flag.value.c_str(), 1);
  Outcome outcome = Read(args);
  unsetenv(variable.c_str());
  return outcome;
}

class FlagTest : public ::testing::TestWithParam<FlagCase> {
 protected:
  std::string Word() const {
    return "--" + GetParam().flag + "=" + GetParam().value;
  }
};

INSTANTIATE_TEST_SUITE_P(Flags, FlagTest, ::testing::ValuesIn(kFlags));
INSTANTIATE_TEST_SUITE_P(Limits, FlagTest, ::testing::ValuesIn(LimitCases()));
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
            GetParam().flag + " = \"" + GetParam().value + "\"\n");
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
    EXPECT_FALSE(ReadWithVariable(action, {}).good) << flag;
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
  for (const FlagCase& flag : LimitCases()) known.insert(flag.flag);
  for (const FlagCase& flag : kSwitches) known.insert(flag.flag);
  for (const FlagCase& flag : kActions) known.insert(flag.flag);
  for (const std::string& name : NamesOfFlags()) {
    EXPECT_TRUE(known.contains(name))
        << "--" << name << " needs a row in kFlags or kLimitFlags of this file";
  }
  EXPECT_EQ(known, NamesOfFlags());
}

// If a row is missing, a fault of its flag would not be seen.
TEST(FlagsTest, FieldsAreAllInTheTable) {
  std::set<std::string> set;
  for (const FlagCase& flag : kFlags) set.insert(flag.line);
  for (const FlagCase& flag : LimitCases()) set.insert(flag.line);
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
// The least number of letters to add, drop or change between two words.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t corner = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, corner + 1});
    }
  }
  return row.back();
}

TEST(FlagsTest, LimitsTakeZeroButNothingNegative) {
  const std::set<std::string> bounded = {"recommended-chunk-bytes",
                                         "job-lease-seconds"};
  for (const FlagCase& flag : LimitCases()) {
    EXPECT_FALSE(Read({"--" + flag.flag + "=-1"}).good) << flag.flag;
    if (!bounded.contains(flag.flag)) {
      EXPECT_TRUE(Read({"--" + flag.flag + "=0"}).good) << flag.flag;
    }
  }
}

// A letter that was added, lost or changed makes no other flag of it.
TEST(FlagsTest, NamesOfLimitsDifferByMoreThanALetter) {
  for (const auto& [one, field] : kLimitFlags) {
    for (const auto& [other, field_of_other] : kLimitFlags) {
      if (one == other) continue;
      EXPECT_GT(EditDistance(one, other), 1) << one << " and " << other;
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
