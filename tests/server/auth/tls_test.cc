#include "server/auth/tls.h"

#include <gmock/gmock.h>
#include <httplib.h>
#include <unistd.h>

#include <cstdlib>

#include "bvhmill/base/status.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;

// A new key and a certificate of its own for localhost, as NAME.key, NAME.crt.
void MakeCertificate(const TempDir& dir, const std::string& name) {
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
      "-nodes -days 2 -subj /CN=localhost -addext "
      "subjectAltName=DNS:localhost -keyout " +
      dir.File(name + ".key") + " -out " + dir.File(name + ".crt") +
      " 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

class TlsTest : public ServerTest {
 protected:
  void SetUp() override {
    for (const char* name : {"first", "second"}) MakeCertificate(dir_, name);
    Use("first");
  }

  // The server reads a copy of the files, which is replaced by renaming.
  void Use(const std::string& name) {
    Replace(name + ".key", "server.key");
    Replace(name + ".crt", "server.crt");
  }

  void Replace(const std::string& from, const std::string& to) {
    const std::string copy = dir_.File("copy");
    WriteFile(copy, ReadFile(dir_.File(from)));
    ASSERT_EQ(rename(copy.c_str(), dir_.File(to).c_str()), 0);
  }

  server::ServerConfig Config() {
    server::ServerConfig config;
    config.listen = "localhost:0";
    config.tls_cert = dir_.File("server.crt");
    config.tls_key = dir_.File("server.key");
    config.log = server::LogFormat::kErrors;
    return config;
  }

  void StartTls(const std::string& client_ca = "") {
    Start([&](server::ServerConfig* config) {
      *config = Config();
      config->tls_client_ca = client_ca;
    });
  }

  // Whether a new connection that trusts only `root`, and shows `own` if that
  // is not empty, is served.
  bool IsServed(const std::string& root, const std::string& own = "") {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = ReadFile(dir_.File(root + ".crt"));
    if (!own.empty()) {
      options.pem_cert_chain = ReadFile(dir_.File(own + ".crt"));
      options.pem_private_key = ReadFile(dir_.File(own + ".key"));
    }
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto stub = v1::ServerService::NewStub(grpc::CreateCustomChannel(
        server_->address(), grpc::SslCredentials(options), arguments));
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::seconds(5));
    v1::GetServerInfoResponse response;
    return stub->GetServerInfo(&context, {}, &response).ok();
  }

  // The same for the HTTP API.
  bool IsServedOverHttp(const std::string& root, const std::string& own = "") {
    const std::string address = server_->http_address();
    const int port = std::atoi(address.substr(address.rfind(':') + 1).c_str());
    httplib::SSLClient client("localhost", port,
                              own.empty() ? "" : dir_.File(own + ".crt"),
                              own.empty() ? "" : dir_.File(own + ".key"));
    client.set_ca_cert_path(dir_.File(root + ".crt").c_str());
    client.enable_server_certificate_verification(true);
    const auto answer = client.Get("/v1/info");
    return answer && answer->status == 200;
  }

  TempDir dir_;
};

TEST_F(TlsTest, TheHttpApiHasTheCertificatesOfCalls) {
  Start([&](server::ServerConfig* config) {
    *config = Config();
    config->http = "localhost:0";
  });
  EXPECT_TRUE(IsServedOverHttp("first"));
  EXPECT_FALSE(IsServedOverHttp("second"));
  Use("second");
  EXPECT_TRUE(Eventually([this] { return IsServedOverHttp("second"); }));
  EXPECT_FALSE(IsServedOverHttp("first"));
}

TEST_F(TlsTest, TheHttpApiAsksForTheCertificatesOfClients) {
  Start([&](server::ServerConfig* config) {
    *config = Config();
    config->http = "localhost:0";
    config->tls_client_ca = dir_.File("second.crt");
  });
  EXPECT_TRUE(IsServedOverHttp("first", "second"));
  EXPECT_FALSE(IsServedOverHttp("first", "first"));
  EXPECT_FALSE(IsServedOverHttp("first"));
}

TEST_F(TlsTest, ANewCertificateIsServedWithoutARestart) {
  StartTls();
  ASSERT_TRUE(IsServed("first"));
  EXPECT_FALSE(IsServed("second"));
  Use("second");
  EXPECT_TRUE(Eventually([this] { return IsServed("second"); }));
  EXPECT_FALSE(IsServed("first"));
}

// A new pair of files that does not fit, or is broken, must change nothing.
TEST_F(TlsTest, TheOldCertificateServesWhileTheNewOneIsBroken) {
  StartTls();
  ASSERT_TRUE(IsServed("first"));
  const std::pair<std::string, std::string> broken[] = {
      {"first.crt", "second.key"}, {"second.crt", "junk"}, {"junk", "junk"}};
  WriteFile(dir_.File("junk"), "junk\n");
  for (const auto& [certificate, key] : broken) {
    ::testing::internal::CaptureStderr();
    // The key first: the new certificate fits the key of the pair before.
    Replace(key, "server.key");
    Replace(certificate, "server.crt");
    // As when it sees that the files are others.
    server_->Reload();
    EXPECT_TRUE(IsServed("first")) << certificate << " " << key;
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                HasSubstr("kept the old certificate: "));
  }
  Use("second");
  EXPECT_TRUE(Eventually([this] { return IsServed("second"); }));
}

TEST_F(TlsTest, ClientsShowACertificateIfAsked) {
  StartTls(dir_.File("second.crt"));
  EXPECT_FALSE(IsServed("first"));
  EXPECT_FALSE(IsServed("first", "first"));
  EXPECT_TRUE(IsServed("first", "second"));
}

// An authority that is replaced, e.g. since its key was stolen, must not admit
// clients any more.
TEST_F(TlsTest, ANewAuthorityOfClientsIsUsedWithoutARestart) {
  Replace("second.crt", "clients.crt");
  StartTls(dir_.File("clients.crt"));
  ASSERT_TRUE(IsServed("first", "second"));
  EXPECT_FALSE(IsServed("first", "first"));
  Replace("first.crt", "clients.crt");
  EXPECT_TRUE(Eventually([this] { return IsServed("first", "first"); }));
  EXPECT_FALSE(IsServed("first", "second"));
}

// The last line of a file may have no end.
TEST_F(TlsTest, FilesWithoutALastLineEndAreServed) {
  for (const char* name : {"server.key", "server.crt"}) {
    std::string text = ReadFile(dir_.File(name));
    ASSERT_TRUE(text.ends_with('\n'));
    text.pop_back();
    WriteFile(dir_.File(name), text);
  }
  StartTls();
  EXPECT_TRUE(IsServed("first"));
}

TEST_F(TlsTest, FilesThatDoNotFitAreNamed) {
  server::ServerConfig config = Config();
  EXPECT_TRUE(server::CheckTlsFiles(config).ok());
  config.tls_key = dir_.File("second.key");
  const std::string wrong_key(server::CheckTlsFiles(config).message());
  EXPECT_THAT(wrong_key, HasSubstr("second.key is not the key of"));
  WriteFile(dir_.File("junk"), "junk\n");
  config.tls_key = dir_.File("junk");
  EXPECT_THAT(std::string(server::CheckTlsFiles(config).message()),
              HasSubstr("junk holds no PEM key"));
  config.tls_cert = dir_.File("junk");
  EXPECT_THAT(std::string(server::CheckTlsFiles(config).message()),
              HasSubstr("junk holds no PEM certificate"));
  std::unique_ptr<server::Server> server;
  EXPECT_FALSE(server::Server::Start(config, &server).ok());
}

}  // namespace
}  // namespace bvhmill::testing
