// Tests the texts that name servers: their parts, and the targets of gRPC.

#include <gmock/gmock.h>
#include <netdb.h>
#include <sys/socket.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "client/cpp/channel.h"
#include "client/cpp/client.h"

namespace bvhmill::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ServerAddress, AddressesHaveAHostAndAPort) {
  struct Case {
    const char* text;
    const char* host;
    const char* port;
  };
  const Case cases[] = {
      {"7450", "127.0.0.1", "7450"},
      {"1", "127.0.0.1", "1"},
      {"localhost:65535", "localhost", "65535"},
      {"127.0.0.1:7450", "127.0.0.1", "7450"},
      // Each letter of it may be one of an IPv6 address.
      {"cafe.be:7450", "cafe.be", "7450"},
      {"[::1]:7450", "::1", "7450"},
      {"[::ffff:127.0.0.1]:7450", "::ffff:127.0.0.1", "7450"},
      {"unix:/run/bvhmilld", "unix", "/run/bvhmilld"},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<HostPort> at = SplitHostPort(c.text);
    ASSERT_TRUE(at.ok()) << c.text << ": " << at.status();
    EXPECT_EQ(at->host, c.host) << c.text;
    EXPECT_EQ(at->port, c.port) << c.text;
  }
}

TEST(ServerAddress, TextsThatAreNoAddressAreNamed) {
  constexpr char kForm[] = "is not HOST:PORT or PORT";
  constexpr char kPort[] = "has no port from 1 to 65535";
  constexpr char kIpv6[] = "has an IPv6 address: write [HOST]:PORT";
  const std::pair<const char*, const char*> cases[] = {
      {"", kForm},
      {"localhost", kForm},
      {":7450", kForm},
      {":http", kForm},
      {"localhost:", kForm},
      {"[]:7450", kForm},
      {"[:7450", kForm},
      {"[::1:7450", kForm},
      {"::1]:7450", kForm},
      {"0", kPort},
      {"65536", kPort},
      {"4294967297", kPort},
      {"localhost:0", kPort},
      {"localhost:65536", kPort},
      {"localhost:99999999999", kPort},
      {"localhost:-1", kPort},
      {"localhost:+1", kPort},
      {"localhost:1x", kPort},
      {"localhost:http", kPort},
      {"::1:7450", kIpv6},
      {"fe80::1:7450", kIpv6},
      {"::FFFF:127.0.0.1:7450", kIpv6},
  };
  for (const auto& [text, why] : cases) {
    const absl::Status status = SplitHostPort(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_EQ(MessageOf(status), std::string("server: '") + text + "' " + why);
  }
}

TEST(ServerAddress, EmptyPartsOfAListAreLeftOut) {
  EXPECT_THAT(SplitServers("a:1"), ElementsAre("a:1"));
  EXPECT_THAT(SplitServers("a:1,2,c:3"), ElementsAre("a:1", "2", "c:3"));
  EXPECT_THAT(SplitServers(",a:1,,2,"), ElementsAre("a:1", "2"));
  EXPECT_THAT(SplitServers(""), IsEmpty());
  EXPECT_THAT(SplitServers(",,"), IsEmpty());
}

// True if the system resolves addresses of IPv6: not without such a network.
bool HasIpv6() {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  if (getaddrinfo("::1", "1", &hints, &found) != 0) return false;
  freeaddrinfo(found);
  return true;
}

// The syntax of lists is that of gRPC's page about naming.
TEST(ServerAddress, SeveralServersAreAListOfAddresses) {
  EXPECT_EQ(TargetOf("7450").value(), "127.0.0.1:7450");
  EXPECT_EQ(TargetOf(",localhost:7450,").value(), "localhost:7450");
  EXPECT_EQ(TargetOf("127.0.0.1:1,2,127.0.0.3:3").value(),
            "ipv4:127.0.0.1:1,127.0.0.1:2,127.0.0.3:3");
  if (!HasIpv6()) return;
  EXPECT_EQ(TargetOf("[::1]:1,[fe80::2]:2").value(),
            "ipv6:%5B::1%5D:1,%5Bfe80::2%5D:2");
  // A list of one kind: addresses of IPv4 are written as those of IPv6.
  EXPECT_EQ(TargetOf("127.0.0.1:1,[::1]:2").value(),
            "ipv6:%5B::ffff:127.0.0.1%5D:1,%5B::1%5D:2");
  EXPECT_EQ(TargetOf("[::1]:2,127.0.0.1:1").value(),
            "ipv6:%5B::1%5D:2,%5B::ffff:127.0.0.1%5D:1");
}

TEST(ServerAddress, EveryServerOfAListMustBeKnown) {
  for (const char* list : {"", ",", "127.0.0.1:1,nowhere", "0,127.0.0.1:1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(TargetOf(list).status())) << list;
  }
  for (const char* list : {"127.0.0.1:1,no.such.host.invalid:2",
                           "no.such.host.invalid:2,127.0.0.1:1"}) {
    const absl::Status status = TargetOf(list).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << list;
    EXPECT_EQ(CallErrorOf(status).reason, "SERVER_UNREACHABLE");
    EXPECT_THAT(std::string(MessageOf(status)),
                HasSubstr("cannot reach no.such.host.invalid:2: "));
  }
}

}  // namespace
}  // namespace bvhmill::client
