// The file of --config and variables: what sets nothing is an error.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <utility>

#include "bvhmill/settings/settings.h"
#include "tests/server/app/read_flags.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

std::string Refusal(const std::string& lines) {
  return lines + "\nbvhmilld --help shows how\n";
}

// The server took calls without a token from anyone while it skipped the line
// that named the tokens.
TEST(ConfigFileTest, ALineThatSetsNothingIsAnError) {
  const std::string no_line = "is not NAME = VALUE";
  const std::pair<std::string, std::string> cases[] = {
      {"[security]\ntoken-file = \"tokens\"\n",
       "1: there is no section 'security'"},
      {"[default]\ntoken-file = \"tokens\"\n",
       "1: there is no section 'default'"},
      {"threads = 2\nauth.token-file = \"tokens\"\n",
       "2: there is no setting 'auth.token-file'; did you mean 'token-file'?"},
      {"listen: 127.0.0.1:1\n",
       "1: " + no_line + "; did you mean 'listen = ...'?"},
      {"{\"token-file\": \"tokens\", \"a\": [1, 2]}\n",
       "1: " + no_line + "; did you mean 'token-file = ...'?"},
      {"thread = 2\n",
       "1: there is no setting 'thread'; did you mean 'threads'?"},
      {"token_file = tokens\n",
       "1: there is no setting 'token_file'; did you mean 'token-file'?"},
      {"token-file =\n", "1: has no value"},
      {"threads = 1\nlog = off\nthreads = 2\n",
       "3: sets 'threads' once more; line 1 has set it"},
      {"insecure\n", "1: " + no_line + "; did you mean 'insecure = ...'?"},
      {"x\n", "1: " + no_line},
      {"config = \"more\"\n", "1: there is no setting 'config'"},
      {"help = true\n", "1: there is no setting 'help'"},
      {std::string(100, '\0'), "1: has a byte that is no text"}};
  for (const auto& [text, why] : cases) {
    const TempDir dir;
    WriteFile(dir.File("conf"), text);
    const Outcome outcome = Read({"--config", dir.File("conf")});
    EXPECT_FALSE(outcome.good) << text;
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.printed,
              Refusal("bvhmilld: " + dir.File("conf") + ":" + why));
  }
}

const std::string kNotAnAddress =
    " is not HOST:PORT or PORT, with a port from 0 to 65535";

struct WrongSetting {
  std::string name;
  std::string value;
  std::string why;
};

const WrongSetting kWrong[] = {
    {"max-clip-bytes", "5X",
     "'5X' has the unknown unit 'X'; use 65536, 512MiB or 1.5G"},
    {"max-clip-bytes", "-1",
     "'-1' is not a number of bytes; use 65536, 512MiB or 1.5G"},
    {"max-inflight-bytes", "lots",
     "'lots' is not a number of bytes; use 65536, 512MiB or 1.5G, or auto"},
    {"recommended-chunk-bytes", "8M", "'8M' is out of range: 1KiB to 4MiB"},
    {"idle-seconds", "1500ms", "'1500ms' is not a whole number of seconds"},
    {"drain-seconds", "2d", "'2d' is out of range: 0 to 1d"},
    {"threads", "two", "'two' is not a whole number from 0 to 4096"},
    {"max-joints", "2147483648",
     "'2147483648' is not a whole number from 0 to 2147483647"},
    {"log", "loud", "'loud' is none of errors, json, off, text"},
    {"reflection", "1", "'1' is none of off, on"},
    {"insecure", "maybe",
     "'maybe' is none of 0, 1, false, no, off, on, true, yes"},
    {"listen", "nowhere", "'nowhere'" + kNotAnAddress},
    {"metrics", "unix:/m", "'unix:/m'" + kNotAnAddress},
};

TEST(ConfigFileTest, AWrongValueIsNamedWithItsLine) {
  const TempDir dir;
  const std::string path = dir.File("conf");
  for (const auto& [name, value, why] : kWrong) {
    for (const char* quote : {"", "\""}) {
      WriteFile(path, "# ours\n\n" + name + " = " + quote + value + quote +
                          "\ntls-cert = c\n");
      const Outcome outcome = Read({"--config", path});
      EXPECT_EQ(outcome.exit_code, 2) << name;
      EXPECT_EQ(outcome.printed,
                Refusal("bvhmilld: " + path + ":3: " + name + ": " + why));
    }
  }
  WriteFile(path, "log = off\nthreads = [1, 2]\n");
  EXPECT_EQ(Read({"--config", path}).printed,
            Refusal("bvhmilld: " + path +
                    ":2: threads: takes one value and no list"));
  WriteFile(path, "threads = ''\n");
  EXPECT_EQ(Read({"--config", path}).printed,
            Refusal("bvhmilld: " + path +
                    ":1: threads: '' is not a whole number from 0 to 4096"));
}

TEST(VariablesTest, WithAWrongValueAreNamed) {
  const auto printed = [](const std::string& variable,
                          const std::string& value) {
    setenv(variable.c_str(), value.c_str(), 1);
    const Outcome outcome = Read({});
    unsetenv(variable.c_str());
    EXPECT_EQ(outcome.exit_code, 2) << variable;
    return outcome.printed;
  };
  for (const auto& [name, value, why] : kWrong) {
    const std::string variable = VariableOf(name);
    EXPECT_EQ(printed(variable, value),
              Refusal("bvhmilld: " + variable + ": " + why));
  }
  // An empty one may come from a variable that is not set.
  for (const char* variable : {"BVHMILL_TOKEN_FILE", "BVHMILL_INSECURE",
                               "BVHMILL_THREADS", "BVHMILL_CONFIG"}) {
    EXPECT_EQ(printed(variable, ""),
              Refusal(std::string("bvhmilld: ") + variable + ": has no value"));
  }
}

TEST(ConfigFileTest, AVariableNamesTheFile) {
  const TempDir dir;
  WriteFile(dir.File("conf"), "threads = 3\nmax-joints = 4\n");
  setenv("BVHMILL_CONFIG", dir.File("conf").c_str(), 1);
  setenv("BVHMILL_MAX_JOINTS", "5", 1);
  const Outcome outcome = Read({});
  unsetenv("BVHMILL_CONFIG");
  unsetenv("BVHMILL_MAX_JOINTS");
  ASSERT_TRUE(outcome.good) << outcome.printed;
  EXPECT_EQ(outcome.config.threads, 3);
  EXPECT_EQ(outcome.config.limits.max_joints, 5);
}

TEST(ConfigFileTest, AFileThatIsNotReadToItsEndIsAnError) {
  const TempDir dir;
  WriteFile(dir.File("empty"), "");
  WriteFile(dir.File("large"),
            "threads = 2\n" + std::string(size_t{1} << 20, '#'));
  const std::pair<std::string, std::string> cases[] = {
      {dir.File("none"), "No such file or directory"},
      {dir.path(), "Is a directory"},
      {"", "No such file or directory"},
      {"/dev/zero", "it has more than 1048576 bytes"},
      {dir.File("large"), "it has more than 1048576 bytes"}};
  for (const auto& [path, why] : cases) {
    const Outcome outcome = Read({"--config", path});
    EXPECT_FALSE(outcome.good) << path;
    EXPECT_EQ(outcome.printed,
              Refusal("bvhmilld: cannot read " + path + ": " + why));
  }
  EXPECT_EQ(Read({"--config", dir.File("empty")}).printed,
            Refusal("bvhmilld: " + dir.File("empty") + " is empty"));
}

// Help comes first.
TEST(ConfigFileTest, HelpNeedsNoFile) {
  const Outcome outcome = Read({"--config=/no/such/file", "--help"});
  EXPECT_FALSE(outcome.good);
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST(VariablesTest, ThatSetNothingAreErrors) {
  setenv("BVHMILL_THREDS", "2", 1);
  const Outcome one = Read({});
  setenv("BVHMILL_FSP", "2", 1);
  const Outcome two = Read({});
  unsetenv("BVHMILL_THREDS");
  unsetenv("BVHMILL_FSP");
  const std::string threads =
      "bvhmilld: BVHMILL_THREDS sets nothing; did you mean 'BVHMILL_THREADS'?";
  const std::string fps =
      "bvhmilld: BVHMILL_FSP sets nothing; did you mean 'BVHMILL_FPS'?";
  EXPECT_FALSE(one.good);
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_EQ(one.printed, Refusal(threads));
  EXPECT_FALSE(two.good);
  EXPECT_EQ(two.printed, Refusal(fps + "\n" + threads));
}

// One environment may be for both programs.
TEST(VariablesTest, OfTheCommandLineAreNoErrors) {
  setenv("BVHMILL_FPS", "30", 1);
  EXPECT_TRUE(Read({}).good);
  unsetenv("BVHMILL_FPS");
}

TEST(WhatCallsNeedTest, NamesTlsAndTokens) {
  const auto needs = [](const char* cert, const char* ca, const char* tokens) {
    server::ServerConfig config;
    config.tls_cert = cert;
    config.tls_client_ca = ca;
    config.token_file = tokens;
    return server::WhatCallsNeed(config);
  };
  EXPECT_EQ(needs("", "", ""), "calls need neither TLS nor a token");
  EXPECT_EQ(needs("", "", "t"), "calls need a token, but no TLS");
  EXPECT_EQ(needs("c", "", ""), "calls need TLS, but no token");
  EXPECT_EQ(needs("c", "", "t"), "calls need TLS and a token");
  EXPECT_EQ(needs("c", "a", "t"),
            "calls need TLS with a certificate of the client and a token");
}

}  // namespace
}  // namespace bvhmill::testing
