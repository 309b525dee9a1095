#pragma once

// What all services of a server share.

#include <grpcpp/server_context.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bvhmill/pipeline/options.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/app/config.h"
#include "server/auth/tokens.h"
#include "server/limits/admission.h"
#include "server/limits/fair_queue.h"
#include "server/limits/memory.h"
#include "server/limits/memory_guard.h"
#include "server/net/connection_table.h"
#include "server/observe/log.h"
#include "server/observe/metrics.h"
#include "server/observe/metrics_page.h"

namespace bvhmill::server {

// Outlives every service and every call. Thread-safe.
class ServiceContext {
 public:
  ServiceContext(const ServerConfig& config,
                 std::unique_ptr<TokenStore> tokens);

  const ServerConfig& config() const { return config_; }
  FairQueue& queue() { return queue_; }
  Metrics& metrics() { return metrics_; }
  Admission& admission() { return admission_; }
  TokenStore& tokens() { return *tokens_; }
  const Log& log() const { return log_; }
  Connections& connections() { return connections_; }
  Gauges Now();

  // Who calls, by the token that the call shows; nobody by name if calls need
  // none. UNAUTHENTICATED if the token is missing or not known.
  grpc::Status Identify(const grpc::CallbackServerContext& call,
                        std::shared_ptr<const Caller>* caller) const;

  // The connection of `call` was cut, so that nobody waits for it. Ask before
  // its metadata: of what a peer floods with, there may be a million fields.
  bool IsGone(const grpc::CallbackServerContext& call) const;

  // What a call may want to be told, by any thread, and once more after
  // EndCall.
  class CallWatch {
   public:
    CallWatch() = default;
    virtual ~CallWatch() = default;
    CallWatch(const CallWatch&) = delete;
    CallWatch& operator=(const CallWatch&) = delete;

    // Once, if the server begins to stop.
    virtual void OnDrain() {}
    // About once a second.
    virtual void OnTick(std::chrono::steady_clock::time_point /*now*/) {}
  };

  // The other side of a connection that had calls lately.
  struct Peer {
    int64_t calls = 0;
    // Calls that the peer gave up before anything was heard of them, since one
    // that was heard of ended.
    int64_t given_up = 0;
    // See MarkActive.
    std::atomic<std::chrono::steady_clock::time_point> heard_at{};
    // When a call that was heard of ended.
    std::chrono::steady_clock::time_point ended_at;
  };
  struct RunningCall {
    std::shared_ptr<CallWatch> watch;
    // In the table of peers.
    const std::string* name = nullptr;
    Peer* peer = nullptr;
    std::atomic<bool> is_heard{false};
    // Its peer had many calls running when it began.
    bool is_one_of_many = false;
  };

  // A call over the connection of `peer` that counts as running from here to
  // EndCall; `watch` may be null. False: the server is stopping and the call
  // must be refused; EndCall is not due then. A connection with many more calls
  // than it may have at once is cut, and one of which many in a row were given
  // up unheard: its peer gives them up faster than gRPC ends them.
  using CallId = std::list<RunningCall>::iterator;
  bool BeginCall(std::shared_ptr<CallWatch> watch, const std::string& peer,
                 CallId* id);
  // `is_cancelled`: the call was given up, by its peer as a rule.
  void EndCall(CallId id, bool is_cancelled);
  // A whole message has come from the peer of a call who may make it, or there
  // is something to do for it, so that nothing more is to be expected.
  static void MarkActive(CallId id);
  // The same of a call that does not count as running.
  void HeardFrom(const std::string& peer);

  // Bytes of clips and outputs that all streams hold.
  void AddStreamBytes(int64_t bytes) { stream_bytes_ += bytes; }
  // They hold more than max_stream_bytes: each makes only what is taken.
  bool HasCrowdedStreams() const;

  // Refuses new calls from now on and tells the running ones. Returns when all
  // have ended or the time is over; true if all have ended.
  bool Drain(std::chrono::seconds patience);

  // Cuts every connection once `patience` is over, and those that are left
  // again and again after it: without them gRPC has nothing to wait for.
  void CutConnectionsAfter(std::chrono::milliseconds patience);

  // Calls `set` with false when memory becomes short, and with true when it is
  // so no more, from a thread of the context. `set` must stay valid until
  // OnMemory is called with an empty function, which waits for a running call.
  void OnMemory(std::function<void(bool is_serving)> set);

 private:
  void Tick(const std::stop_token& stop);
  bool HasTooMany(int64_t calls) const;
  bool HasGivenUpTooMany(int64_t calls) const;
  void CutForCalls(const std::string& peer, const char* why);
  Connections::Use UseOf(const std::string& peer);
  void LookAtPeers();
  void LookAtConnections();
  void CancelIfDue();
  void GuardMemory();
  void SetShortOfMemory(bool is_short);
  bool GuardsTransport() const;
  MemoryReading ReadMemory();
  void LookAtStray(int64_t resident);
  void LogResets(const std::vector<Connections::Ended>& ended);
  void ForgetPeers();
  // Those of the running calls, to be told without the mutex: the calls may end
  // meanwhile, also by what they are told.
  std::vector<std::shared_ptr<CallWatch>> Watches();

  const ServerConfig config_;
  const std::unique_ptr<TokenStore> tokens_;
  Log log_;
  Metrics metrics_;
  Admission admission_;
  Connections connections_;
  FairQueue queue_;
  std::mutex mutex_;
  std::condition_variable idle_;
  bool draining_ = false;
  std::list<RunningCall> calls_;
  // By name.
  std::unordered_map<std::string, Peer> peers_;
  std::atomic<int64_t> stream_bytes_{0};
  // When all connections are cut; the latest time there is = never.
  std::atomic<Connections::Clock::time_point> cut_at_{
      Connections::Clock::time_point::max()};
  std::mutex health_mutex_;
  std::function<void(bool)> set_health_;
  const MemoryBounds memory_bounds_ = ReadMemoryBounds();
  // Used by the ticker only.
  MemoryGuard memory_guard_;
  bool is_short_of_memory_ = false;
  // Bytes of unfinished messages; when they were counted, and what the process
  // held then.
  int64_t stray_bytes_ = 0;
  Connections::Clock::time_point stray_at_;
  int64_t stray_mark_ = 0;
  // The last member: it uses the others.
  std::jthread ticker_;
};

// How long a peer may accept nothing of what waits to be sent to it, in
// seconds: idle_seconds, or the time in which a silent peer must answer a
// keepalive ping if that is less; 0 = for ever.
int64_t SendTimeoutSeconds(const ServerConfig& config);

// Options for one clip: those of the request, within the server's limits.
grpc::Status ReadOptionsFor(const ServerConfig& config,
                            const v1::ConvertOptions& message,
                            ConvertOptions* options);

}  // namespace bvhmill::server
