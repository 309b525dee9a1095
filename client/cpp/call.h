#pragma once

// Waits for calls of the callback API of gRPC. A CancelToken ends the wait and
// the call within kCancelPoll.
//
//   grpc::Status status =
//       AwaitUnary(channel, "/bvhmill.v1.ServerService/GetServerInfo",
//                  &context, cancel, request, &response);

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "bvhmill/base/cancel.h"

namespace bvhmill::client {

// The time between two checks of the token.
inline constexpr std::chrono::milliseconds kCancelPoll{50};

// Blocks on `done_condition` until `done()` is true. Cancels the call of
// `context` if `cancel` is cancelled or `gives_up()` is true. Returns true if
// `gives_up` was the reason. `lock` must be locked. It is locked on return and
// during calls of `done` and `gives_up`.
template <typename Done, typename GivesUp>
bool WaitOrCancel(std::unique_lock<std::mutex>* lock,
                  std::condition_variable* done_condition,
                  const CancelToken* cancel, grpc::ClientContext* context,
                  Done done, GivesUp gives_up) {
  bool cancelled = false;
  bool gave_up = false;
  while (!done_condition->wait_for(*lock, kCancelPoll, done)) {
    if (cancelled) continue;
    gave_up = !IsCancelled(cancel) && gives_up();
    if (!gave_up && !IsCancelled(cancel)) continue;
    cancelled = true;
    // Unlocked: TryCancel may run reactions on this thread.
    lock->unlock();
    context->TryCancel();
    lock->lock();
  }
  return gave_up;
}

// Runs the unary call of `method`, e.g. "/bvhmill.v1.ClipService/ConvertClip",
// and blocks until it has ended or is cancelled.
// INTERNAL if the answer of the server is not a valid Response. (The stubs of
// gRPC accept such an answer and return the part that they could parse.)
template <typename Request, typename Response>
grpc::Status AwaitUnary(const std::shared_ptr<grpc::Channel>& channel,
                        const std::string& method, grpc::ClientContext* context,
                        const CancelToken* cancel, const Request& request,
                        Response* response) {
  std::mutex mutex;
  std::condition_variable finished;
  std::optional<grpc::Status> status;
  grpc::ByteBuffer bytes;
  grpc::TemplatedGenericStub<Request, grpc::ByteBuffer> stub(channel);
  stub.UnaryCall(context, method, grpc::StubOptions(), &request, &bytes,
                 [&](grpc::Status result) {
                   const std::lock_guard lock(mutex);
                   status = std::move(result);
                   finished.notify_all();
                 });
  std::unique_lock lock(mutex);
  // The deadline of the call is that of `context`.
  WaitOrCancel(
      &lock, &finished, cancel, context, [&] { return status.has_value(); },
      [] { return false; });
  if (!status->ok()) return *std::move(status);
  grpc::ProtoBufferReader reader(&bytes);
  const bool is_read =
      reader.status().ok() && response->ParseFromZeroCopyStream(&reader);
  if (is_read) return grpc::Status::OK;
  return {grpc::StatusCode::INTERNAL,
          "the server's answer is broken: a message that cannot be read"};
}

}  // namespace bvhmill::client
