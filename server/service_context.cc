#include "server/service_context.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
#include "server/guard.h"
#include "server/memory.h"
#include "server/rpc_status.h"

namespace bvhmill::server {
grpc::Status ServiceContext::Identify(
    const grpc::CallbackServerContext& call,
    std::shared_ptr<const Caller>* caller) const {
  *caller = Nobody();
  if (!tokens_->needs_token()) return grpc::Status::OK;
  constexpr std::string_view kScheme = "Bearer ";
  const auto [begin, end] = call.client_metadata().equal_range("authorization");
  for (auto it = begin; it != end; ++it) {
    const std::string_view value(it->second.data(), it->second.size());
    if (!value.starts_with(kScheme)) continue;
    const auto known = tokens_->Find(value.substr(kScheme.size()));
    if (known == nullptr) continue;
    *caller = known;
    return grpc::Status::OK;
  }
  return TokenUnknown();
}

Gauges ServiceContext::Now() {
  Gauges gauges;
  gauges.clips = admission_.clips();
  gauges.bytes = admission_.bytes();
  gauges.workers = workers_.threads();
  gauges.busy_workers = workers_.busy();
  gauges.connections = connections_.count();
  gauges.refused_connections = connections_.refused();
  const std::lock_guard lock(mutex_);
  gauges.calls = static_cast<int64_t>(calls_.size());
  return gauges;
}

ServiceContext::ServiceContext(const ServerConfig& config,
                               std::unique_ptr<TokenStore> tokens)
    : config_(config),
      tokens_(std::move(tokens)),
      log_(config.log),
      admission_(config.admission),
      connections_(config.transport),
      workers_(config.threads),
      ticker_([this](const std::stop_token& stop) { Tick(stop); }) {
  // Makes it, while there is memory.
  static_cast<void>(OutOfMemory());
}

// Calls that the peer has seen the end of, and this server has not, are not
// more than it may have at once, as a rule.
bool ServiceContext::HasTooMany(int64_t calls) const {
  const int64_t limit = config_.transport.max_streams_per_connection;
  return limit > 0 && calls / 2 > limit;
}

bool ServiceContext::BeginCall(std::shared_ptr<CallWatch> watch,
                               const std::string& peer, CallId* id) {
  bool cuts = false;
  {
    const std::lock_guard lock(mutex_);
    if (draining_) return false;
    Peer& known = peers_[peer];
    RunningCall& call = calls_.emplace_back();
    call.watch = std::move(watch);
    call.peer = &known;
    *id = std::prev(calls_.end());
    const int64_t calls = ++known.calls;
    cuts = HasTooMany(calls) && !HasTooMany(calls - 1);
  }
  if (cuts && connections_.Cut(peer)) {
    log_.Event("cut the connection of " + peer +
               ": more than twice max_streams_per_connection calls");
  }
  return true;
}

// Connections come back with their next call; those that do not are gone.
void ServiceContext::ForgetPeers() {
  // What was heard a moment ago may not have been looked at.
  const auto recent = Connections::Clock::now() - std::chrono::seconds(2);
  const std::lock_guard lock(mutex_);
  std::erase_if(peers_, [recent](const auto& peer) {
    return peer.second.calls == 0 && peer.second.heard_at.load() < recent &&
           peer.second.ended_at < recent;
  });
}

void ServiceContext::Tick(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kStep(100);
  constexpr int kStepsOfASecond = 10;
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  for (int step = 1; !stopped.wait_for(
           lock, stop, kStep, [&stop] { return stop.stop_requested(); });
       ++step) {
    GuardMemory();
    if (step % kStepsOfASecond != 0) continue;
    // Without memory for it, the next time.
    Attempt([this] { LookAtPeers(); });
  }
}

void ServiceContext::LookAtPeers() {
  const auto now = std::chrono::steady_clock::now();
  for (const auto& watch : Watches()) watch->OnTick(now);
  LookAtConnections();
  ForgetPeers();
  admission_.ForgetIdle();
}

Connections::Use ServiceContext::UseOf(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  const auto known = peers_.find(peer);
  if (known == peers_.end()) return {};
  return {known->second.heard_at.load(), known->second.ended_at,
          known->second.calls};
}

void ServiceContext::LookAtConnections() {
  const auto now = std::chrono::steady_clock::now();
  const auto use = [this](const std::string& peer) { return UseOf(peer); };
  for (const std::string& peer : connections_.Look(now, use)) {
    log_.Event("cut the connection of " + peer +
               ": max_stray_bytes and no message within max_request_seconds");
  }
  const int64_t idle = connections_.MakeRoom(now, use);
  if (idle == 0) return;
  log_.Event("cut " + std::to_string(idle) +
             " connections that had no calls: max_connections");
}

// gRPC does not count all that it holds: a flood of header fields takes fifty
// times its bytes, and of no quota. Memory that the allocator keeps for later
// is no reason: only while it grows beyond what it was, connections are ended.
void ServiceContext::GuardMemory() {
  constexpr int64_t kUsual = int64_t{512} << 20;
  constexpr int64_t kStep = int64_t{32} << 20;
  constexpr int64_t kNoLimit = int64_t{1} << 50;
  const int64_t limit = config_.transport.max_transport_bytes;
  if (limit == 0 || limit > kNoLimit) return;
  const int64_t most = limit + kUsual + admission_.bytes() + stream_bytes_;
  const int64_t held = ResidentBytes();
  memory_mark_ = std::max(most, std::min(memory_mark_, held + kStep));
  if (held <= memory_mark_) return;
  ReleaseFreeMemory();
  if (ResidentBytes() <= memory_mark_) return;
  memory_mark_ = held + kStep;
  const auto use = [this](const std::string& peer) { return UseOf(peer); };
  const std::string peer =
      connections_.CutLargest(std::chrono::steady_clock::now(), use);
  if (peer.empty()) return;
  log_.Event("cut the connection of " + peer +
             ": beyond max_transport_bytes, and what comes is no message");
}

void ServiceContext::HeardFrom(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  peers_[peer].heard_at = std::chrono::steady_clock::now();
}

void ServiceContext::Heard(CallId id) {
  id->is_heard.store(true, std::memory_order_relaxed);
  id->peer->heard_at.store(std::chrono::steady_clock::now(),
                           std::memory_order_relaxed);
}

void ServiceContext::EndCall(CallId id) {
  const std::lock_guard lock(mutex_);
  Peer& peer = *id->peer;
  --peer.calls;
  if (id->is_heard) peer.ended_at = std::chrono::steady_clock::now();
  calls_.erase(id);
  if (draining_ && calls_.empty()) idle_.notify_all();
}

std::vector<std::shared_ptr<ServiceContext::CallWatch>>
ServiceContext::Watches() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<CallWatch>> watches;
  watches.reserve(calls_.size());
  for (const RunningCall& call : calls_) {
    if (call.watch != nullptr) watches.push_back(call.watch);
  }
  return watches;
}

bool ServiceContext::Drain(std::chrono::seconds patience) {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  for (const auto& watch : Watches()) watch->OnDrain();
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, patience, [this] { return calls_.empty(); });
}

grpc::Status ReadOptionsFor(const ServerConfig& config,
                            const v1::ConvertOptions& message,
                            ConvertOptions* options) {
  options->limits = config.limits;
  const absl::Status status = wire::FromProto(message, options);
  if (absl::IsResourceExhausted(status)) {
    return LimitExceeded("max_outputs_per_clip", config.limits.max_outputs,
                         message.outputs_size());
  }
  return ToGrpc(status, FaultOfOptions(status));
}

}  // namespace bvhmill::server
