#pragma once

// What all services of a server share.

#include <grpcpp/server_context.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "bvhmill/pipeline/options.h"
#include "bvhmill/pipeline/workers.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "server/admission.h"
#include "server/config.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/metrics_page.h"
#include "server/tokens.h"

namespace bvhmill::server {

// Outlives every service and every call. Thread-safe.
class ServiceContext {
 public:
  ServiceContext(const ServerConfig& config, std::unique_ptr<TokenStore> tokens)
      : config_(config),
        tokens_(std::move(tokens)),
        log_(config.log),
        admission_(config.admission),
        workers_(config.threads) {}

  const ServerConfig& config() const { return config_; }
  Workers& workers() { return workers_; }
  Metrics& metrics() { return metrics_; }
  Admission& admission() { return admission_; }
  TokenStore& tokens() { return *tokens_; }
  const Log& log() const { return log_; }
  Gauges Now();

  // Who calls, by the token that the call shows; nobody by name if calls need
  // none. UNAUTHENTICATED if the token is missing or not known.
  grpc::Status Identify(const grpc::CallbackServerContext& call,
                        std::shared_ptr<const Caller>* caller) const;

  // A call that counts as running from here to EndCall. False: the server is
  // stopping and the call must be refused; EndCall is not due then. `on_drain`
  // is called once if the server begins to stop meanwhile; it may be null.
  using CallId = std::list<std::function<void()>>::iterator;
  bool BeginCall(std::function<void()> on_drain, CallId* id);
  void EndCall(CallId id);

  // Refuses new calls from now on and tells the running ones. Returns when all
  // have ended or the time is over; true if all have ended.
  bool Drain(std::chrono::seconds patience);

 private:
  const ServerConfig config_;
  const std::unique_ptr<TokenStore> tokens_;
  const Log log_;
  Metrics metrics_;
  Admission admission_;
  Workers workers_;
  std::mutex mutex_;
  std::condition_variable idle_;
  bool draining_ = false;
  std::list<std::function<void()>> calls_;
};

// Options for one clip: those of the request, within the server's limits.
grpc::Status ReadOptionsFor(const ServerConfig& config,
                            const v1::ConvertOptions& message,
                            ConvertOptions* options);

}  // namespace bvhmill::server
