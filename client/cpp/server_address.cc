#include "client/cpp/server_address.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/utf8.h"
#include "client/cpp/client.h"

namespace bvhmill::client {
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

}  // namespace bvhmill::client
