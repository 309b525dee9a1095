#pragma once

// Waiting for the calls of gRPC's callback API so that a CancelToken ends them.
// Private to the client library.

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "bvhmill/base/cancel.h"

namespace bvhmill::client {

// How often a waiting thread looks at its token.
inline constexpr std::chrono::milliseconds kCancelPoll{50};

// Blocks on `done_condition` until `done()`; cancels the call of `context` when
// `cancel` says so. `lock` is held whenever `done` is called.
template <typename Done>
void WaitOrCancel(std::unique_lock<std::mutex>* lock,
                  std::condition_variable* done_condition,
                  const CancelToken* cancel, grpc::ClientContext* context,
                  Done done) {
  bool cancelled = false;
  while (!done_condition->wait_for(*lock, kCancelPoll, done)) {
    if (cancelled || !IsCancelled(cancel)) continue;
    cancelled = true;
    // Unlocked, since reactions may run on this thread.
    lock->unlock();
    context->TryCancel();
    lock->lock();
  }
}

// Runs a unary call: start(callback) starts it, callback(grpc::Status) ends it.
template <typename Start>
grpc::Status AwaitUnary(grpc::ClientContext* context, const CancelToken* cancel,
                        Start start) {
  std::mutex mutex;
  std::condition_variable finished;
  std::optional<grpc::Status> status;
  start([&](grpc::Status result) {
    const std::lock_guard lock(mutex);
    status = std::move(result);
    finished.notify_all();
  });
  std::unique_lock lock(mutex);
  WaitOrCancel(&lock, &finished, cancel, context,
               [&] { return status.has_value(); });
  return *std::move(status);
}

}  // namespace bvhmill::client
