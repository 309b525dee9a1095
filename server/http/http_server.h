#pragma once

// An HTTP/1.1 server with bounded threads. cpp-httplib parses requests and
// finds their handlers; this file accepts the connections and bounds them.
//
//   std::unique_ptr<HttpServer> http;
//   BVHMILL_RETURN_IF_ERROR(HttpServer::Start(
//       {.address = "127.0.0.1:7452"},
//       [](httplib::Server* routes) { routes->Get("/healthz", ...); }, &http));
//
// A connection belongs to one thread until it is closed. When all threads are
// busy, connections wait; beyond `most_waiting` the oldest of them gets 503. A
// peer must send a whole header within `header_seconds`, and must send and
// accept data at 1 KiB a second on average, without a pause of `idle_seconds`.
// While connections wait, one that sends nothing for half a second is closed.
// So a slow peer frees its thread after that time at the latest.

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "server/net/listener.h"

namespace bvhmill::server {

struct HttpOptions {
  // HOST:PORT; port 0 picks a free port.
  std::string address = {};
  int threads = 32;
  size_t most_waiting = 64;
  std::chrono::seconds header_seconds{10};
  std::chrono::seconds idle_seconds{30};
  // The time that an open connection may wait for its next request.
  std::chrono::seconds keep_alive_seconds{5};
  // Returns the TLS context of a new connection; empty = no TLS.
  std::function<std::shared_ptr<SSL_CTX>()> tls = {};
};

// Serves from Start to the destructor. Thread-safe.
class HttpServer {
 public:
  // `add_routes` adds the handlers, which several threads may call at once. An
  // exception of a handler is answered with 500. UNAVAILABLE if the address
  // cannot be used, or if the system has no file descriptor or no thread left.
  static absl::Status Start(
      HttpOptions options,
      const std::function<void(httplib::Server* routes)>& add_routes,
      std::unique_ptr<HttpServer>* server);
  // Accepts no more requests. Cuts connections that are busy after a moment,
  // and waits until the handlers have returned.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // HOST:PORT with the port that was picked.
  const std::string& address() const { return listener_->address(); }

 private:
  class Routes;

  explicit HttpServer(HttpOptions options);
  void Add(int file);
  void Run();
  void Serve(int file);
  template <typename Peer>
  bool AwaitRequest(Peer* peer, bool is_first);

  const HttpOptions options_;
  std::unique_ptr<Routes> routes_;
  // Guards the members from here to is_stopping_.
  std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable ended_;
  // Connections that wait for a thread, and those that have one.
  std::deque<int> waiting_;
  std::set<int> served_;
  bool is_stopping_ = false;
  std::unique_ptr<Listener> listener_;
  std::vector<std::jthread> threads_;
};

// Tells the connection of the handler that runs in this thread to close after
// the answer: its request was not read to its end.
void CloseAfterAnswer();

}  // namespace bvhmill::server
