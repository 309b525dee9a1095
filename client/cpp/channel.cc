#include "client/cpp/channel.h"

#include <arpa/inet.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/settings/small_file.h"
#include "client/cpp/authorities.h"
#include "client/cpp/server_address.h"

namespace bvhmill::client {
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

// An "ipv6:" target has no place for the others but as mapped addresses.
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
                        "SSL_CERT_FILE or --tls-ca");
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
  // More than all joints of the largest clip take; a server that sends more is
  // broken.
  constexpr int kMaxReceivedBytes = 128 << 20;
  arguments.SetMaxReceiveMessageSize(kMaxReceivedBytes);
  arguments.SetMaxSendMessageSize(-1);
  // Lets the chunks of an upload be written together.
  arguments.SetInt(GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, 2 << 20);
  // Notices a peer that is gone without a word, as long as a call waits for it.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Client does that. With gRPC's own retries a stream that is cancelled may
  // wait for ever.
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
    // Addresses say nothing about the name that a certificate is for.
    const absl::StatusOr<HostPort> first = SplitHostPort(list[0]);
    arguments.SetSslTargetNameOverride(first->host);
  }
  return Line{grpc::CreateCustomChannel(*target, *credentials, arguments),
              *std::move(authorization)};
}

}  // namespace bvhmill::client
