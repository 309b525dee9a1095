// The time at which the certificate of a server expires, against that which
// openssl states.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "server/auth/tls.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

class ExpiryTest : public ServerTest {
 protected:
  void SetUp() override {
    MakeDays("year", 365);
    MakeDays("month", 30);
    MakeDays("day", 1);
  }

  void MakeDays(const std::string& name, int days) const {
    Run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
        "-nodes -subj /CN=localhost -days " +
        std::to_string(days) + " -keyout " + dir_.File(name + ".key") +
        " -out " + dir_.File(name + ".crt") + " 2>/dev/null");
  }

  static void Run(const std::string& command) {
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  int64_t ExpiryOf(const std::string& name) const {
    const std::string out = dir_.File("out");
    Run("date -d \"$(openssl x509 -noout -enddate -in " +
        dir_.File(name + ".crt") + " | cut -d= -f2)\" +%s > " + out);
    return std::stoll(ReadFile(out));
  }

  // The server has the key of the first one.
  server::ServerConfig ConfigOf(const std::vector<std::string>& chain) const {
    std::string pem;
    for (const std::string& name : chain) {
      pem += ReadFile(dir_.File(name + ".crt"));
    }
    WriteFile(dir_.File("server.crt"), pem);
    server::ServerConfig config;
    config.listen = "localhost:0";
    config.metrics = "127.0.0.1:0";
    config.tls_cert = dir_.File("server.crt");
    config.tls_key = dir_.File(chain[0] + ".key");
    return config;
  }

  const TempDir dir_;
};

TEST_F(ExpiryTest, TheFirstCertificateOfAChainCounts) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"month"}, "month"},
      {{"month", "year"}, "month"},
      {{"year", "month", "day"}, "day"}};
  for (const auto& [chain, first] : cases) {
    std::unique_ptr<server::TlsFiles> files;
    ASSERT_TRUE(server::TlsFiles::Open(ConfigOf(chain), &files).ok());
    EXPECT_EQ(files->expiry_seconds(), ExpiryOf(first)) << chain.size();
  }
  std::unique_ptr<server::TlsFiles> none;
  ASSERT_TRUE(server::TlsFiles::Open({}, &none).ok());
  EXPECT_EQ(none->expiry_seconds(), 0);
}

TEST_F(ExpiryTest, ThePageShowsThatOfTheCertificateInUse) {
  const std::string name = "bvhmill_tls_certificate_expiry_timestamp_seconds";
  Start([&](server::ServerConfig* config) { *config = ConfigOf({"month"}); });
  const std::string address = server_->metrics_address();
  EXPECT_EQ(FetchGauge(address, name), ExpiryOf("month"));
  // The key is that of the other certificate, so the old one stays in use.
  ConfigOf({"year"});
  server_->Reload();
  EXPECT_EQ(FetchGauge(address, name), ExpiryOf("month"));
  WriteFile(dir_.File("month.key"), ReadFile(dir_.File("year.key")));
  server_->Reload();
  EXPECT_EQ(FetchGauge(address, name), ExpiryOf("year"));
  Start([](server::ServerConfig* config) { config->metrics = "127.0.0.1:0"; });
  EXPECT_EQ(FetchMetrics(server_->metrics_address()).find(name),
            std::string::npos);
}

}  // namespace
}  // namespace bvhmill::testing
