#pragma once

// A call that may be cancelled by any thread, at any time.

#include <grpcpp/server_context.h>

#include <mutex>

namespace bvhmill::server {

// gRPC frees a call soon after its OnDone. Until OnDone the call may be
// cancelled. Thread-safe.
class LiveCall {
 public:
  explicit LiveCall(grpc::CallbackServerContext* call) : call_(call) {}

  // Cancels the call. Does nothing after Done.
  void Cancel() {
    const std::lock_guard lock(mutex_);
    if (call_ != nullptr) call_->TryCancel();
  }
  // Call it in OnDone. Waits for a Cancel of another thread.
  void Done() {
    const std::lock_guard lock(mutex_);
    call_ = nullptr;
  }

 private:
  // TryCancel may call OnDone in the same thread.
  std::recursive_mutex mutex_;
  grpc::CallbackServerContext* call_;
};

}  // namespace bvhmill::server
