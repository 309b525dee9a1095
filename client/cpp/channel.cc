#include "client/cpp/channel.h"

#include <arpa/inet.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <netdb.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/settings/small_file.h"
#include "client/cpp/client.h"

namespace bvhmill::client {
namespace {

// Debian, Fedora, openSUSE, RHEL, Alpine.
constexpr const char* kFiles[] = {
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
};

}  // namespace

std::string SystemAuthorities() {
  const char* named = std::getenv("SSL_CERT_FILE");
  if (named != nullptr && *named != '\0') return named;
  for (const char* file : kFiles) {
    if (access(file, R_OK) == 0) return file;
  }
  return {};
}

namespace {

constexpr std::string_view kThisMachine = "127.0.0.1";

bool IsAllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

bool IsPort(std::string_view text) {
  constexpr int kMax = 65535;
  int port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, port);
  return fault == std::errc() && stop == end && port > 0 && port <= kMax;
}

// True for an IPv6 address without brackets, with or without a port: the two
// cannot be told apart.
bool IsBareIpv6(std::string_view host) {
  const auto is_part = [](unsigned char c) {
    return std::isxdigit(c) != 0 || c == ':' || c == '.';
  };
  return host.find(':') != host.npos &&
         std::all_of(host.begin(), host.end(), is_part);
}

absl::Status NoAddress(std::string_view text, std::string_view why) {
  return InvalidField("server",
                      "'" + std::string(text) + "' " + std::string(why));
}

}  // namespace

std::string WithHost(std::string_view server) {
  return IsAllDigits(server)
             ? std::string(kThisMachine) + ":" + std::string(server)
             : std::string(server);
}

absl::StatusOr<HostPort> SplitHostPort(std::string_view text) {
  if (text.find("://") != text.npos) {
    return NoAddress(text, "is a URL; write HOST:PORT");
  }
  const std::string whole = WithHost(text);
  const size_t colon = whole.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == whole.size()) {
    return NoAddress(text, "is not HOST:PORT or PORT");
  }
  HostPort at{whole.substr(0, colon), whole.substr(colon + 1)};
  if (!whole.starts_with("unix:") && !IsPort(at.port)) {
    return NoAddress(text, "has no port from 1 to 65535");
  }
  if (IsBareIpv6(at.host)) {
    return NoAddress(text, "has an IPv6 address: write [HOST]:PORT");
  }
  const bool has_brackets = at.host.starts_with('[');
  if (has_brackets != at.host.ends_with(']')) {
    return NoAddress(text, "is not HOST:PORT or PORT");
  }
  if (has_brackets) at.host = at.host.substr(1, at.host.size() - 2);
  if (at.host.empty()) return NoAddress(text, "is not HOST:PORT or PORT");
  return at;
}

std::vector<std::string_view> SplitServers(std::string_view list) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = list.find(',');
    const std::string_view part = list.substr(0, comma);
    if (!part.empty()) parts.push_back(part);
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

absl::Status Unreachable(std::string_view server, std::string_view why) {
  // gRPC puts these words before the cause. They tell the user nothing.
  constexpr std::string_view kLead = "last error: UNKNOWN: ";
  const size_t lead = why.find(kLead);
  if (lead != std::string_view::npos) why.remove_prefix(lead + kLead.size());
  return MakeCallError({.code = absl::StatusCode::kUnavailable,
                        .reason = std::string(kServerUnreachable),
                        .message = "cannot reach " + std::string(server) +
                                   ": " + Excerpt(why, why.size())});
}

namespace {

constexpr size_t kMaxPemBytes = size_t{4} << 20;
constexpr size_t kMaxTokenBytes = 4096;

struct Address {
  std::string host;
  std::string port;
  bool is_v6 = false;
};

Address AddressOf(const addrinfo& info) {
  Address address;
  address.is_v6 = info.ai_family == AF_INET6;
  std::array<char, NI_MAXHOST> host = {};
  std::array<char, NI_MAXSERV> port = {};
  getnameinfo(info.ai_addr, info.ai_addrlen, host.data(), host.size(),
              port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  address.host = host.data();
  address.port = port.data();
  return address;
}

absl::Status Resolve(std::string_view server, std::vector<Address>* out) {
  const absl::StatusOr<HostPort> at = SplitHostPort(server);
  if (!at.ok()) return at.status();
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(at->host.c_str(), at->port.c_str(), &hints, &found);
  if (error != 0) {
    return Unreachable(server, gai_strerror(error));
  }
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
    out->push_back(AddressOf(*info));
  }
  freeaddrinfo(found);
  return absl::OkStatus();
}

// In an "ipv6:" target, IPv4 addresses are written as mapped addresses.
// Brackets are percent-encoded, since a target is a URI.
std::string ListTarget(const std::vector<Address>& addresses) {
  const bool any_v6 = std::any_of(addresses.begin(), addresses.end(),
                                  [](const Address& a) { return a.is_v6; });
  std::string target = any_v6 ? "ipv6:" : "ipv4:";
  for (const Address& a : addresses) {
    if (!target.ends_with(':')) target += ',';
    if (any_v6) target += a.is_v6 ? "%5B" : "%5B::ffff:";
    target += a.host;
    if (any_v6) target += "%5D";
    target.append(":").append(a.port);
  }
  return target;
}

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  const size_t last = text.find_last_not_of(kBlanks);
  return std::string(text.substr(first, last - first + 1));
}

// Fills `out` with the content of the file `path`, if there is one.
absl::Status ReadField(std::string_view field, const std::string& path,
                       size_t max_bytes, const CancelToken* cancel,
                       std::string* out) {
  if (path.empty()) return absl::OkStatus();
  absl::StatusOr<std::string> content = ReadSmallFile(path, max_bytes, cancel);
  if (absl::IsCancelled(content.status())) return content.status();
  if (!content.ok()) return InvalidField(field, MessageOf(content.status()));
  *out = *std::move(content);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Authorization(const std::string& token_file,
                                          const CancelToken* cancel) {
  if (token_file.empty()) return std::string();
  std::string content;
  BVHMILL_RETURN_IF_ERROR(
      ReadField("token_file", token_file, kMaxTokenBytes, cancel, &content));
  const std::string token = Trimmed(content);
  const auto is_odd = [](char c) { return c <= ' ' || c > '~'; };
  if (token.empty() || std::any_of(token.begin(), token.end(), is_odd)) {
    return InvalidField("token_file",
                        token_file + " does not hold one word of ASCII");
  }
  return "Bearer " + token;
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> Credentials(
    const ConnectOptions& options, const CancelToken* cancel) {
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return InvalidField(options.tls_cert.empty() ? "tls_cert" : "tls_key",
                        "certificate and key go together");
  }
  if (!UsesTls(options)) return grpc::InsecureChannelCredentials();
  const std::string authorities =
      options.tls_ca.empty() ? SystemAuthorities() : options.tls_ca;
  if (authorities.empty()) {
    return InvalidField("tls_system",
                        "this system has no file of authorities; name one by "
                        "SSL_CERT_FILE or tls_ca");
  }
  grpc::SslCredentialsOptions tls;
  BVHMILL_RETURN_IF_ERROR(
      ReadField(options.tls_ca.empty() ? "tls_system" : "tls_ca", authorities,
                kMaxPemBytes, cancel, &tls.pem_root_certs));
  BVHMILL_RETURN_IF_ERROR(ReadField("tls_cert", options.tls_cert, kMaxPemBytes,
                                    cancel, &tls.pem_cert_chain));
  BVHMILL_RETURN_IF_ERROR(ReadField("tls_key", options.tls_key, kMaxPemBytes,
                                    cancel, &tls.pem_private_key));
  return grpc::SslCredentials(tls);
}

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetLoadBalancingPolicyName("round_robin");
  // Enough for all joints of the largest clip; a server that sends more is
  // broken.
  constexpr int kMaxReceivedBytes = 128 << 20;
  arguments.SetMaxReceiveMessageSize(kMaxReceivedBytes);
  arguments.SetMaxSendMessageSize(-1);
  // Lets the chunks of an upload be written together.
  arguments.SetInt(GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, 2 << 20);
  // Detects a peer that disappeared, while a call waits for it.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Client retries. With the retries of gRPC, a cancelled stream may never end.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  // A server that restarts is found again within the pauses of a retry.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  return arguments;
}

}  // namespace

absl::StatusOr<std::string> TargetOf(std::string_view servers) {
  const std::vector<std::string_view> list = SplitServers(servers);
  if (list.empty()) return InvalidField("server", "is empty");
  if (list.size() == 1) {
    const absl::StatusOr<HostPort> at = SplitHostPort(list[0]);
    if (!at.ok()) return at.status();
    return WithHost(list[0]);
  }
  std::vector<Address> addresses;
  for (const std::string_view server : list) {
    BVHMILL_RETURN_IF_ERROR(Resolve(server, &addresses));
  }
  return ListTarget(addresses);
}

absl::StatusOr<Line> OpenLine(const ConnectOptions& options,
                              const CancelToken* cancel) {
  absl::StatusOr<std::string> authorization =
      Authorization(options.token_file, cancel);
  if (!authorization.ok()) return authorization.status();
  const auto credentials = Credentials(options, cancel);
  if (!credentials.ok()) return credentials.status();
  const absl::StatusOr<std::string> target = TargetOf(options.server);
  if (!target.ok()) return target.status();
  grpc::ChannelArguments arguments = Arguments();
  const std::vector<std::string_view> list = SplitServers(options.server);
  if (list.size() > 1) {
    // Certificates are for the name of the first server, not for addresses.
    const absl::StatusOr<HostPort> first = SplitHostPort(list[0]);
    arguments.SetSslTargetNameOverride(first->host);
  }
  return Line{grpc::CreateCustomChannel(*target, *credentials, arguments),
              *std::move(authorization)};
}

// CheckTls, which is declared in client.h: a TLS handshake by OpenSSL, whose
// errors are more precise than those of gRPC.

namespace {

constexpr int kSeconds = 2;

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
  void operator()(BIO* connection) const { BIO_free(connection); }
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

using BioPtr = std::unique_ptr<BIO, Free>;

// A connection to the first address of `at` that accepts one; else null.
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
  // The server sent a byte. A busy or stopped server also accepts connections,
  // but sends none.
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

// True if the server sent an alert of TLS instead of its next message.
bool IsAlert() {
  const unsigned long error = ERR_peek_error();  // NOLINT(google-runtime-int)
  return ERR_GET_LIB(error) == ERR_LIB_SSL &&
         ERR_GET_REASON(error) > SSL_AD_REASON_OFFSET;
}

// Blocks SIGPIPE in this thread during its lifetime, so that a server that ends
// the connection does not end the process: OpenSSL writes to sockets without
// MSG_NOSIGNAL.
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
  // A server that accepts the client sends the first bytes. Since TLS 1.3, a
  // server refuses the certificate of the client after the handshake.
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
