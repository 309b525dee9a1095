#pragma once

// A proxy of TCP between a client of HTTP and its server, which breaks some of
// the requests that pass it.

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace bvhmill::testing {

struct ProxyFault {
  enum class Kind {
    kNone,
    // The connection is cut before the request reaches the server.
    kRefuse,
    // It is cut within the request, after `bytes` bytes of it.
    kCutRequest,
    // It is cut within the answer, after `bytes` bytes of it.
    kCutAnswer,
    // The proxy answers itself: 503, SlowDown.
    kSlowDown,
    // The proxy answers itself: 507.
    kFull,
  };
  Kind kind = Kind::kNone;
  // Only requests that begin with this, e.g. "PUT".
  std::string of = {};
  // The number of requests that fail; -1 = all.
  int count = 1;
  size_t bytes = 0;
};

// Thread-safe.
class FaultProxy {
 public:
  // Listens on a free port of 127.0.0.1.
  explicit FaultProxy(int server_port);
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::string endpoint() const;
  // From now on, requests fail so.
  void Set(const ProxyFault& fault);
  // The number of requests that failed since Set.
  int failed() const { return failed_; }

 private:
  void Accept();
  void Serve(int client);
  // The fault of a request that begins with `head`.
  ProxyFault Next(const std::string& head);

  const int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<int> failed_{0};
  std::atomic<bool> ends_{false};
  std::mutex mutex_;
  ProxyFault fault_;
  std::vector<std::jthread> connections_;
  std::jthread accepts_;
};

}  // namespace bvhmill::testing
