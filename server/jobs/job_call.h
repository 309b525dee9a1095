#pragma once

// Calls about jobs and blobs, which may block for a store: JobService and
// BlobService use them. ServeMessage has a worker serve a unary call. LongCall
// is the common part of calls that last longer than one task of a worker: of
// the streams of blobs and of WaitJob.
//
//   return ServeMessage(parts, Method::kGetJob, call, &Get);
//
// where `Get` maps a v1::GetJobRequest to a v1::GetJobResponse.

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

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
#include "bvhmill/v1/job_service.pb.h"
#include "server/codec/read_message.h"
#include "server/codec/response_bytes.h"
#include "server/jobs/jobs.h"
#include "server/rpc/call_parts.h"
#include "server/rpc/call_record.h"
#include "server/rpc/raw_service.h"
#include "server/rpc/unary_call.h"

namespace bvhmill::server {

// The parts of the server that a call about jobs uses. All must outlive the
// call.
struct JobCallParts {
  CallParts call;
  Jobs& jobs;
};

// The task of ServeMessage: a unary call whose request and response are
// messages. A worker does its work, which may block for the disk.
template <typename Request, typename Response>
class MessageTask final : public UnaryTask {
 public:
  using WorkOfCall = std::function<absl::Status(
      const UnaryWork& call, const Request& request, Response* response)>;

  // `texts` are the fields that may be large. `charge` estimates the bytes of
  // memory of the parsed request; it may be null.
  MessageTask(const ServerConfig& config, std::span<const TextField> texts,
              std::function<int64_t(grpc::ByteBuffer*)> charge, WorkOfCall work)
      : config_(config),
        texts_(texts),
        charge_(std::move(charge)),
        work_(std::move(work)) {}

  bool IsExpensive(grpc::ByteBuffer* /*request*/) override { return true; }

  absl::Status Read(grpc::ByteBuffer* request, Ticket* ticket,
                    bool* is_short) override {
    *is_short = false;
    if (charge_) {
      // `charge` needs bytes that are not compressed.
      absl::Status granted = Unpack(config_, request);
      if (granted.ok()) granted = ticket->Grow(charge_(request));
      if (!granted.ok()) return granted;
    }
    int64_t beside = 0;
    return ReadMessage(config_, texts_, request, &message_, &beside);
  }

  absl::Status Work(const UnaryWork& call,
                    grpc::ByteBuffer* response) override {
    Response message;
    const absl::Status status = work_(call, message_, &message);
    if (status.ok()) ToBytes(message, response);
    return status;
  }

 private:
  const ServerConfig& config_;
  const std::span<const TextField> texts_;
  const std::function<int64_t(grpc::ByteBuffer*)> charge_;
  const WorkOfCall work_;
  Request message_;
};

// Has a worker serve a unary call by `work`. For `texts` and `charge` see
// MessageTask, for `is_long` UnaryMethod.
template <typename Request, typename Response>
RawReactor* ServeMessage(const JobCallParts& parts, Method method,
                         grpc::CallbackServerContext* call,
                         absl::Status (*work)(const JobCallParts&,
                                              const UnaryWork&, const Request&,
                                              Response*),
                         std::span<const TextField> texts = {},
                         int64_t (*charge)(grpc::ByteBuffer*) = nullptr,
                         bool (*is_long)(const grpc::ByteBuffer&) = nullptr) {
  auto task = std::make_unique<MessageTask<Request, Response>>(
      parts.call.config, texts, charge,
      [parts, work](const UnaryWork& unary, const Request& message,
                    Response* out) {
        return work(parts, unary, message, out);
      });
  return StartUnaryCall(parts.call, call,
                        {method, Scope::kJobs, std::move(task), is_long});
}

// A call of several tasks of workers: its record, its ticket and its entry in
// the registry. Cancels the call if the peer is idle for more than
// idle_seconds, or if the token is removed or loses the scope. Thread-safe,
// except the ticket.
class LongCall {
 public:
  LongCall(const JobCallParts& parts, Method method,
           grpc::CallbackServerContext* call);

  // Checks and counts the call. The ticket of the call counts a stream. Errors
  // are those of CallRegistry::Begin, CallRecord::Enter and Admission::TryOpen.
  absl::Status Enter();
  // Has `reactor` read the one request of a call into `request` when its turn
  // comes.
  void ReceiveRequest(RawReactor* reactor, grpc::ByteBuffer* request);
  // Gives the place of the request back, and counts its memory. Call it in
  // OnReadDone with its `ok`. INVALID_ARGUMENT if no request came; also the
  // errors of CountMessage.
  absl::Status TakeRequest(bool ok, const grpc::ByteBuffer& request);
  // True if the turn of the request has not come: it never will.
  bool LeaveRequests() { return parts_.call.small_requests.Leave(&place_); }
  // Counts the memory of a message that waits for a worker: twice its bytes.
  // RESOURCE_EXHAUSTED if it has more than max_request_message_bytes, or there
  // is no memory for it.
  absl::Status CountMessage(int64_t bytes);
  // Begins a wait for the peer, which ends with the next Queue. The peer may be
  // idle for idle_seconds; earlier waits do not count.
  void AwaitPeer();
  // The same for a peer that sends data; `bytes` have arrived since the last
  // call. Earlier waits count, less one second for each
  // min_upload_bytes_per_second that have arrived: empty messages or single
  // bytes do not keep an upload alive. If min_upload_bytes_per_second is 0, any
  // data end the earlier waits.
  void AwaitData(int64_t bytes);
  // Has a worker run `task` as an interactive task: it must be short. False if
  // there is no memory for it; it never runs then.
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
  CallRecord record_;
  Ticket ticket_;
  MessageBudget::Place place_;
  // The wait for the peer is one for data.
  std::atomic<bool> expects_data_{false};
  // True after Enter has succeeded: the record is complete.
  std::atomic<bool> has_entered_{false};
  std::shared_ptr<Watch> watch_;
  std::optional<CallRegistry::CallId> id_;
  // The time since which the peer has been idle; the maximum while the server
  // does not wait for it.
  std::atomic<std::chrono::steady_clock::time_point> idle_since_{
      std::chrono::steady_clock::time_point::max()};
  // The sum of the earlier waits that count.
  std::chrono::steady_clock::duration waited_{};
};

// The caller with this name, with its quotas: the quotas of its token, or none.
std::shared_ptr<const Caller> CallerNamed(const JobCallParts& parts,
                                          const std::string& name);

// The callers whose jobs a call may use: its own, or kAnyCaller for the scope
// admin.
std::string JobsOf(const Caller& caller);

// Writes a job for `caller`, with the reason for which its items wait.
void WriteJobFor(const JobCallParts& parts, const Caller& caller,
                 const JobInfo& job, DataFolder* folder, v1::Job* message);

}  // namespace bvhmill::server
