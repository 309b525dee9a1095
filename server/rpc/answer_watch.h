#pragma once

// Cancels a unary call whose peer does not take the response.

#include <grpcpp/server_context.h>

#include <chrono>
#include <mutex>
#include <optional>

#include "server/rpc/call_registry.h"

namespace bvhmill::server {

// The part of a call that the registry may use after the call is over.
class AnswerWatch final : public CallWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `patience`: how long the peer may take to accept the response; 0 = for
  // ever.
  AnswerWatch(grpc::CallbackServerContext* call, std::chrono::seconds patience)
      : patience_(patience), call_(call) {}

  void Answered() {
    const std::lock_guard lock(mutex_);
    answered_at_ = Clock::now();
  }

  // The peer has the response; another one may follow.
  void Taken() {
    const std::lock_guard lock(mutex_);
    answered_at_.reset();
  }

  // The call is over for gRPC.
  void Done() {
    const std::lock_guard lock(mutex_);
    call_ = nullptr;
  }

  // The call was admitted: it is active until it is answered.
  void Entered(CallRegistry::CallId id) {
    const std::lock_guard lock(mutex_);
    id_ = id;
  }

  // Cancels the call if its peer does not take the response.
  void OnTick(Clock::time_point now) override {
    const std::lock_guard lock(mutex_);
    if (call_ == nullptr) return;
    if (id_ && !answered_at_) CallRegistry::MarkActive(*id_);
    if (patience_.count() == 0 || !answered_at_) return;
    if (now - *answered_at_ > patience_) call_->TryCancel();
  }

 private:
  const std::chrono::seconds patience_;
  // TryCancel may call OnDone in the same thread.
  std::recursive_mutex mutex_;
  grpc::CallbackServerContext* call_;
  std::optional<CallRegistry::CallId> id_;
  std::optional<Clock::time_point> answered_at_;
};

}  // namespace bvhmill::server
