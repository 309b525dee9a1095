#pragma once

// Shared parts of the calls about jobs and blobs.

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "server/codec/read_message.h"
#include "server/codec/response_bytes.h"
#include "server/jobs/jobs.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_record.h"
#include "server/rpc/live_call.h"
#include "server/rpc/unary_call.h"

namespace bvhmill::server {

// Parts of a call about jobs. All outlive the call.
struct JobCallParts {
  CallParts call;
  Jobs& jobs;
};

// A unary call whose request and response are messages. Its work may wait for
// the disk, so that a worker does it.
template <typename Request, typename Response>
class MessageTask final : public UnaryTask {
 public:
  using WorkOfCall = std::function<absl::Status(
      const UnaryWork& call, const Request& request, Response* response)>;

  // `texts` are the fields that may be large; `charge` is the memory that a
  // request with these bytes takes when it is parsed.
  MessageTask(const ServerConfig& config, std::span<const TextField> texts,
              std::function<int64_t(grpc::ByteBuffer*)> charge,
              const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
              WorkOfCall work)
      : config_(config),
        texts_(texts),
        charge_(std::move(charge)),
        // gRPC would keep the bytes beside the message.
        request_(const_cast<grpc::ByteBuffer*>(request)),
        response_(response),
        work_(std::move(work)) {}

  bool IsDear() override { return true; }

  absl::Status Read(Ticket* ticket, bool* is_short) override {
    *is_short = false;
    if (charge_) {
      const absl::Status granted = ticket->Grow(charge_(request_));
      if (!granted.ok()) return granted;
    }
    int64_t beside = 0;
    return ReadMessage(config_, texts_, request_, &message_, &beside);
  }

  absl::Status Work(const UnaryWork& call) override {
    Response response;
    const absl::Status status = work_(call, message_, &response);
    if (status.ok()) ToBytes(response, response_);
    return status;
  }

 private:
  const ServerConfig& config_;
  const std::span<const TextField> texts_;
  const std::function<int64_t(grpc::ByteBuffer*)> charge_;
  grpc::ByteBuffer* const request_;
  grpc::ByteBuffer* const response_;
  const WorkOfCall work_;
  Request message_;
};

// The common part of calls that last longer than one task of a worker: their
// record and their place in the registry. A peer that does nothing for
// idle_seconds is cut off. Thread-safe.
class LongCall {
 public:
  LongCall(const JobCallParts& parts, Method method,
           grpc::CallbackServerContext* call);

  // Checks and counts the call. The ticket of the call counts a stream.
  absl::Status Enter();
  // A message has come, or was accepted. Tells the registry, too: else the
  // bytes of the peer would count as belonging to no message.
  void MarkActive();
  // The peer may be idle from now on, for any time.
  void Wait() { active_at_ = std::chrono::steady_clock::time_point::max(); }
  // Has a worker do `task`, in the background. False without memory.
  bool Queue(std::function<void()> task);
  // In OnDone.
  void Done(bool is_cancelled);

  const JobCallParts& parts() const { return parts_; }
  CallRecord& record() { return record_; }
  Ticket& ticket() { return ticket_; }

 private:
  class Watch;

  const JobCallParts parts_;
  CallRecord record_;
  Ticket ticket_;
  std::shared_ptr<Watch> watch_;
  std::atomic<std::chrono::steady_clock::time_point> active_at_{
      std::chrono::steady_clock::now()};
};

}  // namespace bvhmill::server
