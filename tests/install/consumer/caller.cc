// A program that links the client library: it calls a server that is not there.

#include <bvhmill/client/client.h>

#include <chrono>
#include <iostream>

int main() {
  bvhmill::client::ConnectOptions options;
  options.server = "127.0.0.1:1";
  options.connect_timeout = std::chrono::milliseconds(500);
  const auto client = bvhmill::client::Client::Connect(options);
  std::cout << absl::StatusCodeToString(client.status().code()) << '\n';
}
