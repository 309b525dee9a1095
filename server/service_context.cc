#include "server/service_context.h"

#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
#include "server/disconnect.h"
#include "server/rpc_status.h"

namespace bvhmill::server {
grpc::Status ServiceContext::Identify(
    const grpc::CallbackServerContext& call,
    std::shared_ptr<const Caller>* caller) const {
  *caller = std::make_shared<const Caller>();
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
      workers_(config.threads),
      ticker_([this](const std::stop_token& stop) { Tick(stop); }) {}

// Calls that the peer has seen the end of, and this server has not, are not
// more than it may have at once, as a rule.
bool ServiceContext::HasTooMany(int64_t calls) const {
  const int64_t limit = config_.transport.max_streams_per_connection;
  return limit > 0 && calls / 2 > limit;
}

bool ServiceContext::BeginCall(CallEvents events, const std::string& peer,
                               CallId* id) {
  bool cuts = false;
  {
    const std::lock_guard lock(mutex_);
    if (draining_) return false;
    auto& counted = *peers_.try_emplace(peer, 0).first;
    *id = calls_.insert(calls_.end(), {std::move(events), &counted});
    const int64_t calls = ++counted.second;
    cuts = HasTooMany(calls) && !HasTooMany(calls - 1);
  }
  if (cuts && Disconnect(peer)) {
    log_.Event("cut the connection of " + peer +
               ": more than twice max_streams_per_connection calls");
  }
  return true;
}

// Connections come back with their next call; those that do not are gone.
void ServiceContext::ForgetPeers() {
  const std::lock_guard lock(mutex_);
  std::erase_if(peers_, [](const auto& peer) { return peer.second == 0; });
}

void ServiceContext::Tick(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stopped.wait_for(lock, stop, std::chrono::seconds(1),
                           [&stop] { return stop.stop_requested(); })) {
    const auto now = std::chrono::steady_clock::now();
    for (const CallEvents& events : Calls()) {
      if (events.on_tick) events.on_tick(now);
    }
    ForgetPeers();
  }
}

void ServiceContext::EndCall(CallId id) {
  const std::lock_guard lock(mutex_);
  --id->peer->second;
  calls_.erase(id);
  if (calls_.empty()) idle_.notify_all();
}

std::vector<ServiceContext::CallEvents> ServiceContext::Calls() {
  const std::lock_guard lock(mutex_);
  std::vector<CallEvents> events;
  events.reserve(calls_.size());
  for (const RunningCall& call : calls_) events.push_back(call.events);
  return events;
}

bool ServiceContext::Drain(std::chrono::seconds patience) {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  for (const CallEvents& events : Calls()) {
    if (events.on_drain) events.on_drain();
  }
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
