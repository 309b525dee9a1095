#pragma once

// One attack: the calls of hostile clients until the attack is stopped.

#include <grpcpp/client_context.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bvhmill/v1/clip_service.grpc.pb.h"

namespace bvhmill::attack {

// The server under attack and the helpers that an attack uses. Thread-safe.
class Target {
 public:
  Target(std::string address, std::string metrics_address)
      : address_(std::move(address)),
        metrics_address_(std::move(metrics_address)) {}

  const std::string& address() const { return address_; }
  const std::string& metrics_address() const { return metrics_address_; }

  // True once the attack must end. Stop also cancels the calls that run.
  bool stopped() const { return stopped_; }
  void Stop();
  // Sleeps, but returns early on Stop.
  void Sleep(int milliseconds) const;

  // Known bytes that callers have sent: those of messages and of bare
  // connections, without HTTP/2 frames.
  void AddSent(size_t bytes) { sent_ += static_cast<int64_t>(bytes); }
  int64_t sent() const { return sent_; }
  void AddCall() { ++calls_; }
  int64_t calls() const { return calls_; }

  // Opens a new connection that accepts messages of any size.
  std::unique_ptr<v1::ClipService::Stub> Connect() const;

  // Runs `call` with a context that Stop cancels.
  void Call(const std::function<void(grpc::ClientContext*)>& call);

 private:
  const std::string address_;
  const std::string metrics_address_;
  std::atomic<bool> stopped_{false};
  std::atomic<int64_t> sent_{0};
  std::atomic<int64_t> calls_{0};
  std::mutex mutex_;
  std::set<grpc::ClientContext*> running_;
};

// The party that must withstand an attack.
enum class Kind {
  // The server alone: messages, calls and streams that any client of gRPC can
  // send, and requests to the page of metrics.
  kMessage,
  // A proxy in front of the server: frames of HTTP/2, bare connections, and
  // more calls of an address than a proxy lets pass.
  kFrame,
};

struct Attack {
  std::string name;
  // One line: the bytes or calls that are sent, and the harm they may do.
  std::string about;
  // Attacks until the target is stopped; may use threads, which it joins.
  std::function<void(Target*)> run;
  // Factor on the time of an attack, for attacks that need time to build up.
  double times_longer = 1;
  Kind kind = Kind::kMessage;
  // True: the page of metrics must answer during the attack.
  bool needs_metrics = false;
};

// Lists of attacks, by kind.
std::vector<Attack> ClipAttacks();
std::vector<Attack> AnimAttacks();
std::vector<Attack> StreamAttacks();
std::vector<Attack> PeerAttacks();
std::vector<Attack> FloodAttacks();
// All of these.
std::vector<Attack> AllAttacks();

// Runs `work(i)` on `count` threads, again and again until the target is
// stopped.
void Repeat(int count, Target* target, const std::function<void(int)>& work);

}  // namespace bvhmill::attack
