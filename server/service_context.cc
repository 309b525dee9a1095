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

bool ServiceContext::BeginCall(std::function<void()> on_drain, CallId* id) {
  const std::lock_guard lock(mutex_);
  if (draining_) return false;
  *id = calls_.insert(calls_.end(), std::move(on_drain));
  return true;
}

void ServiceContext::EndCall(CallId id) {
  const std::lock_guard lock(mutex_);
  calls_.erase(id);
  if (calls_.empty()) idle_.notify_all();
}

bool ServiceContext::Drain(std::chrono::seconds patience) {
  std::unique_lock lock(mutex_);
  draining_ = true;
  for (const std::function<void()>& on_drain : calls_) {
    if (on_drain) on_drain();
  }
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
