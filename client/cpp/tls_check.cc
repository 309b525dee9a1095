// CheckTls: a TLS handshake by OpenSSL, which says more than gRPC.

#include <arpa/inet.h>
#include <netdb.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/cpp/authorities.h"
#include "client/cpp/client.h"
#include "client/cpp/server_address.h"

namespace bvhmill::client {
namespace {

constexpr int kSeconds = 2;

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
  void operator()(BIO* connection) const { BIO_free(connection); }
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

using BioPtr = std::unique_ptr<BIO, Free>;

// A connection to the first address of `at` that takes one; else null.
BioPtr ConnectTo(const HostPort& at) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(at.host.c_str(), at.port.c_str(), &hints, &found) != 0) {
    return {};
  }
  const std::unique_ptr<addrinfo, Free> list(found);
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    const int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    BioPtr owner(BIO_new_socket(fd, BIO_CLOSE));
    const timeval time = {kSeconds, 0};
    // The time for sending is also that for connecting.
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    if (connect(fd, info->ai_addr, info->ai_addrlen) == 0) return owner;
  }
  return {};
}

// The behaviour of a server in a handshake.
struct Handshake {
  // The server sent a byte. One that is busy or stopped takes connections, too,
  // and says nothing.
  bool has_answered = false;
  bool speaks_tls = false;
  bool asks_certificate = false;
  // The server ended the connection before it sent a byte.
  bool is_refused = false;
  // X509_V_OK, or the fault of the certificate of the server.
  long verdict = X509_V_OK;  // NOLINT(google-runtime-int): OpenSSL's type
};

// Called when the server asks for a certificate; sends that of the context.
int OnAsked(SSL* session, void* handshake) {
  static_cast<Handshake*>(handshake)->asks_certificate = true;
  return session != nullptr ? 1 : 0;
}

std::unique_ptr<SSL_CTX, Free> MakeContext(const ConnectOptions& options,
                                           Handshake* out) {
  std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return context;
  constexpr std::array<unsigned char, 3> kHttp2 = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), kHttp2.data(), kHttp2.size());
  // The handshake continues after a bad certificate; `verdict` reports it.
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  const std::string& authorities =
      options.tls_ca.empty() ? SystemAuthorities() : options.tls_ca;
  SSL_CTX_load_verify_file(context.get(), authorities.c_str());
  if (!options.tls_cert.empty()) {
    SSL_CTX_use_certificate_chain_file(context.get(), options.tls_cert.c_str());
    SSL_CTX_use_PrivateKey_file(context.get(), options.tls_key.c_str(),
                                SSL_FILETYPE_PEM);
  }
  SSL_CTX_set_cert_cb(context.get(), OnAsked, out);
  return context;
}

void ExpectHost(const std::string& host, SSL* session) {
  std::array<unsigned char, sizeof(in6_addr)> address = {};
  const bool is_address =
      inet_pton(AF_INET, host.c_str(), address.data()) > 0 ||
      inet_pton(AF_INET6, host.c_str(), address.data()) > 0;
  if (is_address) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str());
    return;
  }
  SSL_set_tlsext_host_name(session, host.c_str());
  SSL_set1_host(session, host.c_str());
}

// True if the server sent an alert of TLS instead of going on.
bool IsAlert() {
  const unsigned long error = ERR_peek_error();  // NOLINT(google-runtime-int)
  return ERR_GET_LIB(error) == ERR_LIB_SSL &&
         ERR_GET_REASON(error) > SSL_AD_REASON_OFFSET;
}

// While it lives, a server that ends the connection does not end the process:
// OpenSSL writes to sockets without MSG_NOSIGNAL. Only for this thread.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    const timespec no_time = {};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &no_time);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

void ShakeHands(SSL* session, Handshake* out) {
  const WithoutPipeSignal without_signal;
  ERR_clear_error();
  const bool is_open = SSL_connect(session) == 1;
  out->has_answered = BIO_number_read(SSL_get_rbio(session)) > 0;
  if (!is_open) {
    out->is_refused = IsAlert();
    out->speaks_tls = out->is_refused;
    return;
  }
  out->speaks_tls = true;
  out->verdict = SSL_get_verify_result(session);
  // A server that takes the client speaks first. Since TLS 1.3 one that refuses
  // the client's certificate does so after the handshake.
  char byte = 0;
  const int got = SSL_read(session, &byte, 1);
  out->is_refused =
      got <= 0 && SSL_get_error(session, got) != SSL_ERROR_WANT_READ;
}

TlsFault FaultOf(const ConnectOptions& options, const Handshake& shown) {
  const bool wants_tls = UsesTls(options);
  if (!shown.speaks_tls) {
    return wants_tls && shown.has_answered ? TlsFault::kServerWithoutTls
                                           : TlsFault::kNone;
  }
  if (!wants_tls) return TlsFault::kServerNeedsTls;
  if (shown.verdict == X509_V_ERR_HOSTNAME_MISMATCH ||
      shown.verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    return TlsFault::kWrongName;
  }
  if (shown.verdict != X509_V_OK) return TlsFault::kUntrusted;
  if (!shown.asks_certificate) return TlsFault::kNone;
  if (options.tls_cert.empty()) return TlsFault::kCertificateMissing;
  return shown.is_refused ? TlsFault::kCertificateRefused : TlsFault::kNone;
}

}  // namespace

TlsCheck CheckTls(const ConnectOptions& options) {
  const std::vector<std::string_view> servers = SplitServers(options.server);
  if (servers.empty()) return {};
  const absl::StatusOr<HostPort> at = SplitHostPort(servers.front());
  if (!at.ok()) return {};
  BioPtr connection = ConnectTo(*at);
  if (connection == nullptr) return {};
  Handshake shown;
  const auto context = MakeContext(options, &shown);
  const std::unique_ptr<SSL, Free> session(
      context == nullptr ? nullptr : SSL_new(context.get()));
  if (session == nullptr) return {};
  BIO* bio = connection.release();
  SSL_set_bio(session.get(), bio, bio);
  ExpectHost(at->host, session.get());
  ShakeHands(session.get(), &shown);
  ERR_clear_error();
  TlsCheck check = {FaultOf(options, shown), at->host, ""};
  if (check.fault == TlsFault::kUntrusted) {
    check.detail = X509_verify_cert_error_string(shown.verdict);
  }
  return check;
}

}  // namespace bvhmill::client
