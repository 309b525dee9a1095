#pragma once

// A gRPC server that answers any method with the bytes that a test gives it.

#include <google/protobuf/message.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace bvhmill::testing {

// The codes with which the client reports an answer.
inline constexpr auto kOk = absl::StatusCode::kOk;
inline constexpr auto kBroken = absl::StatusCode::kInternal;
inline constexpr auto kSilent = absl::StatusCode::kDeadlineExceeded;

// One call, as its handler sees it. All waits end when the server goes.
class FakeCall {
 public:
  virtual ~FakeCall() = default;
  // "GetServerInfo".
  virtual std::string method() const = 0;
  // A header that the client sent; empty if there is none.
  virtual std::string header(const std::string& name) const = 0;
  // The bytes of the next request; none after the last.
  virtual std::optional<std::string> Read() = 0;
  // False if the call is over.
  virtual bool Write(const std::string& bytes) = 0;
  // Says nothing until the server goes.
  virtual void BeSilent() = 0;
  virtual void Sleep(std::chrono::milliseconds time) = 0;
};

class FakeServer {
 public:
  // Runs on a thread for each call; what it returns ends the call.
  using Handler = std::function<grpc::Status(FakeCall* call)>;

  explicit FakeServer(Handler handler);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  // HOST:PORT.
  const std::string& address() const { return address_; }
  // Calls of a method so far.
  int calls(const std::string& method) const;

 private:
  class Call;

  void Accept();
  void Run(std::unique_ptr<Call> call);
  bool WaitForEnd(std::chrono::milliseconds time);

  Handler handler_;
  std::string address_;
  grpc::AsyncGenericService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stops_ = false;
  std::map<std::string, int> calls_;
  std::vector<std::thread> threads_;
  std::thread accepting_;
};

// The bytes of a good GetServerInfoResponse; `limits` is a text proto.
std::string InfoBytes(const std::string& limits);

}  // namespace bvhmill::testing
