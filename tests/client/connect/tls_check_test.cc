// Tests CheckTls against servers of this build, and against listeners that do
// not speak as a server does.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "client/cpp/client.h"
#include "tests/server/fixture.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using client::TlsFault;

// A new key and a certificate of its own for `names`, as NAME.key, NAME.crt.
void MakeCertificate(const TempDir& dir, const std::string& name,
                     const std::string& names) {
  const std::string command =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
      "-nodes -days 2 -subj /CN=bvhmill -addext subjectAltName=" +
      names + " -keyout " + dir.File(name + ".key") + " -out " +
      dir.File(name + ".crt") + " 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

class TlsCheckTest : public ServerTest {
 protected:
  void SetUp() override {
    MakeCertificate(dir_, "server", "IP:127.0.0.1,DNS:localhost");
    for (const char* name : {"client", "other"}) {
      MakeCertificate(dir_, name, "DNS:" + std::string(name));
    }
  }

  void StartTls(const std::string& client_ca = "") {
    Start([&](server::ServerConfig* config) {
      config->tls_cert = dir_.File("server.crt");
      config->tls_key = dir_.File("server.key");
      config->tls_client_ca = client_ca;
      config->log = server::LogFormat::kOff;
    });
  }

  // Trusts `ca` and shows `own`, unless they are empty.
  client::TlsCheck Check(const std::string& ca, const std::string& own = "") {
    client::ConnectOptions options;
    options.server = server_->address();
    return CheckAt(options, ca, own);
  }

  client::TlsCheck CheckAt(client::ConnectOptions options,
                           const std::string& ca, const std::string& own = "") {
    if (!ca.empty()) options.tls_ca = dir_.File(ca + ".crt");
    if (!own.empty()) {
      options.tls_cert = dir_.File(own + ".crt");
      options.tls_key = dir_.File(own + ".key");
    }
    return client::CheckTls(options);
  }

  TempDir dir_;
};

TEST_F(TlsCheckTest, APlainServerIsFoundOnlyIfTlsIsAskedFor) {
  Start();
  EXPECT_EQ(Check("").fault, TlsFault::kNone);
  EXPECT_EQ(Check("server").fault, TlsFault::kServerWithoutTls);
}

TEST_F(TlsCheckTest, TheCertificateOfTheServerIsChecked) {
  StartTls();
  EXPECT_EQ(Check("").fault, TlsFault::kServerNeedsTls);
  const client::TlsCheck good = Check("server");
  EXPECT_EQ(good.fault, TlsFault::kNone);
  EXPECT_EQ(good.host, "127.0.0.1");
  EXPECT_EQ(good.detail, "");
  const client::TlsCheck untrusted = Check("other");
  EXPECT_EQ(untrusted.fault, TlsFault::kUntrusted);
  EXPECT_EQ(untrusted.detail, "self-signed certificate");
}

TEST_F(TlsCheckTest, TheSystemsAuthoritiesAreUsedIfNoneAreNamed) {
  StartTls();
  client::ConnectOptions options;
  options.server = server_->address();
  options.tls_system = true;
  for (const auto& [ca, fault] : {std::pair("server", TlsFault::kNone),
                                  std::pair("other", TlsFault::kUntrusted)}) {
    setenv("SSL_CERT_FILE", dir_.File(std::string(ca) + ".crt").c_str(), 1);
    EXPECT_EQ(client::CheckTls(options).fault, fault) << ca;
    unsetenv("SSL_CERT_FILE");
  }
}

TEST_F(TlsCheckTest, TheCertificateOfTheClientIsCheckedIfTheServerAsks) {
  StartTls(dir_.File("client.crt"));
  EXPECT_EQ(Check("server").fault, TlsFault::kCertificateMissing);
  EXPECT_EQ(Check("server", "other").fault, TlsFault::kCertificateRefused);
  EXPECT_EQ(Check("server", "client").fault, TlsFault::kNone);
}

// One that is not asked for cannot be at fault.
TEST_F(TlsCheckTest, ACertificateOfTheClientIsNoFaultIfNoneIsAskedFor) {
  StartTls();
  EXPECT_EQ(Check("server", "other").fault, TlsFault::kNone);
}

TEST_F(TlsCheckTest, WithoutAServerThereIsNoFaultOfTls) {
  for (const char* server :
       {"", ",", "nowhere", "127.0.0.1:1", "0", "no.such.host.invalid:1"}) {
    client::ConnectOptions options;
    options.server = server;
    EXPECT_EQ(CheckAt(options, "server").fault, TlsFault::kNone) << server;
  }
}

// Runs `talk` with the socket of the first connection.
class Listener {
 public:
  explicit Listener(std::function<void(int)> talk)
      : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, any, size), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    EXPECT_EQ(getsockname(socket_, any, &size), 0);
    port_ = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this, talk = std::move(talk)] {
      const int peer = accept(socket_, nullptr, nullptr);
      if (peer >= 0) talk(peer);
      close(peer);
    });
  }
  ~Listener() {
    Join();
    close(socket_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Waits for the end of the connection.
  void Join() {
    // Ends a wait for a connection that never came.
    shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }
  const std::string& port() const { return port_; }

 private:
  int socket_;
  std::string port_;
  std::thread thread_;
};

// Reads until the peer ends the connection.
void Drain(int socket) {
  char bytes[4096];
  while (recv(socket, bytes, sizeof bytes, 0) > 0) {
  }
}

// The advice was to turn TLS off, for a server with TLS that was stopped: the
// next call would have sent the token as plain text.
TEST_F(TlsCheckTest, AServerThatSaysNothingIsNotOneWithoutTls) {
  client::ConnectOptions options;
  Listener silent(&Drain);
  options.server = silent.port();
  EXPECT_EQ(CheckAt(options, "server").fault, TlsFault::kNone);
  EXPECT_EQ(CheckAt(options, "").fault, TlsFault::kNone);
}

// OpenSSL wrote to the closed connection, and the signal ended the process.
TEST_F(TlsCheckTest, AServerThatHangsUpDoesNotEndTheProcess) {
  for (int i = 0; i < 20; ++i) {
    client::ConnectOptions options;
    Listener closing([](int socket) { shutdown(socket, SHUT_RDWR); });
    options.server = closing.port();
    EXPECT_EQ(CheckAt(options, "server").fault, TlsFault::kNone);
  }
}

TEST_F(TlsCheckTest, AServerThatAnswersWithOtherBytesIsOneWithoutTls) {
  for (const std::string answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", "x"}) {
    client::ConnectOptions options;
    Listener plain([&](int socket) {
      send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
      shutdown(socket, SHUT_WR);
      Drain(socket);
    });
    options.server = plain.port();
    EXPECT_EQ(CheckAt(options, "server").fault, TlsFault::kServerWithoutTls)
        << answer;
  }
}

// The words of a client in a handshake.
struct Hello {
  std::string name;
  std::string protocols;
};

int OnProtocols(SSL* /*session*/, const unsigned char** out,
                unsigned char* out_size, const unsigned char* in, unsigned size,
                void* hello) {
  static_cast<Hello*>(hello)->protocols.assign(in, in + size);
  *out = in + 1;
  *out_size = *in;
  return SSL_TLSEXT_ERR_OK;
}

// How a server talks: as one of TLS 1.3 or of TLS 1.2, with a certificate of
// the client or without, and first, after the handshake, or not.
struct Manner {
  int version = TLS1_3_VERSION;
  bool asks_client = false;
  bool speaks = true;
};

void Serve(int socket, const TempDir& dir, const Manner& manner, Hello* hello) {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_use_certificate_file(context, dir.File("server.crt").c_str(),
                               SSL_FILETYPE_PEM);
  SSL_CTX_use_PrivateKey_file(context, dir.File("server.key").c_str(),
                              SSL_FILETYPE_PEM);
  SSL_CTX_set_alpn_select_cb(context, &OnProtocols, hello);
  SSL_CTX_set_max_proto_version(context, manner.version);
  if (manner.asks_client) {
    SSL_CTX_load_verify_file(context, dir.File("client.crt").c_str());
    SSL_CTX_set_verify(
        context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  SSL* const session = SSL_new(context);
  SSL_set_fd(session, socket);
  if (SSL_accept(session) == 1) {
    const char* name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    if (name != nullptr) hello->name = name;
    if (manner.speaks) SSL_write(session, "x", 1);
    Drain(socket);
  }
  SSL_free(session);
  SSL_CTX_free(context);
}

// A server with several names shows the certificate for the one that the client
// states, and one with several protocols refuses a client that states none.
TEST_F(TlsCheckTest, TheClientStatesTheNameOfTheServerAndTheProtocol) {
  // RFC 6066 allows no addresses there.
  for (const auto& [host, name] :
       {std::pair("localhost", "localhost"), std::pair("127.0.0.1", "")}) {
    Hello hello;
    Listener server([&](int socket) { Serve(socket, dir_, {}, &hello); });
    client::ConnectOptions options;
    options.server = std::string(host) + ":" + server.port();
    const client::TlsCheck check = CheckAt(options, "server");
    server.Join();
    EXPECT_EQ(check.fault, TlsFault::kNone) << host;
    EXPECT_EQ(check.host, host);
    EXPECT_EQ(hello.name, name);
    EXPECT_EQ(hello.protocols, "\x02h2");
  }
}

// TLS 1.2 refuses within the handshake, TLS 1.3 after it.
TEST_F(TlsCheckTest, ARefusalIsFoundInEveryVersionOfTls) {
  struct Case {
    int version;
    bool speaks;
    const char* own;
    TlsFault fault;
  };
  const Case cases[] = {
      {TLS1_2_VERSION, true, "", TlsFault::kCertificateMissing},
      {TLS1_2_VERSION, true, "other", TlsFault::kCertificateRefused},
      {TLS1_2_VERSION, true, "client", TlsFault::kNone},
      {TLS1_3_VERSION, true, "", TlsFault::kCertificateMissing},
      {TLS1_3_VERSION, true, "other", TlsFault::kCertificateRefused},
      {TLS1_3_VERSION, true, "client", TlsFault::kNone},
      // It waits for the client to speak.
      {TLS1_3_VERSION, false, "client", TlsFault::kNone}};
  for (const Case& c : cases) {
    Hello hello;
    Listener server([&](int socket) {
      Serve(socket, dir_, {c.version, true, c.speaks}, &hello);
    });
    client::ConnectOptions options;
    options.server = server.port();
    EXPECT_EQ(CheckAt(options, "server", c.own).fault, c.fault)
        << c.version << " " << c.own;
  }
}

}  // namespace
}  // namespace bvhmill::testing
