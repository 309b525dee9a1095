#pragma once

// A table of connections whose peers the test plays.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "server/app/config.h"
#include "server/net/connection_table.h"
#include "tests/server/fixture.h"

namespace bvhmill::testing {

using server::Connections;
using std::chrono::seconds;
using Clock = Connections::Clock;

// Both ends of a connection.
struct Pair {
  int own = -1;
  int peer = -1;
  std::string name;
};

class ConnectionPairsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    listening_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(bind(listening_, any, size), 0);
    ASSERT_EQ(listen(listening_, 64), 0);
    ASSERT_EQ(getsockname(listening_, any, &size), 0);
    address_ = address;
  }

  void TearDown() override {
    for (const Pair& pair : pairs_) {
      close(pair.own);
      close(pair.peer);
    }
    close(listening_);
  }

  Pair Connect() {
    Pair pair;
    pair.peer = socket(AF_INET, SOCK_STREAM, 0);
    const auto* const address = reinterpret_cast<sockaddr*>(&address_);
    EXPECT_EQ(connect(pair.peer, address, sizeof address_), 0);
    pair.own = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK);
    sockaddr_in from = {};
    socklen_t size = sizeof from;
    getsockname(pair.peer, reinterpret_cast<sockaddr*>(&from), &size);
    pair.name = "ipv4:127.0.0.1:" + std::to_string(ntohs(from.sin_port));
    pairs_.push_back(pair);
    return pair;
  }

  static bool IsEnded(const Pair& pair, int wait_ms = 0) {
    pollfd ready = {pair.peer, POLLIN, 0};
    poll(&ready, 1, wait_ms);
    char byte = 0;
    return recv(pair.peer, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 &&
           errno == ECONNRESET;
  }

  int listening_ = -1;
  sockaddr_in address_ = {};
  std::vector<Pair> pairs_;
};

inline server::TransportLimits LimitsOf(int64_t connections) {
  server::TransportLimits limits;
  limits.max_connections = connections;
  return limits;
}

}  // namespace bvhmill::testing
