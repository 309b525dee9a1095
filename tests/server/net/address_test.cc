// Tests which texts are addresses, and which socket addresses they give.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "server/net/listener.h"

namespace bvhmill::testing {
namespace {

TEST(AddressTest, APortIsANumberFrom0To65535) {
  struct Case {
    const char* address;
    bool has_port;
  };
  const Case cases[] = {{"localhost:7450", true},
                        {"localhost:0", true},
                        {"localhost:65535", true},
                        {"[::1]:7450", true},
                        {"localhost:65536", false},
                        {"localhost:4294967297", false},
                        {"localhost:-1", false},
                        {"localhost:+1", false},
                        {"localhost: 1", false},
                        {"localhost:1 ", false},
                        {"localhost:1x", false},
                        {"localhost:0x10", false},
                        {"localhost:", false},
                        {"localhost", false},
                        {":7450", false},
                        {"7450", false},
                        {"", false}};
  for (const Case& c : cases) {
    EXPECT_EQ(server::HasPort(c.address), c.has_port) << c.address;
  }
}

TEST(AddressTest, APortAloneIsOneOfThisMachine) {
  const std::pair<const char*, const char*> cases[] = {
      {"7450", "127.0.0.1:7450"},
      {"0", "127.0.0.1:0"},
      {"65535", "127.0.0.1:65535"},
      {"65536", "65536"},
      {"-1", "-1"},
      {"7450x", "7450x"},
      {"localhost:1", "localhost:1"},
      {"", ""}};
  for (const auto& [address, with_host] : cases) {
    EXPECT_EQ(server::WithHost(address), with_host) << address;
  }
}

// The first address as text, e.g. "127.0.0.1 7450"; empty if there is none.
std::string FirstOf(const std::string& address) {
  const server::Addresses found = server::Resolve(address);
  if (found == nullptr) return "";
  std::array<char, INET6_ADDRSTRLEN> text = {};
  if (found->ai_family == AF_INET6) {
    sockaddr_in6 v6 = {};
    std::memcpy(&v6, found->ai_addr, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    return std::string(text.data()) + " " + std::to_string(ntohs(v6.sin6_port));
  }
  sockaddr_in v4 = {};
  std::memcpy(&v4, found->ai_addr, sizeof v4);
  inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
  return std::string(text.data()) + " " + std::to_string(ntohs(v4.sin_port));
}

TEST(AddressTest, NumbersAreResolvedWithAndWithoutBrackets) {
  EXPECT_EQ(FirstOf("127.0.0.1:7450"), "127.0.0.1 7450");
  EXPECT_EQ(FirstOf("[127.0.0.1]:0"), "127.0.0.1 0");
  EXPECT_EQ(FirstOf("[::1]:7450"), "::1 7450");
  EXPECT_EQ(FirstOf("[fe80::2]:65535"), "fe80::2 65535");
}

// The system knows names of services, such as http. A port is a number.
TEST(AddressTest, ANameOfAServiceIsNoPort) {
  EXPECT_EQ(FirstOf("127.0.0.1:http"), "");
  EXPECT_EQ(FirstOf("127.0.0.1:65536"), "");
  EXPECT_EQ(FirstOf("127.0.0.1:"), "");
}

}  // namespace
}  // namespace bvhmill::testing
