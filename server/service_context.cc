#include "server/service_context.h"

#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/wire/options.h"
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

bool ServiceContext::BeginCall(CallEvents events, CallId* id) {
  const std::lock_guard lock(mutex_);
  if (draining_) return false;
  *id = calls_.insert(calls_.end(), std::move(events));
  return true;
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
  }
}

void ServiceContext::EndCall(CallId id) {
  const std::lock_guard lock(mutex_);
  calls_.erase(id);
  if (calls_.empty()) idle_.notify_all();
}

std::vector<ServiceContext::CallEvents> ServiceContext::Calls() {
  const std::lock_guard lock(mutex_);
  return {calls_.begin(), calls_.end()};
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
