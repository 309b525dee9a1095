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
#include "server/rpc/unary_call.h"

namespace bvhmill::server {

// Parts of a call about jobs. All outlive the call.
struct JobCallParts {
  CallParts call;
  Jobs& jobs;
};

// Why items of a job of the caller wait, as its caller may know it: see
// Job.blocked. OK if no reason is known.
absl::Status WhyItemsWait(const JobCallParts& parts, const Caller& caller,
                          const JobInfo& job, DataFolder* folder);

// A unary call whose request and response are messages. Its work may wait for
// the disk, so a worker does it.
template <typename Request, typename Response>
class MessageTask final : public UnaryTask {
 public:
  using WorkOfCall = std::function<absl::Status(
      const UnaryWork& call, const Request& request, Response* response)>;

  // `texts` are the fields that may be large. `charge` returns the bytes of
  // memory that a request takes when it is parsed; it may be null. `request`
  // and `response` are borrowed; the bytes of the request are freed by Read.
  MessageTask(const ServerConfig& config, std::span<const TextField> texts,
              std::function<int64_t(grpc::ByteBuffer*)> charge,
              const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
              WorkOfCall work)
      : config_(config),
        texts_(texts),
        charge_(std::move(charge)),
        // Read frees its bytes: gRPC would keep them beside the message.
        request_(const_cast<grpc::ByteBuffer*>(request)),
        response_(response),
        work_(std::move(work)) {}

  bool IsDear() override { return true; }

  absl::Status Read(Ticket* ticket, bool* is_short) override {
    *is_short = false;
    if (charge_) {
      // Packed bytes do not say what they unfold to.
      absl::Status granted = Unpack(config_, request_);
      if (granted.ok()) granted = ticket->Grow(charge_(request_));
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

// Has a worker answer a unary call by `work`. The other arguments are those of
// MessageTask and of UnaryCall.
template <typename Request, typename Response>
grpc::ServerUnaryReactor* ServeMessage(
    const JobCallParts& parts, Method method, grpc::CallbackServerContext* call,
    const grpc::ByteBuffer* request, grpc::ByteBuffer* response,
    absl::Status (*work)(const JobCallParts&, const UnaryWork&, const Request&,
                         Response*),
    std::span<const TextField> texts = {},
    int64_t (*charge)(grpc::ByteBuffer*) = nullptr, bool is_long = false) {
  const auto bytes = static_cast<int64_t>(request->Length());
  auto task = std::make_unique<MessageTask<Request, Response>>(
      parts.call.config, texts, charge, request, response,
      [parts, work](const UnaryWork& unary, const Request& message,
                    Response* out) {
        return work(parts, unary, message, out);
      });
  return StartUnaryCall(
      parts.call, call,
      {method, Scope::kJobs, bytes, std::move(task), is_long});
}

// The common part of calls that last longer than one task of a worker: their
// record and their place in the registry. The call is cancelled if its peer
// does nothing for more than idle_seconds, or if its token is removed or loses
// the scope. Thread-safe, except the ticket.
class LongCall {
 public:
  LongCall(const JobCallParts& parts, Method method, CallKind kind,
           grpc::CallbackServerContext* call);

  // Checks and counts the call, and the memory of its request. The ticket of
  // the call counts a stream. UNAVAILABLE, SERVER_STOPPING; also the errors of
  // CallRecord::Enter, of Admission::TryOpen and of CountMessage.
  absl::Status Enter(int64_t request_bytes = 0);
  // Counts the memory of a message that waits for a worker: twice its bytes.
  // RESOURCE_EXHAUSTED if it has more than max_request_message_bytes, or there
  // is no memory for it.
  absl::Status CountMessage(int64_t bytes);
  // The peer has accepted a message, or the server works for the call.
  void MarkActive();
  // A message of the peer has come, which took `bytes`. Tells the registry:
  // else the bytes of the peer would count as part of no message.
  void MarkHeard(int64_t bytes);
  // Whether the server works on the last message, and does not read the next.
  void SetBusy(bool is_busy) { is_busy_ = is_busy; }
  // The server waits for the peer from now on, until the next call of Queue.
  // The peer may be idle for idle_seconds; earlier waits do not count.
  void AwaitPeer();
  // The same while the peer sends data, of which `bytes` have come since the
  // last call. Earlier waits count, except one second for each
  // min_upload_bytes_per_second that came since: empty messages, or a byte now
  // and then, keep no upload alive.
  void AwaitData(int64_t bytes);
  // Has a worker do `task`: soon, since these tasks are short. False if there
  // is no memory for it: then it never runs.
  bool Queue(std::function<void()> task);
  // Ends the record, the ticket and the entry of the registry. Call it in
  // OnDone.
  void Done(bool is_cancelled);

  const JobCallParts& parts() const { return parts_; }
  CallRecord& record() { return record_; }
  Ticket& ticket() { return ticket_; }

 private:
  class Watch;

  const JobCallParts parts_;
  const CallKind kind_;
  CallRecord record_;
  Ticket ticket_;
  std::atomic<bool> is_busy_{false};
  // The record is complete.
  std::atomic<bool> has_entered_{false};
  std::shared_ptr<Watch> watch_;
  // The time since which the peer has been idle; the maximum while the server
  // does not wait for it.
  std::atomic<std::chrono::steady_clock::time_point> idle_since_{
      std::chrono::steady_clock::time_point::max()};
  // Earlier waits that count.
  std::chrono::steady_clock::duration waited_{};
};

}  // namespace bvhmill::server
