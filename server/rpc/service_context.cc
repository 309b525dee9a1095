#include "server/rpc/service_context.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
#include "server/limits/memory.h"
#include "server/rpc/catch_as_status.h"
#include "server/rpc/statuses.h"

namespace bvhmill::server {
namespace {

// `config` with the defaults that depend on other limits.
ServerConfig Resolved(ServerConfig config) {
  config.admission = WithShares(config.admission);
  return config;
}

}  // namespace

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

bool ServiceContext::IsGone(const grpc::CallbackServerContext& call) const {
  return connections_.has_cuts() && connections_.WasReset(call.peer());
}

Gauges ServiceContext::Now() {
  Gauges gauges;
  gauges.clips = admission_.clips();
  gauges.bytes = admission_.bytes();
  gauges.peak_bytes = admission_.peak_bytes();
  gauges.stream_bytes = stream_bytes_;
  gauges.workers = queue_.threads();
  gauges.busy_workers = queue_.busy();
  gauges.connections = connections_.count();
  gauges.refused_connections = connections_.refused();
  const std::lock_guard lock(mutex_);
  gauges.calls = static_cast<int64_t>(calls_.size());
  return gauges;
}

ServiceContext::ServiceContext(const ServerConfig& config,
                               std::unique_ptr<TokenStore> tokens)
    : config_(Resolved(config)),
      tokens_(std::move(tokens)),
      log_(config.log),
      admission_(config_.admission),
      connections_(config.transport, SendTimeoutSeconds(config)),
      queue_({.threads = config.threads,
              .on_exception = [this] { log_.Exception("a task"); }}),
      ticker_([this](const std::stop_token& stop) { Tick(stop); }) {
  // Makes it, while there is memory.
  static_cast<void>(OutOfMemory());
}

int64_t SendTimeoutSeconds(const ServerConfig& config) {
  const TransportLimits& transport = config.transport;
  const int64_t idle = config.service.idle_seconds;
  if (transport.keepalive_seconds == 0) return idle;
  const int64_t silent = Seconds(transport.keepalive_seconds).count() +
                         Seconds(transport.keepalive_timeout_seconds).count();
  return idle == 0 ? silent : std::min(idle, silent);
}

// Calls that the peer has seen the end of, and this server has not, are not
// more than it may have at once, as a rule.
bool ServiceContext::HasTooMany(int64_t calls) const {
  const int64_t limit = config_.transport.max_streams_per_connection;
  return limit > 0 && calls / 2 > limit;
}

// True each time that it is twice as many as a connection may have at once, so
// that a cut that fails is tried again.
bool ServiceContext::HasGivenUpTooMany(int64_t calls) const {
  const int64_t limit = config_.transport.max_streams_per_connection;
  return limit > 0 && calls / 2 >= limit && calls % 2 == 0 &&
         calls / 2 % limit == 0;
}

bool ServiceContext::HasCrowdedStreams() const {
  return Exceeds(stream_bytes_, config_.service.max_stream_bytes);
}

bool ServiceContext::BeginCall(std::shared_ptr<CallWatch> watch,
                               const std::string& peer, CallId* id) {
  bool cuts = false;
  {
    const std::lock_guard lock(mutex_);
    if (draining_) return false;
    const auto known = peers_.try_emplace(peer).first;
    RunningCall& call = calls_.emplace_back();
    call.watch = std::move(watch);
    call.name = &known->first;
    call.peer = &known->second;
    *id = std::prev(calls_.end());
    constexpr int64_t kFew = 8;
    const int64_t calls = ++known->second.calls;
    call.is_one_of_many = calls > kFew;
    cuts = HasTooMany(calls) && !HasTooMany(calls - 1);
  }
  if (cuts) CutForCalls(peer, "calls");
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
  // Floods take some MB of memory a millisecond.
  constexpr std::chrono::milliseconds kStep(20);
  constexpr int64_t kStepsOfASecond = 50;
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  for (int64_t step = 1; !stopped.wait_for(
           lock, stop, kStep, [&stop] { return stop.stop_requested(); });
       ++step) {
    // Without memory for one of them, the next time.
    CatchAndLog(log_, "the ticker", [this] { CancelIfDue(); });
    CatchAndLog(log_, "the ticker", [this] { GuardMemory(); });
    if (step % kStepsOfASecond != 0) continue;
    CatchAndLog(log_, "the ticker", [this] { LookAtPeers(); });
  }
}

void ServiceContext::CutConnectionsAfter(std::chrono::milliseconds patience) {
  cut_at_ = Connections::Clock::now() + patience;
}

void ServiceContext::CancelIfDue() {
  if (Connections::Clock::now() >= cut_at_.load()) connections_.CutAll();
}

void ServiceContext::LookAtPeers() {
  const auto now = std::chrono::steady_clock::now();
  for (const auto& watch : Watches()) watch->OnTick(now);
  LookAtConnections();
  ForgetPeers();
  admission_.ForgetIdle();
  log_.Tick(now);
}

Connections::Use ServiceContext::UseOf(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  const auto known = peers_.find(peer);
  if (known == peers_.end()) return {};
  return {known->second.heard_at.load(), known->second.ended_at,
          known->second.calls};
}

void ServiceContext::LogResets(const std::vector<Connections::Ended>& ended) {
  for (const Connections::Ended& one : ended) {
    log_.Event("cut",
               "cut the connection of " +
                   (one.peer.empty() ? "a peer without an address" : one.peer) +
                   ": " + one.why);
  }
}

void ServiceContext::LookAtConnections() {
  const auto now = std::chrono::steady_clock::now();
  const auto use = [this](const std::string& peer) { return UseOf(peer); };
  LogResets(connections_.Sweep(now, use, ResidentBytes()));
  const int64_t idle = connections_.EvictIdle(now, use);
  if (idle == 0) return;
  log_.Event("cut", "cut " + std::to_string(idle) +
                        " connections that had no calls: max_connections");
}

// A limit of 0 or beyond any memory means that nobody is cut for memory.
bool ServiceContext::GuardsTransport() const {
  constexpr int64_t kNoLimit = int64_t{1} << 50;
  const int64_t limit = config_.transport.max_transport_bytes;
  return limit > 0 && limit <= kNoLimit;
}

MemoryReading ServiceContext::ReadMemory() {
  const MemoryUse use = ReadMemoryUse();
  MemoryReading reading;
  reading.counted = admission_.bytes();
  reading.resident = use.resident;
  reading.fullness = FullnessOf(use, memory_bounds_);
  // What came costs more to know, and matters only where memory is to be
  // explained.
  const bool is_explained =
      reading.resident <= reading.counted + MemoryGuard::kReleaseSlack;
  if (!is_explained) {
    LookAtStray(reading.resident);
    reading.counted += stray_bytes_;
  }
  reading.received = connections_.read_bytes();
  return reading;
}

// Counts what came and is no message yet: now and then, or when memory has
// grown.
void ServiceContext::LookAtStray(int64_t resident) {
  constexpr std::chrono::milliseconds kPause(100);
  constexpr int64_t kGrowth = int64_t{4} << 20;
  const auto now = Connections::Clock::now();
  if (now - stray_at_ < kPause && resident < stray_mark_ + kGrowth) return;
  stray_at_ = now;
  stray_mark_ = resident;
  stray_bytes_ = connections_.CountStrayBytes(
      now, [this](const std::string& peer) { return UseOf(peer); });
}

void ServiceContext::GuardMemory() {
  const auto now = Connections::Clock::now();
  MemoryReading reading = ReadMemory();
  if (memory_guard_.ShouldRelease(now, reading)) {
    ReleaseFreeMemory();
    reading = ReadMemory();
  }
  SetShortOfMemory(memory_guard_.IsShort(reading));
  if (!GuardsTransport()) return;
  const bool is_last_resort = MemoryGuard::IsLastResort(reading);
  if (!memory_guard_.ShouldCut(reading) && !is_last_resort) return;
  const auto use_of = [this](const std::string& peer) { return UseOf(peer); };
  LogResets(connections_.CutGrowing(now, use_of, is_last_resort));
}

void ServiceContext::OnMemory(std::function<void(bool)> set) {
  const std::lock_guard lock(health_mutex_);
  set_health_ = std::move(set);
}

void ServiceContext::SetShortOfMemory(bool is_short) {
  if (is_short == is_short_of_memory_) return;
  is_short_of_memory_ = is_short;
  admission_.RefuseNewClips(is_short);
  log_.Event("memory",
             is_short ? "memory is short: health is NOT_SERVING, new clips are "
                        "refused"
                      : "memory is no longer short");
  const std::lock_guard lock(health_mutex_);
  if (set_health_) set_health_(!is_short);
}

void ServiceContext::HeardFrom(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  peers_[peer].heard_at = std::chrono::steady_clock::now();
}

void ServiceContext::MarkActive(CallId id) {
  id->is_heard.store(true, std::memory_order_relaxed);
  id->peer->heard_at.store(std::chrono::steady_clock::now(),
                           std::memory_order_relaxed);
}

void ServiceContext::EndCall(CallId id, bool is_cancelled) {
  bool cuts = false;
  std::list<RunningCall> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.splice(ended.begin(), calls_, id);
    Peer& peer = *id->peer;
    --peer.calls;
    if (id->is_heard) {
      peer.ended_at = std::chrono::steady_clock::now();
      peer.given_up = 0;
    } else if (is_cancelled) {
      cuts = HasGivenUpTooMany(++peer.given_up);
    }
    // The peer is kept for as long as a call names it.
    peer.calls += cuts ? 1 : 0;
    if (draining_ && calls_.empty()) idle_.notify_all();
  }
  if (!cuts) return;
  CutForCalls(*id->name, "calls were given up before they said anything");
  const std::lock_guard lock(mutex_);
  --id->peer->calls;
}

void ServiceContext::CutForCalls(const std::string& peer, const char* why) {
  CatchAndLog(log_, "a call", [&] {
    if (!connections_.Reset(peer)) return;
    log_.Event("cut", "cut the connection of " + peer +
                          ": more than twice max_streams_per_connection " +
                          why);
  });
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
