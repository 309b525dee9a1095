// Tests the files that ConnectOptions name: tokens, certificates and keys.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "bvhmill/base/status.h"
#include "client/cpp/channel.h"
#include "client/cpp/client.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string ErrorOf(const client::ConnectOptions& options) {
  const absl::Status status = client::OpenLine(options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(MessageOf(status));
}

TEST(ConnectOptions, BlanksAroundATokenAreRemoved) {
  const TempDir dir;
  const std::string longest(4096, 't');
  const std::pair<std::string, std::string> cases[] = {
      {"abc", "abc"},         {"abc\r\n", "abc"}, {" \t\r\nabc\t ", "abc"},
      {"!\"#$%&", "!\"#$%&"}, {"{|}~", "{|}~"},   {longest, longest}};
  for (const auto& [text, token] : cases) {
    client::ConnectOptions options;
    options.token_file = dir.File("token");
    WriteFile(options.token_file, text);
    const auto line = client::OpenLine(options);
    ASSERT_TRUE(line.ok()) << text << ": " << line.status();
    EXPECT_EQ(line->authorization, "Bearer " + token);
  }
  EXPECT_EQ(client::OpenLine({})->authorization, "");
}

TEST(ConnectOptions, ATokenIsOneWordOfAscii) {
  const TempDir dir;
  const std::pair<std::string, std::string> cases[] = {
      {"", "does not hold one word of ASCII"},
      {" \r\n", "does not hold one word of ASCII"},
      {"two words", "does not hold one word of ASCII"},
      {"two\nlines", "does not hold one word of ASCII"},
      {"a\x7F", "does not hold one word of ASCII"},
      {"caf\xC3\xA9", "does not hold one word of ASCII"},
      {std::string(4097, 't'), "it has more than 4096 bytes"}};
  for (const auto& [text, why] : cases) {
    client::ConnectOptions options;
    options.token_file = dir.File("token");
    WriteFile(options.token_file, text);
    const std::string error = ErrorOf(options);
    EXPECT_THAT(error, StartsWith("token_file: "));
    EXPECT_THAT(error, HasSubstr(why));
  }
}

TEST(ConnectOptions, ACertificateNeedsItsKey) {
  const TempDir dir;
  WriteFile(dir.File("pem"), "pem");
  client::ConnectOptions options;
  options.tls_cert = dir.File("pem");
  EXPECT_EQ(ErrorOf(options), "tls_key: certificate and key go together");
  options.tls_cert.swap(options.tls_key);
  EXPECT_EQ(ErrorOf(options), "tls_cert: certificate and key go together");
}

TEST(ConnectOptions, AFileThatCannotBeReadIsNamedWithItsField) {
  const TempDir dir;
  const std::string good = dir.File("good");
  const std::string missing = dir.File("missing");
  WriteFile(good, "pem");
  const std::string too_large = dir.File("too_large");
  WriteFile(too_large, std::string((size_t{4} << 20) + 1, 'x'));
  struct Case {
    const char* error;
    std::string token, ca, cert, key;
  };
  const Case cases[] = {{"token_file: cannot read ", missing, "", "", ""},
                        {"token_file: cannot read ", dir.path(), "", "", ""},
                        {"tls_ca: cannot read ", "", missing, "", ""},
                        {"tls_ca: cannot read ", "", too_large, "", ""},
                        {"tls_cert: cannot read ", "", good, missing, good},
                        {"tls_key: cannot read ", "", good, good, missing}};
  for (const Case& c : cases) {
    client::ConnectOptions options;
    options.token_file = c.token;
    options.tls_ca = c.ca;
    options.tls_cert = c.cert;
    options.tls_key = c.key;
    EXPECT_THAT(ErrorOf(options), StartsWith(c.error));
  }
}

// The certificates of all authorities of Debian are 220 kB.
TEST(ConnectOptions, AFileOfAuthoritiesMayHave4MiB) {
  const TempDir dir;
  client::ConnectOptions options;
  options.tls_ca = dir.File("ca");
  WriteFile(options.tls_ca, std::string(size_t{4} << 20, 'x'));
  EXPECT_EQ(client::OpenLine(options).status(), absl::OkStatus());
}

// Sets a variable of the environment, and sets it back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { old_ ? setenv(name_, old_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(Authorities, AreThoseOfTheSystemUnlessAVariableNamesOthers) {
  // That of Debian comes before all others.
  const std::string debian = "/etc/ssl/certs/ca-certificates.crt";
  for (const char* none : {static_cast<const char*>(nullptr), ""}) {
    const Variable variable("SSL_CERT_FILE", none);
    const std::string path = client::SystemAuthorities();
    EXPECT_TRUE(path.empty() || std::filesystem::exists(path)) << path;
    if (std::filesystem::exists(debian)) {
      EXPECT_EQ(path, debian);
    }
  }
  const Variable variable("SSL_CERT_FILE", "/of/the/user.pem");
  EXPECT_EQ(client::SystemAuthorities(), "/of/the/user.pem");
}

}  // namespace
}  // namespace bvhmill::testing
